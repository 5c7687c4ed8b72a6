"""The merge into somebody's talconfig.yaml: what is said afterwards, and what is left as it was, byte for byte."""

import difflib
from pathlib import Path

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from conftest import drawn, message
from constructs_lib import GpuNodes, Taint
from constructs_lib.talos.config.machine_config import MachineConfigPatch
from constructs_lib.talos.image.existing_schematic import ExistingSchematic
from constructs_lib.talos.image.schematic import Schematic
from constructs_lib.talos.targets.talconfig import merge_into_talconfig
from constructs_lib.talos.targets.talhelper import talhelper_node

TALCONFIGS = Path(__file__).parent / "talconfigs"
EXTENSIONS = ["siderolabs/nvidia-container-toolkit-production", "siderolabs/nvidia-open-gpu-kernel-modules-production"]
MODULES = [{"name": "nvidia"}, {"name": "nvidia_uvm"}, {"name": "nvidia_drm"}, {"name": "nvidia_modeset"}]
LABELS = {"role": "gpu", "nvidia.com/device-plugin.config": "rtx"}
FILE = """machine:
  files:
    - path: /etc/cri/conf.d/20-customization.part
      op: create
      content: |
        [plugins."io.containerd.cri.v1.runtime".containerd]
          default_runtime_name = "nvidia"
"""


def gpu_nodes(talos="1.13", **given):
    return GpuNodes(**{"talos_version": talos, "name": "rtx", "labels": {"role": "gpu"}, **given})


def merge(talconfig, *hostnames, of=None, schematic=None, **patch):
    of = of or gpu_nodes()
    return merge_into_talconfig(
        talconfig,
        hostnames=list(hostnames or ["gpu-1"]),
        schematic=schematic or Schematic(nodes=of),
        patch=MachineConfigPatch(nodes=of, style="fields", **patch),
    )


def node_of(talconfig, hostname="gpu-1"):
    return next(node for node in yaml.safe_load(talconfig)["nodes"] if node["hostname"] == hostname)


def changes(before, after):
    """The lines that are gone, and those that are new."""
    lines = list(difflib.ndiff(before.splitlines(keepends=True), after.splitlines(keepends=True)))
    return [line[2:] for line in lines if line[0] == "-"], [line[2:] for line in lines if line[0] == "+"]


def read(name):
    return (TALCONFIGS / f"{name}.yaml").read_bytes().decode()


def with_gpu(node, group, *, patches):
    """What a node is to say, worked out from plain data alone."""
    own = {key: value for key, value in node.items() if value is not None}
    inherited = {**{key: group[key] for key in ("nodeLabels", "nodeTaints", "schematic") if key in group}, **own}
    labels = inherited.get("nodeLabels", {})
    customization = inherited.get("schematic", {}).get("customization", {})
    theirs = customization.get("systemExtensions", {}).get("officialExtensions", [])
    modules = inherited.get("kernelModules", [])
    names = {module["name"].replace("-", "_") for module in modules}
    return {
        **node,
        "nodeLabels": {**labels, **LABELS},
        "nodeTaints": {**inherited.get("nodeTaints", {}), "dedicated": "ai:NoSchedule"},
        "kernelModules": [*modules, *(module for module in MODULES if module["name"] not in names)],
        "schematic": {"customization": {**customization, "systemExtensions": {"officialExtensions": [*theirs, *EXTENSIONS]}}},
        "patches": [*(inherited.get("patches") or []), *patches],
    }


FILES = {
    "homelab": ("1.13", ["gpu-1", "gpu-2"]),
    "datacentre": ("1.12", ["dc-1-gpu-1", "dc-1-gpu-2", "dc-1-spare"]),
    "compact": ("1.13", ["edge-2", "edge-3"]),
}
# The lines of each file that can't stay: values that are written anew, and nodes on one line.
GONE = {
    "homelab": [],
    "datacentre": [
        "    nodeLabels: *dell-labels   # nothing of its own\n",
        "    nodeTaints: ~\n",
        "-   {hostname: dc-1-spare, ipAddress: 192.0.2.29, <<: *dell}\n",
    ],
    "compact": [
        '    nodeLabels: {site: "north", }, kernelModules: [{name: nvidia, parameters: [NVreg_EnableGpuFirmware=1]}], patches: [],\n',
        "   {hostname: edge-3, ipAddress: 198.51.100.13, controlPlane: false, installDisk: /dev/sda}\n",
    ],
}


@pytest.fixture(params=FILES)
def case(request):
    """The name of a file, its text, its hostnames, and the arguments to merge."""
    talos, hostnames = FILES[request.param]
    of = gpu_nodes(talos, taints=[Taint("dedicated", "ai")])
    arguments = {"schematic": Schematic(nodes=of), "patch": MachineConfigPatch(nodes=of, style="fields", default_runtime=True)}
    return request.param, read(request.param), hostnames, arguments


