"""talhelper's talconfig.yaml: what each of its nodes gets."""

import pytest

from constructs_lib.observed.model import Unknown
from constructs_lib.observed.nodes.node_settings import gpu_node_configs
from constructs_lib.observed.read.repository import read, read_text

HEAD = "clusterName: home\ntalosVersion: v1.13.9\nkubernetesVersion: v1.36.3\nendpoint: https://10.0.0.10:6443\n"


def nodes(text):
    inputs = read_text(HEAD + text, file="talconfig.yaml")
    assert inputs.skipped == ()
    return {each.name: each for each in inputs.node_configs}


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_yaml", ".yaml")
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)


def test_a_node_says_what_its_fields_say():
    config = nodes(
        "nodes:\n"
        "  - hostname: gpu-1\n"
        "    controlPlane: true\n"
        "    nodeLabels: {role: gpu}\n"
        "    nodeTaints: {dedicated: 'ai:NoSchedule', gpu: ':NoSchedule'}\n"
        "    kernelModules: [{name: nvidia}]\n"
        "    machineFiles: [{path: /var/a, op: create, content: a}]\n"
        "    schematic: {customization: {systemExtensions: {officialExtensions: [siderolabs/zfs]}}}\n"
    )["gpu-1"]

    assert (config.scope, config.complete, config.control_plane) == ("node", True, True)
    assert (config.talos_version, config.kubernetes_version) == ("v1.13.9", "v1.36.3")
    assert config.labels == {"role": "gpu"}
    assert config.taints == (("dedicated", "ai", "NoSchedule"), ("gpu", "", "NoSchedule"))
    assert config.kernel_modules == ("nvidia",)
    assert config.files == ({"path": "/var/a", "op": "create", "content": "a"},)
    assert config.extensions == ("siderolabs/zfs",)
    assert {field: config.line_of(path) for field, path in config.paths.items()} == {
        "talos_version": 2,
        "kubernetes_version": 3,
        "labels": 8,
        "taints": 9,
        "kernel_modules": 10,
        "files": 11,
        "extensions": 12,
    }
    assert config.line_of(()) == 6


def test_a_group_gives_a_node_what_it_has_not_itself_and_takes_no_part_in_what_it_has():
    found = nodes(
        "nodes:\n"
        "  - {hostname: a, nodeLabels: {own: a}, kernelModules: []}\n"
        "  - {hostname: b, controlPlane: true}\n"
        "worker: {nodeLabels: {group: worker}, kernelModules: [{name: nvidia}]}\n"
        "controlPlane: {nodeLabels: {group: controlPlane}}\n"
    )

    assert (found["a"].labels, found["a"].kernel_modules) == ({"own": "a"}, ("nvidia",))
    assert (found["b"].labels, found["b"].kernel_modules) == ({"group": "controlPlane"}, None)


def patches(*values, indent="      "):
    return "".join(f"{indent}- '{{machine: {{sysctls: {{a: {value}, {value}: 1}}}}}}'\n" for value in values)


def test_patches_of_the_group_go_before_those_of_the_node_and_those_of_the_cluster_behind_them():
    text = (
        "nodes:\n  - hostname: a\n    patches:\n" + patches("node") + "patches:\n" + patches("all", indent="  ") + "worker:\n  patches:\n"
        "" + patches("group", indent="    ") + "controlPlane:\n  patches:\n" + patches("other", indent="    ")
    )

    assert nodes(text)["a"].sysctls == {"a": "all", "group": 1, "node": 1, "all": 1}
    assert nodes(text.replace("hostname: a", "hostname: a\n    overridePatches: true"))["a"].sysctls == {"a": "all", "node": 1, "all": 1}


def test_a_value_in_an_inline_patch_stands_in_its_line():
    config = nodes(
        "nodes:\n  - hostname: a\n    patches:\n      - |-\n        machine:\n          sysctls:\n            a: b\n      - 'machine: {env: {C: d}}'\n"
    )["a"]

    assert config.line_of((*config.paths["sysctls"], "a")) == 11
    assert config.line_of(("documents", 0, "machine", "env")) == 12


def test_anchors_and_merge_keys_are_followed():
    found = nodes(
        "nodes:\n"
        "  - {hostname: a, schematic: &gpu {customization: {systemExtensions: {officialExtensions: [siderolabs/zfs]}}}}\n"
        "  - &b {hostname: b, schematic: *gpu, nodeLabels: {role: gpu}}\n"
        "  - {<<: *b, hostname: c}\n"
    )

    assert [(each.extensions, each.labels) for each in found.values()] == [
        (("siderolabs/zfs",), None),
        (("siderolabs/zfs",), {"role": "gpu"}),
        (("siderolabs/zfs",), {"role": "gpu"}),
    ]


