"""talstomize's clusters: what their nodes get."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read.repository import read

# The form of the example in github.com/mirceanton/talstomize.
CLUSTER = """\
apiVersion: config.talstomize.dev/v1alpha1
kind: Talstomize
clusterName: home
controlPlaneEndpoint: https://10.5.0.2:6443
kubernetesVersion: v1.35.1
secrets: ./talos-secrets.yaml
installer:
  talosVersion: v1.13.8
  schematic:
    customization:
      systemExtensions: {officialExtensions: [siderolabs/nvidia-container-toolkit-lts]}
nodes:
  cp:
    ip: 10.5.0.11
    kind: controlplane
    installer: {image: "ghcr.io/siderolabs/installer:v1.12.5"}
    patches:
      - ./patches/own.yaml
  gpu:
    ip: 10.5.0.12
    kind: worker
    patches:
      - machine:
          sysctls: {c: own}
      - [{op: add, path: /machine/nodeLabels, value: {gpu: 'yes'}}]
patches:
  - machine: {sysctls: {a: all, b: all, c: all}}
controlplanePatches: [./patches/cp.yaml]
workerPatches:
  - {apiVersion: v1alpha1, kind: KernelModuleConfig, name: nvidia}
  - machine: {sysctls: {b: workers, c: workers}}
"""
FILES = {
    "patches/own.yaml": "machine:\n  sysctls:\n    own: '1'\n",
    "patches/cp.yaml": "machine: {sysctls: {cp: '1'}}\n---\napiVersion: v1alpha1\nkind: HostnameConfig\nhostname: other\n",
}


def configs(folder, text=CLUSTER):
    (folder / "patches").mkdir(exist_ok=True)
    for name, content in {**FILES, "talstomize.yaml": text}.items():
        (folder / name).write_text(content)
    inputs = read([folder])
    return {each.name: each for each in inputs.node_configs}


def test_a_node_gets_the_patches_of_the_cluster_then_of_its_role_then_its_own(tmp_path):
    found = configs(tmp_path)

    assert {name: (each.scope, each.complete, each.control_plane) for name, each in found.items()} == {
        "cp": ("node", True, True),
        "gpu": ("node", True, False),
    }
    assert found["gpu"].sysctls == {"a": "all", "b": "workers", "c": "own"}
    assert (found["gpu"].kernel_modules, found["gpu"].labels) == (("nvidia",), {"gpu": "yes"})
    assert found["cp"].sysctls == {"a": "all", "b": "all", "c": "all", "cp": "1", "own": "1"}
    assert found["cp"].pod_security == "baseline"


def test_the_lines_are_those_of_the_file_that_sets_the_value(tmp_path):
    found = configs(tmp_path)
    assert found["gpu"].line_of(()) == 19
    assert found["gpu"].line_of(("documents", 0, "machine", "sysctls", "c")) == 24
    assert found["cp"].file_of(("documents", 0, "machine", "sysctls", "own")) == str(tmp_path / "patches/own.yaml")


def test_the_installer_of_a_node_replaces_that_of_the_cluster(tmp_path):
    found = configs(tmp_path)
    assert (found["gpu"].extensions, found["gpu"].talos_version) == (("siderolabs/nvidia-container-toolkit-lts",), "v1.13.8")
    assert (found["cp"].extensions, found["cp"].talos_version) == ((), "v1.12.5")
    assert found["gpu"].kubernetes_version == "v1.35.1"

    text = CLUSTER.replace("  talosVersion: v1.13.8\n", "").replace("clusterName", "talosVersion: v1.14.1\nclusterName")
    assert configs(tmp_path, text)["gpu"].talos_version == "v1.14.1"


def test_a_patch_that_is_not_in_the_repository_leaves_the_node_incomplete(tmp_path):
    for patch in ("https://example.com/patch.yaml", "./missing.yaml", "${PATCH}"):
        found = configs(tmp_path, CLUSTER.replace("workerPatches:\n", f"workerPatches:\n  - {patch}\n"))
        assert [found[name].complete for name in ("cp", "gpu")] == [True, False]


@pytest.mark.parametrize(
    "wrong", ["[]", "{}", "5", "null", "x", "[[x]]", "[null]", "{a: 5, b: {kind: [], patches: [[]]}}", '"a\\0b"', '["a\\0b"]']
)
@pytest.mark.parametrize("key", ["clusterName", "installer", "nodes", "patches", "controlplanePatches", "workerPatches"])
def test_a_value_of_a_wrong_type_is_no_setting(tmp_path, key, wrong):
    before, _, after = CLUSTER.partition(f"\n{key}:")
    rest = "".join(after.splitlines(keepends=True)[1:])
    while rest.startswith(" "):
        rest = rest.partition("\n")[2]
    configs(tmp_path, f"{before}\n{key}: {wrong}\n{rest}")
    inputs = read([tmp_path])

    run_rules(inputs)
    for each in inputs.node_configs:
        assert each.talos_version is None or isinstance(each.talos_version, str | Unknown)
        assert all(isinstance(name, str | Unknown) for name in (*(each.extensions or ()), *(each.kernel_modules or ())))