def test_a_file_says_what_it_said_and_the_gpu(case):
    _, before, hostnames, arguments = case
    expected = yaml.safe_load(before)
    patches = talhelper_node(**arguments)["patches"]
    expected["nodes"] = [
        with_gpu(node, expected.get("worker", {}), patches=patches) if node["hostname"] in hostnames else node for node in expected["nodes"]
    ]

    assert yaml.safe_load(merge_into_talconfig(before, hostnames=hostnames, **arguments)) == expected


def test_every_line_that_need_not_change_is_kept(case):
    name, before, hostnames, arguments = case
    gone, new = changes(before, merge_into_talconfig(before, hostnames=hostnames, **arguments))

    assert gone == GONE[name]
    assert new


def test_merging_twice_gives_the_same_text(case):
    _, before, hostnames, arguments = case
    once = merge_into_talconfig(before, hostnames=hostnames, **arguments)

    assert merge_into_talconfig(once, hostnames=hostnames, **arguments) == once
    assert merge_into_talconfig(once, hostnames=hostnames[:1], **arguments) == once


def test_nodes_may_be_merged_one_by_one_in_any_order(case):
    _, before, hostnames, arguments = case
    text = before
    for hostname in reversed(hostnames):
        text = merge_into_talconfig(text, hostnames=[hostname], **arguments)

    assert text == merge_into_talconfig(before, hostnames=[*hostnames, hostnames[0]], **arguments)


def test_line_ends_of_windows_are_kept(case):
    _, before, hostnames, arguments = case
    after = merge_into_talconfig(before, hostnames=hostnames, **arguments)

    assert merge_into_talconfig(before.replace("\n", "\r\n"), hostnames=hostnames, **arguments) == after.replace("\n", "\r\n")


def test_a_missing_line_break_at_the_end_stays_missing(case):
    _, before, hostnames, arguments = case
    after = merge_into_talconfig(before, hostnames=hostnames, **arguments)

    assert merge_into_talconfig(before.rstrip(), hostnames=hostnames, **arguments) == after.rstrip()


def test_what_is_new_is_indented_as_the_author_does():
    before = read("datacentre")
    after = merge(before, "dc-1-gpu-1", of=gpu_nodes("1.12"))
    new = "".join(changes(before, after)[1])

    assert new == (
        "    - |\n"
        "      machine:\n"
        "        sysctls:\n"
        '          net.core.bpf_jit_harden: "1"\n'
        "    schematic:\n"
        "        customization:\n"
        "            systemExtensions:\n"
        "                officialExtensions:\n"
        "                - siderolabs/nvidia-container-toolkit-production\n"
        "                - siderolabs/nvidia-open-gpu-kernel-modules-production\n"
        "    kernelModules:\n"
        "    - name: nvidia\n"
        "    - name: nvidia_uvm\n"
        "    - name: nvidia_drm\n"
        "    - name: nvidia_modeset\n"
        "    nodeLabels:\n"
        "        vendor: dell\n"
        "        serviced-by: 'team: metal'\n"
        "        role: gpu\n"
        "        nvidia.com/device-plugin.config: rtx\n"
    )


@settings(max_examples=drawn(50))
@given(data=st.data())
def test_a_comment_anywhere_is_kept(data):
    """Where a line is a comment and not a part of a text, it is there afterwards, and the result says the same."""
    lines = read("homelab").splitlines(keepends=True)
    at = data.draw(st.integers(0, len(lines)))
    comment = data.draw(st.sampled_from(["", "# a: b", "# - x: [", "  # é"])).rjust(data.draw(st.integers(0, 14))) + "\n"
    commented = "".join([*lines[:at], comment, *lines[at:]])
    try:
        same = yaml.safe_load(commented) == yaml.safe_load("".join(lines))
    except yaml.YAMLError:
        same = False
    assume(same)
    after = merge(commented, "gpu-1", "gpu-2")

    assert changes(commented, after)[0] == []
    assert yaml.safe_load(after) == yaml.safe_load(merge(read("homelab"), "gpu-1", "gpu-2"))


WORDS = st.text("abc-.: #'\"{}&*!|>%@é\t", max_size=8)
LABEL_MAPS = st.dictionaries(WORDS.filter(lambda key: key and key not in LABELS), WORDS, max_size=3)
NODES = st.fixed_dictionaries(
    {"hostname": st.just("gpu-1")},
    optional={
        "nodeLabels": LABEL_MAPS | st.none(),
        "nodeTaints": LABEL_MAPS,
        "kernelModules": st.just([]) | st.just([{"name": "zfs", "parameters": ["a=b"]}, {"name": "nvidia-uvm"}]),
        "schematic": st.just({"customization": {"systemExtensions": {"officialExtensions": ["siderolabs/zfs"]}}}),
        "patches": st.lists(st.text("a\n #:", min_size=1, max_size=9), max_size=2),
        "certSANs": st.lists(WORDS, max_size=2),
    },
)


