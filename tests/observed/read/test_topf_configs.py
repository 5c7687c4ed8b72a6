"""TOPF's clusters: what their nodes get."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read.repository import read
from constructs_lib.upstream.talos.factory_ids import schematic_id

NVIDIA = ["siderolabs/nvidia-container-toolkit-lts", "siderolabs/nvidia-open-gpu-kernel-modules-lts"]
SCHEMATIC = schematic_id({"customization": {"systemExtensions": {"officialExtensions": NVIDIA}}})
# The form of github.com/rokoucha/materia and github.com/mtolhurst/home-k8s-talos.
CLUSTER = """\
clusterName: home
talosVersion: 1.13.3
kubernetesVersion: 1.36.1
clusterEndpoint: https://192.168.1.80:6443
nodes:
  - host: cp
    ip: 192.168.1.11
    role: control-plane
  - host: gpu
    role: worker
    talosVersion: v1.13.4
    schematicId: "@schematics/gpu.yaml"
"""
FILES = {
    "topf.yaml": CLUSTER,
    "schematics/gpu.yaml": f"customization:\n  extraKernelArgs: [quiet]\n  systemExtensions:\n    officialExtensions: [{', '.join(NVIDIA)}]\n",
    "all/01-base.yaml": "machine: {sysctls: {a: all-1, b: all-1, c: all-1, d: all-1, e: all-1}}\n",
    "all/02/own.yml": "machine: {sysctls: {b: all-2, c: all-2, d: all-2, e: all-2}}\n",
    "all/02.yaml.tpl": "machine:\n  sysctls:\n    c: all-3\n    d: all-3\n    e: all-3\n  nodeLabels:\n    host: {{ .Node.Host }}\n",
    "worker/gpu.yaml": "machine:\n  sysctls: {d: worker, e: worker}\n---\napiVersion: v1alpha1\nkind: KernelModuleConfig\nname: nvidia\n",
    "control-plane/cp.yaml": "cluster: {apiServer: {admissionControl: [{name: PodSecurity, $patch: delete}]}}\n",
    "node/gpu/own.yaml": "machine:\n  sysctls:\n    e: own\n",
    "node/other/own.yaml": "machine: {sysctls: {e: other}}\n",
    "README.yaml": "machine: {nodeLabels: {unnamed: '1'}}\n",
}


def tree(folder, **changed):
    for name, text in {**FILES, **changed}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def configs(folder, **changed):
    return {each.name: each for each in read([tree(folder, **changed)]).node_configs}


def test_a_node_gets_the_patches_for_all_then_for_its_role_then_its_own_in_the_order_of_their_names(tmp_path):
    config = configs(tmp_path)["gpu"]

    assert config.sysctls == {"a": "all-1", "b": "all-2", "c": "all-3", "d": "worker", "e": "own"}
    assert config.kernel_modules == ("nvidia",)
    assert isinstance(config.labels["host"], Unknown)
    assert (config.scope, config.complete, config.control_plane) == ("node", True, False)
    assert config.file_of(("documents", 0, "machine", "sysctls", "e")) == str(tmp_path / "node/gpu/own.yaml")
    assert config.line_of(("documents", 0, "machine", "sysctls", "e")) == 3


def test_the_patches_and_schematics_of_nodes_have_no_configuration_of_their_own(tmp_path):
    assert {each.name: each.scope for each in read([tree(tmp_path)]).node_configs} == {
        "cp": "node",
        "gpu": "node",
        "own.yaml": "patch",
        "README.yaml": "patch",
    }


def test_a_node_has_its_own_version_and_image_or_else_those_of_the_cluster(tmp_path):
    found = configs(tmp_path)
    assert [(found[name].talos_version, found[name].kubernetes_version) for name in ("cp", "gpu")] == [
        ("1.13.3", "1.36.1"),
        ("v1.13.4", "1.36.1"),
    ]
    assert (found["gpu"].extensions, found["gpu"].kernel_args) == (tuple(NVIDIA), ("quiet",))
    assert found["gpu"].file_of(found["gpu"].paths["extensions"]) == str(tmp_path / "schematics/gpu.yaml")
    assert (found["cp"].extensions, found["cp"].kernel_args) == ((), ())

    found = configs(tmp_path, **{"topf.yaml": f"schematicId: {SCHEMATIC}\n{CLUSTER}"})
    assert found["cp"].extensions == tuple(NVIDIA)
    found = configs(tmp_path, **{"topf.yaml": f"schematicId: {'0' * 64}\n{CLUSTER}"})
    assert (found["cp"].extensions, found["cp"].kernel_args) == (None, None)


def test_an_image_in_a_patch_wins_over_the_schematic_and_the_version_of_the_cluster(tmp_path):
    image = f"factory.talos.dev/metal-installer/{SCHEMATIC}:v1.12.5"
    found = configs(tmp_path, **{"all/00.yaml": f"machine: {{install: {{image: '{image}'}}}}\n"})["cp"]
    assert (found.extensions, found.talos_version, found.image) == (tuple(NVIDIA), "v1.12.5", image)


def test_the_pod_security_level_of_a_control_plane_follows_from_its_patches(tmp_path):
    assert configs(tmp_path)["cp"].pod_security == "off"
    assert configs(tmp_path, **{"control-plane/cp.yaml": "# nothing\n"})["cp"].pod_security == "baseline"


@pytest.mark.parametrize("key", ["patchesDir", "configDir"])
def test_the_patches_may_be_in_another_folder(tmp_path, key):
    (tmp_path / "patches").mkdir()
    found = configs(tmp_path, **{"topf.yaml": f"{key}: ./patches\n{CLUSTER}", "patches/all/a.yaml": "machine: {sysctls: {only: '1'}}\n"})
    assert found["gpu"].sysctls == {"only": "1"}


@pytest.mark.parametrize(
    "changed",
    [
        {"worker/gpu.yaml": "a: [\n"},
        {"worker/gpu.yaml": "machine: {}\nsops: {mac: x}\n"},
        {"worker/gpu.yaml.tpl": "{{ if .Data.x }}\napiVersion: v1alpha1\nkind: KernelModuleConfig\nname: nvidia\n{{ end }}\n"},
        {"topf.yaml": CLUSTER.replace("role: worker", "role: ${ROLE}")},
        {"topf.yaml": "patchesDir: ${DIR}\n" + CLUSTER},
    ],
)
def test_a_patch_that_is_not_read_leaves_the_node_incomplete(tmp_path, changed):
    assert not configs(tmp_path, **changed)["gpu"].complete


def test_no_path_leads_out_of_the_repository(tmp_path):
    (tmp_path / "all").mkdir()
    (tmp_path / "all/a.yaml").write_text("machine: {sysctls: {outside: '1'}}\n")
    (tmp_path / "s.yaml").write_text("customization: {systemExtensions: {officialExtensions: [siderolabs/outside]}}\n")
    folder = tmp_path / "repository"
    text = "patchesDir: ..\nschematicId: '@../s.yaml'\n" + CLUSTER
    found = configs(folder, **{"topf.yaml": text.replace("host: gpu", "host: ../../../all")})
    assert {(each.complete, each.extensions, repr(each.sysctls)) for name, each in found.items() if name in ("cp", "../../../all")} == {
        (False, None, "None"),
        (False, tuple(NVIDIA), "None"),
    }


@pytest.mark.parametrize("wrong", ["[]", "{}", "5", "null", "x", "[[x]]", "[null]", "[{host: [], role: {}}]", '[{host: "a\\0b", role: worker}]', "'@'", "'@a\\0'"])  # fmt: skip
@pytest.mark.parametrize("key", ["clusterName", "nodes", "talosVersion", "schematicId", "patchesDir", "kubernetesVersion"])
def test_a_value_of_a_wrong_type_is_no_setting(tmp_path, key, wrong):
    text = "".join(
        line for line in CLUSTER.splitlines(keepends=True) if not line.startswith(f"{key}:") and (key != "nodes" or line[0] not in " -n")
    )
    inputs = read([tree(tmp_path, **{"topf.yaml": f"{text}{key}: {wrong}\n"})])

    run_rules(inputs)
    for each in inputs.node_configs:
        assert each.talos_version is None or isinstance(each.talos_version, str | Unknown)
        assert all(isinstance(name, str | Unknown) for name in (*(each.extensions or ()), *(each.kernel_modules or ())))