def test_an_image_by_its_url_goes_before_a_schematic_and_no_schematic_is_an_image_without_extensions():
    known = "factory.talos.dev/metal-installer/af8eb82417d3deaa94d2ef19c3b590b0dac1b2549d0b9b35b3da2bc325de75f7"
    zfs = "schematic: {customization: {systemExtensions: {officialExtensions: [siderolabs/zfs]}}}"
    found = nodes(
        "nodes:\n"
        f"  - {{hostname: a, talosImageURL: {known}, {zfs}}}\n"
        f"  - {{hostname: b, talosImageURL: factory.talos.dev/installer/{'0' * 64}}}\n"
        "  - {hostname: c}\n"
        "  - {hostname: d, talosImageURL: '${URL}'}\n"
        "  - {hostname: e, patches: ['machine: {install: {image: ghcr.io/siderolabs/installer:v1.13.8}}'], " + zfs + "}\n"
    )

    assert {name: each.extensions for name, each in found.items()} == {
        "a": ("siderolabs/nonfree-kmod-nvidia-lts", "siderolabs/nvidia-container-toolkit-lts"),
        "b": None,
        "c": (),
        "d": None,
        "e": (),
    }


def test_a_patch_in_a_file_is_merged_with_its_lines_and_is_not_there_by_itself(tmp_path):
    write(
        tmp_path,
        talos__talconfig_yaml=HEAD + 'nodes:\n  - hostname: a\n    patches: ["@./patches/gpu.yaml", patches/more.yaml]\n',
        talos__patches__gpu_yaml="---\nmachine:\n  kernel:\n    modules: [{name: nvidia}]\n",
        talos__patches__more_yaml="- op: add\n  path: /machine/sysctls\n  value: {a: b}\n",
        talos__patches__other_yaml="machine: {kernel: {modules: [{name: zfs}]}}\n",
    )
    inputs = read([tmp_path])
    node, other = inputs.node_configs

    assert (node.name, node.kernel_modules, node.sysctls, node.complete) == ("a", ("nvidia",), {"a": "b"}, True)
    path = node.paths["kernel_modules"]
    assert (node.file_of(path), node.line_of(path)) == (str(tmp_path / "talos/patches/gpu.yaml"), 4)
    assert (other.scope, other.name, other.kernel_modules) == ("patch", "other.yaml", ("zfs",))
    assert inputs.skipped == ()


def test_a_patch_that_is_missing_or_is_no_yaml_leaves_its_nodes_incomplete(tmp_path):
    write(
        tmp_path,
        talconfig_yaml=HEAD
        + 'nodes:\n  - {hostname: a, controlPlane: true, patches: ["@no.yaml"]}\n  - {hostname: b, controlPlane: true, patches: ["@bad.yaml"]}\n'
        "  - {hostname: c, controlPlane: true, patches: ['@good.yaml']}\n  - {hostname: d, controlPlane: true, patches: ['@bad.yaml']}\n",
        bad_yaml="machine: [\n",
        good_yaml="machine: {env: {A: b}}\n",
    )
    inputs = read([tmp_path])

    assert {each.name: (each.complete, each.pod_security) for each in inputs.node_configs} == {
        "a": (False, None),
        "b": (False, None),
        "c": (True, "baseline"),
        "d": (False, None),
    }
    assert [(each.file, each.line) for each in inputs.skipped if "can't be read" in each.reason] == [(str(tmp_path / "talconfig.yaml"), 6)]


def test_a_file_that_is_no_yaml_is_enough(tmp_path):
    write(tmp_path, talconfig_yaml=HEAD + "nodes: [{hostname: a, patches: ['@bad.yaml']}]\n", bad_yaml="machine: [\n")
    inputs = read([tmp_path])

    assert [each.complete for each in inputs.node_configs] == [False]
    assert [(each.file, each.line) for each in inputs.skipped] == [(str(tmp_path / "bad.yaml"), 2)]


def test_a_patch_that_is_no_text_is_none_that_talhelper_takes():
    inputs = read_text(HEAD + "nodes: [{hostname: a, patches: [{machine: {env: {A: b}}}]}, {hostname: b}]\n", file="talconfig.yaml")

    assert [each.complete for each in inputs.node_configs] == [False, True]
    assert [(each.line, each.reason) for each in inputs.skipped] == [(5, "the patch is not a string")]