@settings(max_examples=drawn(100))
@given(
    node=NODES,
    worker=st.just({}) | st.fixed_dictionaries({"nodeLabels": LABEL_MAPS}),
    indent=st.sampled_from([2, 3, 4]),
    flow=st.sampled_from([True, False, None]),
    width=st.sampled_from([20, 200]),
    first=st.booleans(),
)
def test_any_node_in_any_style_says_what_it_said_and_the_gpu(node, worker, indent, flow, width, first):
    of = gpu_nodes(taints=[Taint("dedicated", "ai")])
    arguments = {"schematic": Schematic(nodes=of), "patch": MachineConfigPatch(nodes=of, style="fields")}
    nodes = [node, {"hostname": "other"}] if first else [{"hostname": "other"}, node]
    written = {"nodes": nodes, "worker": worker}
    before = yaml.safe_dump(written, indent=indent, default_flow_style=flow, width=width, sort_keys=False, allow_unicode=True)
    after = merge_into_talconfig(before, hostnames=["gpu-1"], **arguments)
    # PyYAML folds some strings to others, so what was written is what it reads.
    said = yaml.safe_load(before)

    assert node_of(after) == with_gpu(node_of(before), said["worker"], patches=talhelper_node(**arguments)["patches"])
    assert {**yaml.safe_load(after), "nodes": said["nodes"]} == said
    assert node_of(after, "other") == {"hostname": "other"}
    assert merge_into_talconfig(after, hostnames=["gpu-1"], **arguments) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("nodeLabels:\n      rack: a\n", "nodeLabels:\n      rack: a\n      role: gpu\n"),
        (
            "nodeLabels: # ours\n      rack: a # one\n      # two\n",
            "nodeLabels: # ours\n      rack: a # one\n      # two\n      role: gpu\n",
        ),
        ("nodeLabels:\n      # none yet\n    # next\n", "nodeLabels:\n      # none yet\n      role: gpu\n    # next\n"),
        ("nodeLabels: # ours\n", "nodeLabels: # ours\n      role: gpu\n"),
        ("nodeLabels: null # ours\n", "nodeLabels: # ours\n      role: gpu\n"),
        ("nodeLabels: {}\n", "nodeLabels: {role: gpu}\n"),
        ("nodeLabels: {rack: a,}\n", "nodeLabels: {rack: a, role: gpu,}\n"),
        ("nodeLabels: { rack: a }\n", "nodeLabels: { rack: a, role: gpu }\n"),
        ("nodeLabels:\n        rack: a\n", "nodeLabels:\n        rack: a\n        role: gpu\n"),
        ("nodeLabels: &mine\n      rack: a\n", "nodeLabels: &mine\n      rack: a\n      role: gpu\n"),
        ('"nodeLabels":\n      "rack": a\n', '"nodeLabels":\n      "rack": a\n      role: gpu\n'),
        (
            "nodeLabels:\n      rack: |\n        a+\n\n    controlPlane: false",
            "nodeLabels:\n      rack: |\n        a+\n      role: gpu\n\n",
        ),
        (
            "nodeLabels:\n      rack: |+\n        a\n\n    controlPlane: false",
            "nodeLabels:\n      rack: |+\n        a\n\n      role: gpu\n",
        ),
        ("nodeLabels:\n      role:\n", "nodeLabels:\n      role: gpu\n"),
        ("nodeLabels:\n      role: gpu\n", "nodeLabels:\n      role: gpu\n"),
    ],
)
def test_a_label_goes_into_the_mapping_as_it_is_written(before, after):
    of = gpu_nodes(name=None)
    written = f"nodes:\n  - hostname: gpu-1\n    {before}\n  - hostname: other\n"
    merged = merge(written, of=of)

    assert merged.startswith(f"nodes:\n  - hostname: gpu-1\n    {after}")
    assert node_of(merged)["nodeLabels"]["role"] == "gpu"


def test_a_label_with_the_same_value_in_another_spelling_is_left_as_it_is():
    assert "      on: 'true'\n" in merge(
        "nodes:\n  - hostname: gpu-1\n    nodeLabels:\n      on: 'true'\n", of=gpu_nodes(labels={"on": "true"})
    )
    assert "      on: true\n" in merge(
        "nodes:\n  - hostname: gpu-1\n    nodeLabels:\n      on: true\n", of=gpu_nodes(labels={"on": "true"})
    )


@pytest.mark.parametrize("value", ["true", "1", "1e3", "no", "0x1f", "null", "2024-01-01", "012", "1_000"])
def test_a_label_that_yaml_would_take_for_something_else_is_quoted(value):
    merged = merge(
        "nodes: [{hostname: gpu-1}, {hostname: gpu-2, nodeLabels: {a: b}}]", "gpu-1", "gpu-2", of=gpu_nodes(labels={"role": value})
    )
    block = merge("nodes:\n  - hostname: gpu-1\n", of=gpu_nodes(labels={"role": value}))

    assert node_of(merged)["nodeLabels"]["role"] == node_of(merged, "gpu-2")["nodeLabels"]["role"] == value
    assert node_of(block)["nodeLabels"]["role"] == value
    assert f'role: "{value}"' in block


