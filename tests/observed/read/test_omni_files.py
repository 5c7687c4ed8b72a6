"""Omni's cluster templates and resources: what their machines get."""

import pytest

from constructs_lib.observed.read.repository import read, read_text


def configs(text):
    inputs = read_text(text, file="omni.yaml")
    assert inputs.skipped == ()
    return {each.name: each for each in inputs.node_configs}


CLUSTER = """\
kind: Cluster
name: home
kubernetes: {version: v1.35.5}
talos: {version: v1.13.9}
%spatches:
  - name: everywhere
    inline: {machine: {sysctls: {a: cluster, cluster: '1'}}}
---
"""
SETS = """\
kind: ControlPlane
machines: [cp-uuid]
---
kind: Workers
name: gpu
machines: [one, two]
systemExtensions: [siderolabs/nvidia-container-toolkit-lts]
patches:
  - name: set
    inline:
      - machine: {sysctls: {a: set, set: '1'}}
      - {apiVersion: v1alpha1, kind: KernelModuleConfig, name: nvidia}
---
kind: Machine
name: two
systemExtensions: [siderolabs/zfs]
patches:
  - idOverride: 400-own
    inline:
      machine:
        network: {hostname: worker-2}
        sysctls: {a: own}
"""


def test_a_machine_gets_what_is_for_its_cluster_then_for_its_set_then_for_itself():
    found = configs(CLUSTER % "" + SETS)

    assert {name: (each.scope, each.complete, each.control_plane) for name, each in found.items()} == {
        "cp-uuid": ("node", True, True),
        "one": ("node", True, False),
        "worker-2": ("node", True, False),
    }
    assert found["one"].sysctls == {"a": "set", "cluster": "1", "set": "1"}
    assert found["worker-2"].sysctls == {"a": "own", "cluster": "1", "set": "1"}
    assert (found["worker-2"].kernel_modules, found["cp-uuid"].kernel_modules) == (("nvidia",), None)
    assert {(each.talos_version, each.kubernetes_version) for each in found.values()} == {("v1.13.9", "v1.35.5")}


def test_the_list_of_extensions_that_is_nearest_is_the_only_one():
    found = configs(CLUSTER % "systemExtensions: [siderolabs/iscsi-tools]\n" + SETS)

    assert {name: each.extensions for name, each in found.items()} == {
        "cp-uuid": ("siderolabs/iscsi-tools",),
        "one": ("siderolabs/nvidia-container-toolkit-lts",),
        "worker-2": ("siderolabs/zfs",),
    }
    assert configs(CLUSTER % "" + SETS)["cp-uuid"].extensions is None


def test_the_lines_are_those_of_the_template():
    config = configs(CLUSTER % "" + SETS)["worker-2"]

    assert config.line_of(()) == 22
    assert config.line_of((*config.paths["extensions"], 0)) == 24
    assert config.line_of(("documents", 0, "machine", "sysctls", "a")) == 30


@pytest.mark.parametrize(
    ("members", "is_shared"),
    [
        ("machines: [a, b]", True),
        ("machines: [a]", False),
        ("machineClass: {name: gpu, size: 2}", True),
        ("machineClass: {name: gpu, size: 1}", False),
        ("machineClass: {name: gpu, size: unlimited}", True),
        ("machines: [a, b]\nsystemExtensions: []", False),
    ],
)
def test_a_cluster_is_there_where_more_than_one_machine_has_its_extensions(members, is_shared):
    found = configs(CLUSTER % "systemExtensions: [siderolabs/zfs]\n" + f"kind: Workers\nname: workers\n{members}\n")

    assert ("home" in found) is is_shared
    if is_shared:
        assert (found["home"].scope, found["home"].extensions, found["home"].complete) == ("group", ("siderolabs/zfs",), False)


def test_a_set_that_omni_fills_is_one_configuration():
    found = configs(
        CLUSTER % "" + "kind: Workers\nname: gpu\nmachineClass: {name: gpu, size: 4}\n---\nkind: ControlPlane\nmachineClass: {name: cp}\n"
    )

    assert {name: (each.scope, each.control_plane) for name, each in found.items()} == {
        "gpu": ("node", False),
        "control-planes": ("node", True),
    }


def test_a_set_without_machines_is_none():
    assert configs(CLUSTER % "" + "kind: Workers\nname: gpu\nmachines: []\n---\nkind: Workers\nname: b\nmachines: [b]\n").keys() == {"b"}


def test_a_second_cluster_of_a_file_has_nothing_of_the_first():
    text = (
        CLUSTER % ""
        + "kind: Workers\nmachines: [a]\n---\nkind: Cluster\nname: other\ntalos: {version: v1.12.0}\n---\nkind: Workers\nmachines: [b]\n"
    )
    found = configs(text)

    assert (found["b"].sysctls, found["b"].talos_version) == (None, "v1.12.0")