def test_a_template_in_an_inline_patch_is_unknown():
    config = nodes(
        "nodes:\n  - hostname: a\n    patches:\n      - |\n        machine:\n          nodeLabels:\n            rack: {{ .ClusterConfig.Rack }}\n            {{ if .A }}\n"
        "            role: gpu\n            {{ end }}\n"
    )["a"]

    assert {key: isinstance(value, Unknown) for key, value in config.labels.items()} == {"rack": True, "role": True}


def test_an_inline_patch_that_is_no_yaml_leaves_every_node_that_has_it_incomplete():
    inputs = read_text(HEAD + "nodes: [{hostname: a}, {hostname: b}]\npatches: ['machine: [']\n", file="talconfig.yaml")

    assert [each.complete for each in inputs.node_configs] == [False, False]
    assert len(inputs.skipped) == 1


@pytest.mark.parametrize("name", ["talenv.yaml", "talenv.yml"])
def test_versions_come_from_the_file_of_variables(tmp_path, name):
    (tmp_path / "talconfig.yaml").write_text(
        'clusterName: a\ntalosVersion: "${talosVersion}"\nkubernetesVersion: ${other}\nendpoint: b\nnodes: [{hostname: a}]\n'
    )
    (tmp_path / name).write_text("# renovate: x\ntalosVersion: v1.13.4\n")
    [node] = read([tmp_path]).node_configs

    assert node.talos_version == "v1.13.4"
    assert isinstance(node.kubernetes_version, Unknown)


def test_without_that_file_they_are_unknown():
    [node] = read_text("clusterName: a\ntalosVersion: ${talosVersion}\nendpoint: b\nnodes: [{hostname: a}]\n").node_configs

    assert isinstance(node.talos_version, Unknown)


def test_only_the_control_plane_says_what_pod_security_is():
    found = nodes(
        "nodes:\n"
        "  - {hostname: a, controlPlane: true}\n"
        "  - {hostname: b}\n"
        "  - {hostname: c, controlPlane: true, patches: ['cluster: {apiServer: {admissionControl: {\"$$patch\": delete}}}']}\n"
    )

    assert {name: each.pod_security for name, each in found.items()} == {"a": "baseline", "b": None, "c": "off"}


SHARED = "worker: {schematic: {customization: {systemExtensions: {officialExtensions: [siderolabs/zfs]}}}}\n"


@pytest.mark.parametrize(
    ("members", "is_shared"),
    [
        ("[{hostname: a}, {hostname: b}]", True),
        ("[{hostname: a}]", False),
        ("[{hostname: a}, {hostname: b, controlPlane: true}]", False),
        ("[{hostname: a}, {hostname: b, talosImageURL: c}]", False),
        ("[{hostname: a}, {hostname: b, schematic: {customization: {}}}]", False),
    ],
)
def test_a_group_is_there_where_more_than_one_node_has_its_image(members, is_shared):
    found = nodes(f"nodes: {members}\n{SHARED}")

    assert ("worker" in found) is is_shared
    if is_shared:
        group = found["worker"]
        assert (group.scope, group.control_plane, group.extensions, group.complete) == ("group", False, ("siderolabs/zfs",), False)


def test_what_is_no_node_is_passed_by():
    assert nodes("nodes: [text, {hostname: a}, null]\npatches: text\nworker: text\n").keys() == {"a"}


def test_a_node_of_which_nothing_is_known_is_a_node():
    text = "clusterName: a\nendpoint: https://a\nnodes:\n  - ${FIRST}\n  - {hostname: b, kernelModules: [{name: nvidia}]}\n"

    one, other = read_text(text, file="talconfig.yaml").node_configs
    assert (one.name, one.complete) == ("b", True)
    assert (other.scope, isinstance(other.name, Unknown), other.complete) == ("node", True, False)