def test_a_module_is_known_by_its_name_with_either_dash():
    merged = merge("nodes:\n  - hostname: gpu-1\n    kernelModules: [{name: nvidia-drm}, {name: zfs}]\n")

    assert [module["name"] for module in node_of(merged)["kernelModules"]] == [
        "nvidia-drm",
        "zfs",
        "nvidia",
        "nvidia_uvm",
        "nvidia_modeset",
    ]


def test_a_module_keeps_its_parameters_and_gets_ours():
    written = "nodes:\n  - hostname: gpu-1\n    kernelModules:\n      - name: nvidia\n        parameters:\n          - NVreg_A=1\n      - name: nvidia_drm\n"
    merged = merge(written, kernel_module_parameters={"nvidia": ["NVreg_A=1", "NVreg_B=2"], "nvidia_drm": ["modeset=1"]})

    assert node_of(merged)["kernelModules"] == [
        {"name": "nvidia", "parameters": ["NVreg_A=1", "NVreg_B=2"]},
        {"name": "nvidia_drm", "parameters": ["modeset=1"]},
        {"name": "nvidia_uvm"},
        {"name": "nvidia_modeset"},
    ]
    assert merged.startswith(
        written.replace("NVreg_A=1\n", "NVreg_A=1\n          - NVreg_B=2\n") + "        parameters:\n          - modeset=1\n"
    )


def test_a_node_repeats_what_it_had_from_its_group_because_talhelper_takes_one_or_the_other():
    written = """nodes:
  - {hostname: gpu-1, controlPlane: false}
  - {hostname: gpu-2, controlPlane: true}
worker: {nodeLabels: {tier: worker}, kernelModules: [{name: zfs}], nodeTaints: {a: NoSchedule}}
controlPlane: {nodeLabels: {tier: control}}
"""
    merged = merge(written, "gpu-1", "gpu-2")

    assert node_of(merged)["nodeLabels"] == {"tier": "worker", **LABELS}
    assert node_of(merged)["kernelModules"] == [{"name": "zfs"}, *MODULES]
    assert "nodeTaints" not in node_of(merged)
    assert node_of(merged, "gpu-2")["nodeLabels"] == {"tier": "control", **LABELS}


def test_what_a_node_repeats_is_written_as_its_own_style_needs_it():
    group = "worker:\n  nodeLabels:\n    a: b, c\n    d: 0x1f\n    e: 'true'\n"
    flow = merge("nodes: [{hostname: gpu-1}]\n" + group)
    block = merge("nodes:\n  - hostname: gpu-1\n" + group)

    assert '{a: "b, c", d: 0x1f, e: "true", role: gpu,' in flow
    assert '      a: b, c\n      d: 0x1f\n      e: "true"\n      role: gpu\n' in block


def test_of_several_merge_keys_the_first_wins_as_in_yaml():
    written = "x: &x {nodeLabels: {a: x}}\ny: &y {nodeLabels: {a: y}, nodeTaints: {b: NoSchedule}}\nnodes:\n  - <<: [*x, *y]\n    hostname: gpu-1\n"
    merged = merge(written, of=gpu_nodes(taints=[Taint("c")]))

    assert node_of(merged)["nodeLabels"] == {"a": "x", **LABELS}
    assert node_of(merged)["nodeTaints"] == {"b": "NoSchedule", "c": "NoSchedule"}


@pytest.mark.parametrize("true", ["true", "True", "yes", "on", "y"])
def test_a_node_of_the_control_plane_has_its_group_however_it_says_so(true):
    merged = merge(f"nodes: [{{hostname: gpu-1, controlPlane: {true}}}]\ncontrolPlane: {{nodeLabels: {{a: b}}}}\n")

    assert node_of(merged)["nodeLabels"] == {"a": "b", **LABELS}


def test_an_empty_mapping_of_the_node_hides_that_of_the_group_as_in_talhelper():
    merged = merge("nodes: [{hostname: gpu-1, nodeLabels: {}}]\nworker: {nodeLabels: {tier: worker}}\n")

    assert node_of(merged)["nodeLabels"] == LABELS


def test_what_the_group_has_is_not_repeated_in_the_node():
    written = "nodes:\n  - hostname: gpu-1\n"
    group = "worker:\n" + merge(written).partition("gpu-1\n")[2]

    assert merge(written + group) == written + group


@pytest.mark.parametrize(
    ("overridden", "patches"),
    [("", [FILE]), ("    overridePatches: false\n", [FILE]), ("    overridePatches: true\n", ["group: 1", FILE])],
)
def test_patches_of_the_group_are_repeated_only_where_the_node_overrides_them(overridden, patches):
    merged = merge(f"nodes:\n  - hostname: gpu-1\n{overridden}worker:\n  patches: ['group: 1']\n", default_runtime=True)

    assert node_of(merged)["patches"] == patches