def test_a_patch_in_a_file_is_looked_for_beside_the_template_and_above_it(tmp_path):
    (tmp_path / "omni/patches").mkdir(parents=True)
    (tmp_path / "omni/template.yaml").write_text(
        CLUSTER % ""
        + "kind: Workers\nmachines: [a]\npatches: [{file: patches/gpu.yaml}, {file: omni/patches/more.yaml}, {file: no.yaml}]\n"
    )
    (tmp_path / "omni/patches/gpu.yaml").write_text("machine: {kernel: {modules: [{name: nvidia}]}}\n")
    (tmp_path / "omni/patches/more.yaml").write_text("machine: {env: {A: b}}\n")
    inputs = read([tmp_path])
    [config] = inputs.node_configs

    assert (config.kernel_modules, config.complete) == (("nvidia",), False)
    assert config.at("documents", 0, "machine", "env") == {"A": "b"}
    assert [(each.line, each.reason) for each in inputs.skipped] == [(11, "the patch file no.yaml can't be read")]


def test_the_control_plane_of_a_template_enforces_baseline_where_nothing_says_otherwise():
    assert configs(CLUSTER % "" + SETS)["cp-uuid"].pod_security == "baseline"
    off = CLUSTER % "" + SETS.replace(
        "machines: [cp-uuid]",
        "machines: [cp-uuid]\npatches: [{name: a, inline: {cluster: {apiServer: {admissionControl: {$patch: delete}}}}}]",
    )
    assert configs(off)["cp-uuid"].pod_security == "off"


RESOURCE = """\
metadata:
  namespace: default
  type: %s.omni.sidero.dev
  id: %s
  labels: {%s}
spec:
"""
HOME = "omni.sidero.dev/cluster: home"
SET = f"{HOME}, omni.sidero.dev/machine-set: home-gpu"
MACHINE = f"{HOME}, omni.sidero.dev/cluster-machine: uuid-1"


def data(number, labels, text):
    return RESOURCE % ("ConfigPatches", number, labels) + "  data: |\n" + "".join(f"    {line}\n" for line in text.splitlines()) + "---\n"


def extensions(number, labels, *names):
    return RESOURCE % ("ExtensionsConfigurations", number, labels) + f"  extensions: [{', '.join(names)}]\n---\n"


def test_what_is_for_a_cluster_is_merged_into_what_is_for_its_sets_and_machines():
    found = configs(
        data("400-a", SET, "machine: {sysctls: {a: set}}")
        + data("900-b", HOME, "machine: {sysctls: {a: cluster, cluster: '1'}}")
        + data("300-c", MACHINE, "machine:\n  network: {hostname: gpu-1}")
        + data("100-d", "omni.sidero.dev/cluster: other", "machine: {sysctls: {other: '1'}}")
    )

    assert {name: (each.scope, each.complete, each.sysctls) for name, each in found.items()} == {
        "other": ("group", False, {"other": "1"}),
        "home": ("group", False, {"a": "cluster", "cluster": "1"}),
        "home-gpu": ("node", False, {"a": "set", "cluster": "1"}),
        "gpu-1": ("node", False, {"a": "cluster", "cluster": "1"}),
    }


def test_resources_of_one_level_are_merged_in_the_order_of_their_ids():
    found = configs(data("500-late", HOME, "machine: {sysctls: {a: late}}") + data("400-early", HOME, "machine: {sysctls: {a: early}}"))

    assert found["home"].sysctls == {"a": "late"}


def test_the_list_of_extensions_of_a_machine_goes_before_that_of_its_cluster():
    found = configs(
        extensions("a", HOME, "siderolabs/iscsi-tools")
        + extensions("b", MACHINE, "siderolabs/zfs")
        + data("c", SET, "machine: {env: {A: b}}")
    )

    assert {name: each.extensions for name, each in found.items()} == {
        "home": ("siderolabs/iscsi-tools",),
        "uuid-1": ("siderolabs/zfs",),
        "home-gpu": ("siderolabs/iscsi-tools",),
    }


def test_a_value_in_the_text_of_a_resource_stands_in_its_line():
    config = configs(data("a", SET, "machine:\n  nodeLabels:\n    role: gpu"))["home-gpu"]

    assert config.line_of((*config.paths["labels"], "role")) == 10


def test_the_sets_role_is_in_its_name():
    found = configs(
        data("a", f"{HOME}, omni.sidero.dev/machine-set: home-control-planes", "machine: {env: {A: b}}")
        + data("b", SET, "machine: {env: {A: b}}")
    )

    assert {name: each.control_plane for name, each in found.items()} == {"home-control-planes": True, "home-gpu": False}


def test_resources_of_other_kinds_say_nothing_of_machines():
    text = "metadata: {type: MachineClasses.omni.sidero.dev, id: gpu}\nspec: {matchlabels: []}\n"

    assert read_text(text).node_configs == ()