def test_a_patch_file_with_an_api_version_is_whole_where_flux_deploys_the_repository(tmp_path):
    """The Pod Security configuration in a patch looks like an object that nothing deploys."""
    (tmp_path / "talos").mkdir()
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps/kustomization.yaml").write_text("resources: []\n")
    (tmp_path / "flux.yaml").write_text(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\n"
        "spec: {path: ./apps, sourceRef: {kind: GitRepository, name: flux-system}}\n"
    )
    (tmp_path / "talos/admission.yaml").write_text(
        "cluster:\n  apiServer:\n    admissionControl:\n      - name: PodSecurity\n        configuration:\n"
        "          apiVersion: pod-security.admission.config.k8s.io/v1alpha1\n          kind: PodSecurityConfiguration\n"
        "          defaults: {enforce: privileged}\n"
    )
    (tmp_path / "talos/talconfig.yaml").write_text(
        "clusterName: home\nendpoint: https://10.0.0.5:6443\nnodes: [{hostname: cp-1, ipAddress: 10.0.0.1, controlPlane: true}]\ncontrolPlane: {patches: ['@./admission.yaml']}\n"
    )
    from constructs_lib.observed.read.repository import read

    [config] = read([tmp_path]).node_configs
    assert (config.complete, config.pod_security) == (True, "privileged")


GPU_PATCH = "machine: {kernel: {modules: [{name: nvidia}]}}\n"
OTHER_PATCH = "machine: {sysctls: {a: b}}\n"


@pytest.mark.parametrize(
    ("talconfig", "is_left_out"),
    [
        ('nodes: [{hostname: a, ipAddress: 10.0.0.1}]\npatches: ["@./patches/other.yaml"]\n', True),
        ('nodes: [{hostname: a, ipAddress: 10.0.0.1, patches: ["@./patches/other.yaml"]}]\n', True),
        ("nodes: [{hostname: a, ipAddress: 10.0.0.1}]\nworker:\n  patches:\n    # - '@./patches/gpu.yaml'\n", True),
        ("nodes: [{hostname: a, ipAddress: 10.0.0.1}]\npatches:\n  - |-\n    machine:\n      sysctls: {a: '${B}'}\n", True),
        ('nodes: [{hostname: a, ipAddress: 10.0.0.1}]\npatches: ["@./patches/gpu.yaml"]\n', False),
        ('nodes: [{hostname: a, ipAddress: 10.0.0.1}]\npatches: ["@./patches/${ROLE}.yaml"]\n', False),
        ('nodes: [{hostname: a, ipAddress: 10.0.0.1}]\npatches: "${PATCHES}"\n', False),
        ("nodes: [{hostname: a, ipAddress: 10.0.0.1}]\n", False),
    ],
)
def test_a_patch_that_a_talconfig_with_other_patches_does_not_name_is_no_gpu_node(talconfig, is_left_out, tmp_path):
    write(tmp_path, talos__talconfig_yaml=HEAD + talconfig, talos__patches__gpu_yaml=GPU_PATCH, talos__patches__other_yaml=OTHER_PATCH)
    inputs = read([tmp_path])
    left_out = {each.label for each in inputs.node_configs if each.left_out_by == str(tmp_path / "talos/talconfig.yaml")}

    assert ("gpu.yaml" in left_out) is is_left_out
    assert bool(gpu_node_configs(inputs)) is not is_left_out


LOOP = "{% for file in files %}\n  - '@./patches/{{ file }}'\n{% endfor %}\n"


@pytest.mark.parametrize(
    ("patches", "labels"),
    [
        ("  - '@./patches/other.yaml'\n", []),
        ("  - '@./patches/gpu.yaml'\n", ["a"]),
        ("{% if gpu %}\n  - '@./patches/gpu.yaml'\n{% endif %}\n", ["gpu.yaml.j2"]),
        (LOOP, ["gpu.yaml.j2"]),
    ],
)
def test_a_template_of_a_talconfig_names_templates_of_patches(patches, labels, tmp_path):
    nodes = "nodes: [{hostname: a, ipAddress: 10.0.0.1}]\npatches:\n"
    (tmp_path / "patches").mkdir()
    for name, text in (("talconfig", HEAD + nodes + patches), ("patches/gpu", GPU_PATCH), ("patches/other", OTHER_PATCH)):
        (tmp_path / f"{name}.yaml.j2").write_text(text)

    assert [each.label for each in gpu_node_configs(read([tmp_path]))] == labels


def test_a_patch_or_a_schematic_beside_the_folder_of_a_talconfig_is_not_left_out(tmp_path):
    schematic = "customization: {systemExtensions: {officialExtensions: [siderolabs/nonfree-kmod-nvidia-lts]}}\n"
    talconfig = "nodes: [{hostname: a, ipAddress: 10.0.0.1}]\npatches: []\n"
    write(tmp_path, talos__talconfig_yaml=HEAD + talconfig, other__gpu_yaml=GPU_PATCH, talos__schematic_yaml=schematic)

    assert {each.label for each in gpu_node_configs(read([tmp_path]))} == {"gpu.yaml", "schematic.yaml"}