@pytest.mark.parametrize(
    "elsewhere",
    [
        "patches:\n  - |\n    machine: {TAINTS}\n",
        "worker:\n  patches:\n    - '{\"machine\": {TAINTS}}'\n",
    ],
)
def test_a_patch_that_says_the_same_is_not_added_again(elsewhere):
    of = gpu_nodes(taints=[Taint("a")])
    same = '{"kubelet": {"extraConfig": {"registerWithTaints": [{"key": "a", "effect": "NoSchedule"}]}}}'
    merged = merge("nodes:\n  - hostname: gpu-1\n" + elsewhere.replace("{TAINTS}", same), of=of)

    assert "patches" not in node_of(merged)
    assert node_of(merged)["nodeTaints"] == {"a": "NoSchedule"}


def test_a_schematic_of_the_node_keeps_its_own_and_gets_ours():
    written = """nodes:
  - hostname: gpu-1
    schematic:
      overlay: {name: rpi_generic, image: siderolabs/sbc-raspberrypi}
      customization:
        secureboot: {includeWellKnownCertificates: true}
        extraKernelArgs: [a=1]
        meta: [{key: 10, value: x}]
"""
    of = gpu_nodes()
    schematic = Schematic(nodes=of, extra_kernel_args=["a=1", "b=2"], meta={10: "x", 12: "z1"})

    assert node_of(merge(written, of=of, schematic=schematic))["schematic"] == {
        "overlay": {"name": "rpi_generic", "image": "siderolabs/sbc-raspberrypi"},
        "customization": {
            "secureboot": {"includeWellKnownCertificates": True},
            "extraKernelArgs": ["a=1", "b=2"],
            "meta": [{"key": 10, "value": "x"}, {"key": 12, "value": "z1"}],
            "systemExtensions": {"officialExtensions": EXTENSIONS},
        },
    }


@pytest.mark.parametrize(
    "url", ["factory.talos.dev/installer", "factory.talos.dev/nocloud-installer-secureboot", "mirror.example.com/installer"]
)
@pytest.mark.parametrize(
    "where", ["nodes: [{hostname: gpu-1, talosImageURL: IMAGE}]", "nodes: [{hostname: gpu-1}]\nworker: {talosImageURL: IMAGE}"]
)
def test_an_image_of_the_same_schematic_stays_and_no_schematic_is_added(url, where):
    schematic = Schematic(nodes=gpu_nodes())
    merged = merge(where.replace("IMAGE", f"{url}/{schematic.id}") + "\n", schematic=schematic)

    assert "schematic" not in node_of(merged)
    assert f"{url}/{schematic.id}" in merged
    assert node_of(merged)["kernelModules"] == MODULES


def test_an_empty_image_of_the_node_is_none_so_that_of_the_group_counts():
    schematic = Schematic(nodes=gpu_nodes())
    written = f"nodes: [{{hostname: gpu-1, talosImageURL: ''}}]\nworker: {{talosImageURL: factory.talos.dev/installer/{schematic.id}}}\n"

    assert "schematic" not in node_of(merge(written, schematic=schematic))


def test_an_image_of_an_existing_schematic_stays_whatever_platform_it_is_for():
    written = f"nodes: [{{hostname: gpu-1, talosImageURL: mirror.example.com/nocloud-installer/{'a' * 64}}}]"

    assert (
        node_of(merge(written, schematic=ExistingSchematic("a" * 64)))["talosImageURL"]
        == f"mirror.example.com/nocloud-installer/{'a' * 64}"
    )


@pytest.mark.parametrize(
    ("spec", "image"),
    [
        ("", "metal-installer"),
        (", machineSpec: {mode: nocloud, secureboot: true}", "nocloud-installer-secureboot"),
        (", machineSpec: {arch: arm64}", "metal-installer"),
    ],
)
def test_an_existing_schematic_is_an_image_for_the_machine_that_the_file_describes(spec, image):
    merged = merge(f"nodes: [{{hostname: gpu-1{spec}}}]", schematic=ExistingSchematic("a" * 64))

    assert node_of(merged)["talosImageURL"] == f"factory.talos.dev/{image}/{'a' * 64}"


def test_a_node_that_others_are_anchored_to_may_change_where_they_change_too():
    written = "nodes:\n  - &gpu\n    hostname: gpu-1\n    nodeLabels: &labels\n      rack: a\n  - <<: *gpu\n    hostname: gpu-2\n"
    merged = merge(written, "gpu-1", "gpu-2")

    assert node_of(merged)["nodeLabels"] == node_of(merged, "gpu-2")["nodeLabels"] == {"rack": "a", **LABELS}


def test_an_alias_in_a_list_of_modules_is_written_out_where_it_changes():
    written = "x: &nvidia {name: nvidia}\nnodes:\n- hostname: gpu-1\n  kernelModules:\n  - *nvidia\n"
    merged = merge(written, kernel_module_parameters={"nvidia": ["NVreg_A=1"]})

    assert '  - {name: nvidia, parameters: ["NVreg_A=1"]}\n  - name: nvidia_uvm\n' in merged
    assert yaml.safe_load(merged)["x"] == {"name": "nvidia"}


@pytest.mark.parametrize("version", ["v1.13.9", "1.13.9", "1.13", "${TALOS}", "latest"])
def test_a_version_that_is_the_same_or_not_known_yet_is_taken(version):
    assert "role: gpu" in merge(f"talosVersion: {version}\nnodes: [{{hostname: gpu-1}}]\n")


NODE = "nodes:\n  - hostname: gpu-1\n    ipAddress: ${IP}\n"
LINE = "; the node begins in line 2"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (
            "    nodeTaints:\n      dedicated: db:NoSchedule\n",
            "'nodes[gpu-1].nodeTaints.dedicated' must be 'ai:NoSchedule', the value for these nodes (got 'db:NoSchedule'); change the talconfig.yaml or the GpuNodes",
        ),
        (
            "    nodeLabels: {role: storage}\n",
            "'nodes[gpu-1].nodeLabels.role' must be 'gpu', the value for these nodes (got 'storage'); change the talconfig.yaml or the GpuNodes",
        ),
        ("    nodeLabels: ${LABELS}\n", "'nodes[gpu-1].nodeLabels' must be a mapping, written out (got '${LABELS}')"),
        ("    kernelModules: ${MODULES}\n", "'nodes[gpu-1].kernelModules' must be a list, written out (got '${MODULES}')"),
        ("    kernelModules: [nvidia]\n", "'nodes[gpu-1].kernelModules' must be a list of modules, each with its 'name' (got 'nvidia')"),
        (
            "    kernelModules: [{parameters: [a=b]}]\n",
            "'nodes[gpu-1].kernelModules' must be a list of modules, each with its 'name' (got {'parameters': ['a=b']})",
        ),
        ("    patches: ${PATCHES}\n", "'nodes[gpu-1].patches' must be a list, written out (got '${PATCHES}')"),
        (
            "    schematic: {customization: {systemExtensions: {officialExtensions: [siderolabs/nonfree-kmod-nvidia-production]}}}\n",
            (
                "'nodes[gpu-1].schematic.customization.systemExtensions.officialExtensions' must be without another driver than "
                f"{EXTENSIONS[0]} and {EXTENSIONS[1]} (got 'siderolabs/nonfree-kmod-nvidia-production'); change the talconfig.yaml or the GpuNodes"
            ),
        ),
        (
            "    talosImageURL: factory.talos.dev/installer/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba\n",
            (
                "'nodes[gpu-1].talosImageURL' must be of schematic 6698d6f136c5bb37ca8bb8482c9084305084da0a5ead1f4dcae760796f8ab3a2 "
                "(got 'factory.talos.dev/installer/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba'); "
                "talhelper installs this image and ignores 'schematic'"
            ),
        ),
        (
            "    kernelModules:\n      - {name: nvidia, parameters: [NVreg_A=2, NVreg_B=1]}\n",
            (
                "'nodes[gpu-1].kernelModules[nvidia].parameters' must be with 'NVreg_A=1', the value for these nodes (got 'NVreg_A=2'); "
                "change the talconfig.yaml or the GpuNodes"
            ),
        ),
    ],
)
def test_what_contradicts_the_nodes_is_refused(written, expected):
    of = gpu_nodes(taints=[Taint("dedicated", "ai")])

    assert (
        message(lambda: merge(NODE + written, of=of, default_runtime=True, kernel_module_parameters={"nvidia": ["NVreg_A=1"]}))
        == expected + LINE
    )


@pytest.mark.parametrize(
    "extension",
    [
        "siderolabs/nvidia-container-toolkit-lts",
        "siderolabs/nvidia-fabricmanager-lts",
        "siderolabs/nvidia-open-gpu-kernel-modules-lts",
        "siderolabs/nvidia-container-toolkit",
        "siderolabs/nonfree-kmod-nvidia",
    ],
)
def test_another_driver_is_refused_in_the_group_too(extension):
    group = f"worker: {{schematic: {{customization: {{systemExtensions: {{officialExtensions: [{extension}]}}}}}}}}\n"

    assert f"(got '{extension}'); change the talconfig.yaml or the GpuNodes" in message(lambda: merge(NODE + group))


@pytest.mark.parametrize("extension", ["siderolabs/nvidia-fabricmanager-production", "siderolabs/nvidia-gdrdrv-device", "siderolabs/zfs"])
def test_a_further_extension_of_the_same_driver_is_kept(extension):
    written = f"    schematic: {{customization: {{systemExtensions: {{officialExtensions: [{extension}]}}}}}}\n"

    assert node_of(merge(NODE + written))["schematic"]["customization"]["systemExtensions"]["officialExtensions"] == [
        extension,
        *EXTENSIONS,
    ]


@pytest.mark.parametrize(
    ("written", "other"),
    [
        (
            "    patches: ['machine: {files: [{path: /etc/cri/conf.d/20-customization.part}]}']\n",
            "machine: {files: [{path: /etc/cri/conf.d/20-customization.part}]}",
        ),
        ("    machineFiles: [{path: /etc/cri/conf.d/20-customization.part}]\n", "/etc/cri/conf.d/20-customization.part"),
        ("worker: {machineFiles: [{path: /etc/cri/conf.d/20-customization.part}]}\n", "/etc/cri/conf.d/20-customization.part"),
        ("patches: [a /etc/cri/conf.d/20-customization.part]\n", "a /etc/cri/conf.d/20-customization.part"),
    ],
)
def test_a_second_file_for_containerd_is_refused_because_the_node_would_not_boot(written, other):
    assert message(lambda: merge(NODE + written, default_runtime=True)) == (
        f"'nodes[gpu-1].patches' must be without a second /etc/cri/conf.d/20-customization.part (got {other!r}); merge both into one patch{LINE}"
    )


def test_a_second_list_of_taints_to_register_with_is_refused_because_talos_would_append():
    other = "machine: {kubelet: {extraConfig: {registerWithTaints: []}}}"

    assert message(lambda: merge(NODE + f"    patches: ['{other}']\n", of=gpu_nodes(taints=[Taint("a")]))) == (
        f"'nodes[gpu-1].patches' must be without a second registerWithTaints (got {other!r}); merge both into one patch{LINE}"
    )


def test_an_image_for_a_machine_that_a_variable_describes_is_refused():
    assert message(lambda: merge(NODE + "    machineSpec: ${SPEC}\n", schematic=ExistingSchematic("a" * 64))) == (
        f"'nodes[gpu-1].machineSpec' must be a mapping, written out (got '${{SPEC}}'){LINE}"
    )


def test_a_schematic_beside_an_existing_one_is_refused():
    assert message(lambda: merge(NODE + "worker: {schematic: {customization: {}}}\n", schematic=ExistingSchematic("a" * 64))) == (
        f"'nodes[gpu-1].schematic' must be left out beside schematic {'a' * 64} (got {{'customization': {{}}}}); "
        f"only the ID of an existing schematic is known, so its extensions can't be merged: use a Schematic{LINE}"
    )


@pytest.mark.parametrize(
    ("talconfig", "got", "then"),
    [
        ("a: [1\nb: 2", "b: 2", "line 2: column 2: did not find expected ',' or ']'"),
        ("a: [1\n", "a: [1", "line 2: column 1: did not find expected ',' or ']'"),
        ("a: b: c", "a: b: c", "line 1: column 5: mapping values are not allowed in this context"),
        ("a: *b", "a: *b", "line 1: column 4: an alias has no anchor before it"),
        ("nodes: []\n---\nnodes: []", "---", "line 2: column 1: but found another document"),
        ("# nothing", "# nothing", "line 1: the file has no 'nodes'"),
        ("- a", "- a", "line 1: the file has no 'nodes'"),
        ("talconfig.yaml", "talconfig.yaml", "line 1: the file has no 'nodes'; give the text of the file, not its path"),
        ("apiVersion: v1\nkind: ConfigMap", "apiVersion: v1", "line 1: the file has no 'nodes'"),
        ("a: 1\nnodes: ${NODES}", "nodes: ${NODES}", "line 2: 'nodes' must be written out"),
        ("nodes: [{hostname: gpu-1}]\nworker: ${WORKER}", "worker: ${WORKER}", "line 2: 'worker' must be written out"),
        ("nodes: [{hostname: gpu-1}]\n\ncontrolPlane:\n  - a", "controlPlane:", "line 3: 'controlPlane' must be written out"),
        ("nodes: [{hostname: gpu-1}]\nimageFactory: ${F}", "imageFactory: ${F}", "line 2: 'imageFactory' must be written out"),
        ("x: &x {nodes: [{hostname: gpu-1}]}\n<<: *x", "x: &x {nodes: [{hostname: gpu-1}]}", "line 1: the file has no 'nodes'"),
        ("nodes:\n  - ipAddress: 1.2.3.4", "- ipAddress: 1.2.3.4", "line 2: every node must be written out, with its hostname"),
        ("nodes:\n  - ${NODE}", "- ${NODE}", "line 2: every node must be written out, with its hostname"),
        ("x: &a {hostname: gpu-1}\nnodes:\n  - *a", "- *a", "line 3: every node must be written out, with its hostname"),
        ("nodes:\n  - hostname: gpu-1\n    a: 1\n    a: 2", "- hostname: gpu-1", "line 2: the node has a duplicate key"),
        ("a: &a [*a]\nnodes: [{hostname: gpu-1}]", "a: &a [*a]", "line 1: column 8: an alias has no anchor before it"),
        (
            "nodes: [{? [a] : b, hostname: gpu-1}]",
            "nodes: [{? [a] : b, hostname: gpu-1}]",
            "line 1: column 12: a key is a list or a mapping",
        ),
    ],
)
def test_a_file_that_can_not_be_changed_is_refused_with_its_line(talconfig, got, then):
    assert message(lambda: merge(talconfig)) == f"'talconfig' must be a talconfig.yaml (got {got!r}); {then}"


def test_a_change_that_would_reach_another_node_is_refused():
    written = "nodes:\n  - &gpu\n    hostname: gpu-1\n  - <<: *gpu\n    hostname: gpu-2\n"

    assert message(lambda: merge(written)) == (
        "'talconfig' must be a file in which each node can be changed by itself (got ['gpu-2']); "
        "the merge would change other nodes, by a shared anchor, or because the file does not end with a line break"
    )


def test_an_anchor_that_would_be_lost_is_refused():
    written = "nodes:\n  - hostname: gpu-1\n    nodeLabels: &none\n  - hostname: gpu-2\n    nodeLabels: *none\n"

    assert message(lambda: merge(written)).startswith("'talconfig' must be a file in which each node can be changed by itself (got []); ")


def test_a_text_that_would_change_for_want_of_a_line_break_is_refused():
    written = "nodes:\n  - hostname: gpu-1\n    patches:\n      - |\n        a: 1"

    assert "because the file does not end with a line break" in message(lambda: merge(written))
    assert node_of(merge(written + "\n"))["patches"] == ["a: 1\n"]


@pytest.mark.parametrize(
    ("talos", "written", "expected"),
    [
        (
            "1.12",
            "v1.13.9",
            (
                "'talconfig' must be of Talos 1.12, the Talos of the nodes (got 'talosVersion: v1.13.9'); "
                "the driver and the configuration of the nodes depend on Talos: give talos_version='v1.13.9' to GpuNodes"
            ),
        ),
        (
            "1.13",
            "1.1",
            (
                "'talconfig' must be of Talos 1.13, the Talos of the nodes (got 'talosVersion: 1.1'); "
                "the driver and the configuration of the nodes depend on Talos: give talos_version='1.1' to GpuNodes"
            ),
        ),
    ],
)
def test_a_file_of_another_talos_is_refused(talos, written, expected):
    assert message(lambda: merge(f"talosVersion: {written}\nnodes: [{{hostname: gpu-1}}]", of=gpu_nodes(talos))) == expected


def test_a_file_of_another_image_factory_is_refused():
    written = "imageFactory: {registryURL: factory.example.com}\nnodes: [{hostname: gpu-1}]"

    assert message(lambda: merge(written)) == (
        "'talconfig' must be for the Image Factory of the 'schematic', 'factory.talos.dev' (got 'registryURL: factory.example.com'); "
        "the file has another 'registryURL'"
    )
    assert node_of(merge(written, schematic=Schematic(nodes=gpu_nodes(), factory="factory.example.com")))["kernelModules"] == MODULES
    assert node_of(merge(written.replace("factory.example.com", "'${FACTORY}'")))["kernelModules"] == MODULES


@pytest.mark.parametrize(
    ("hostnames", "error", "expected"),
    [
        (["gpu1"], ValueError, "a list of hostnames of the talconfig's nodes (got 'gpu1'); did you mean 'gpu-1'?"),
        (["x"], ValueError, "a list of hostnames of the talconfig's nodes (got 'x'); the file has ['cp-1', 'gpu-1', 'gpu-2', 'nas']"),
        ([], ValueError, "a list of hostnames of the talconfig's nodes (got [])"),
        ("gpu-1", TypeError, "a list of strings (got 'gpu-1'); did you mean ['gpu-1']?"),
        ([1], TypeError, "a list of strings (got [1]); item 0 is not a string"),
    ],
)
def test_an_unknown_hostname_is_refused(hostnames, error, expected):
    arguments = {"schematic": Schematic(nodes=gpu_nodes()), "patch": MachineConfigPatch(nodes=gpu_nodes())}

    assert (
        message(lambda: merge_into_talconfig(read("homelab"), hostnames=hostnames, **arguments), error) == f"'hostnames' must be {expected}"
    )


def test_a_hostname_that_two_nodes_have_is_refused():
    assert message(lambda: merge("nodes: [{hostname: gpu-1}, {hostname: gpu-1}]")) == (
        "'hostnames' must be a list of hostnames of the talconfig's nodes (got 'gpu-1'); two nodes have this hostname"
    )


@pytest.mark.parametrize(
    ("talconfig", "error", "expected"),
    [
        (None, TypeError, "'talconfig' must be a string that is not empty (got None)"),
        (" \n", ValueError, "'talconfig' must be a string that is not empty (got ' \\n')"),
        (
            "\x00",
            ValueError,
            "'talconfig' must be a talconfig.yaml (got '\\x00'); line 1: column 1: unacceptable character #x0000: control characters are not allowed",
        ),
    ],
)
def test_what_is_no_text_is_refused(talconfig, error, expected):
    assert message(lambda: merge(talconfig), error) == expected


def test_the_architecture_of_the_card_joins_the_machine_that_the_file_describes():
    nodes = gpu_nodes(product="GH200")
    written = "nodes:\n  - hostname: gpu-1\n    machineSpec: {mode: nocloud}\n  - hostname: gpu-2\n    machineSpec: {arch: amd64}\n"

    def merged(name):
        return merge_into_talconfig(written, hostnames=[name], schematic=Schematic(nodes=nodes), patch=MachineConfigPatch(nodes=nodes))

    assert node_of(merged("gpu-1"))["machineSpec"] == {"mode": "nocloud", "arch": "arm64"}
    assert "'nodes[gpu-2].machineSpec.arch' must be 'arm64'" in message(lambda: merged("gpu-2"))
