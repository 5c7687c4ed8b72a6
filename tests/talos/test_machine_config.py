import copy
import json
import pickle
import re
import subprocess
import sys
import tomllib

import attrs
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import ROOT, drawn, message
from constructs_lib import GpuNodes, Taint, TalosGpuWarning
from constructs_lib.talos.config.machine_config import ConfigStyle, MachineConfigPatch
from constructs_lib.upstream.kubernetes.api import node_may_set
from constructs_lib.upstream.kubernetes.controlled_taints import is_controlled
from constructs_lib.upstream.talos.releases import TALOS
from constructs_lib.yaml.load import documents as read_as_kubernetes
from counting import calls

MODULES = ["nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset"]
CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
RUNTIME = 'plugins."io.containerd.cri.v1.runtime"'
CUSTOMIZATION = "/etc/cri/conf.d/20-customization.part"
RELEASED = [talos for talos in TALOS if talos != "1.15"]


def patch(talos="1.12", style=None, **given):
    """A patch; what GpuNodes takes goes to it."""
    nodes = {
        name: given.pop(name) for name in ("taints", "labels", "extra_labels", "name", "kernel_modules", "mig_devices") if name in given
    }
    return MachineConfigPatch(nodes=GpuNodes(talos_version=talos, **nodes), style=style, **given)


def machine(talos="1.12", **given):
    """The `machine:` of a patch in the style of fields."""
    (document,) = patch(talos, "fields", **given).documents
    assert list(document) == ["machine"]
    return document["machine"]


def document(kind, talos="1.14", **given):
    """The only document of a kind, or nothing."""
    found = [each for each in patch(talos, **given).documents if each["kind"] == kind]
    assert len(found) <= 1
    return found[0] if found else None


def content_of(made):
    return made.documents[0]["machine"]["files"][0]["content"]


def test_fields_load_the_four_modules_and_say_nothing_else_that_is_not_asked_for():
    assert patch("1.13").documents == [{"machine": {"kernel": {"modules": [{"name": name} for name in MODULES]}}}]


def test_documents_load_the_four_modules_and_say_nothing_else_that_is_not_asked_for():
    assert patch("1.14").documents == [{"apiVersion": "v1alpha1", "kind": "KernelModuleConfig", "name": name} for name in MODULES]


@pytest.mark.parametrize("talos", RELEASED)
def test_documents_are_the_style_from_talos_1_14_on(talos):
    made = patch(talos)

    assert made.style is (ConfigStyle.DOCUMENTS if talos == "1.14" else ConfigStyle.FIELDS)
    assert ("kind" in made.documents[0]) is (talos == "1.14")


def test_the_preview_is_configured_as_1_14_is():
    with pytest.warns(TalosGpuWarning):
        made = patch("1.15", name="rtx")

    assert made.documents == patch("1.14", name="rtx").documents


def test_a_cluster_that_was_upgraded_to_1_14_keeps_its_fields():
    made = patch("1.14", ConfigStyle.FIELDS, name="rtx", default_runtime=True, sysctls={"vm.max_map_count": "262144"})

    assert list(made.documents[0]["machine"]) == ["kernel", "sysctls", "nodeLabels", "files"]


def test_the_two_styles_say_the_same():
    given = {
        "taints": [Taint("dedicated", "ai")],
        "name": "rtx",
        "sysctls": {"vm.max_map_count": "262144"},
        "kernel_module_parameters": {"nvidia_drm": ["modeset=1"]},
        "default_runtime": True,
    }
    fields = machine("1.14", **given)
    modules = [
        {key: value for key, value in each.items() if key not in {"apiVersion", "kind"}}
        for each in patch("1.14", **given).documents
        if each["kind"] == "KernelModuleConfig"
    ]

    assert modules == fields["kernel"]["modules"]
    assert document("SysctlConfig", **given)["params"] == fields["sysctls"]
    assert document("KubeNodeConfig", **given)["labels"] == fields["nodeLabels"]
    assert document("KubeNodeConfig", **given)["taints"] == fields["nodeTaints"]
    assert document("CRICustomizationConfig", **given)["content"] == fields["files"][0]["content"]


class TestKernel:
    @pytest.mark.parametrize("talos", RELEASED)
    def test_jit_hardening_is_lowered_up_to_talos_1_12_only(self, talos):
        legacy = patch(talos).nodes.generation == "legacy"

        assert ("sysctls" in machine(talos)) is legacy
        assert legacy is (int(talos.partition(".")[2]) <= 12)
        if legacy:
            assert machine(talos)["sysctls"] == {"net.core.bpf_jit_harden": "1"}

    @pytest.mark.parametrize(
        ("talos", "comment"),
        [
            (
                "1.11",
                "Talos sets bpf_jit_harden to 2. Then GPU containers fail with 'last insn is not an exit or jmp' (NVIDIA/libnvidia-container#176).",
            ),
            ("1.12", "The documentation of Talos 1.12 sets bpf_jit_harden to 1. No cluster that was seen needs it."),
        ],
    )
    def test_the_comment_says_whether_this_talos_needs_the_setting(self, talos, comment):
        assert f"  # {comment}\n  sysctls:\n" in patch(talos).text

    def test_further_settings_stand_beside_it(self):
        assert machine("1.12", sysctls={"vm.max_map_count": "262144"})["sysctls"] == {
            "net.core.bpf_jit_harden": "1",
            "vm.max_map_count": "262144",
        }
        assert document("SysctlConfig", sysctls={"vm.max_map_count": "262144"}) == {
            "apiVersion": "v1alpha1",
            "kind": "SysctlConfig",
            "params": {"vm.max_map_count": "262144"},
        }

    def test_a_lower_hardening_is_the_users_own_choice(self):
        assert machine("1.12", sysctls={"net.core.bpf_jit_harden": "0"})["sysctls"] == {"net.core.bpf_jit_harden": "0"}
        assert machine("1.13", sysctls={"net.core.bpf_jit_harden": "2"})["sysctls"] == {"net.core.bpf_jit_harden": "2"}

    @pytest.mark.parametrize("talos", ["1.8", "1.12"])
    def test_a_hardening_with_which_no_gpu_container_starts_is_refused(self, talos):
        assert message(lambda: patch(talos, sysctls={"net.core.bpf_jit_harden": "2"})) == (
            f"'sysctls[net.core.bpf_jit_harden]' must be '0' or '1' on Talos {talos} (got '2'); with a higher value nvidia-container-cli can't read "
            "the eBPF program that it extends (NVIDIA/libnvidia-container#176)"
        )

    @pytest.mark.parametrize(
        ("given", "error", "expected"),
        [
            ({"a": 1}, TypeError, "'sysctls[a]' must be a string that is not empty (got 1); did you mean '1'?"),
            ({"a": True}, TypeError, "'sysctls[a]' must be a string that is not empty (got True); did you mean '1'?"),
            ({"a": 0.5}, TypeError, "'sysctls[a]' must be a string that is not empty (got 0.5)"),
            ({"a": ""}, ValueError, "'sysctls[a]' must be a string that is not empty (got '')"),
            ({"a": "1\n"}, ValueError, "'sysctls[a]' must be one line of ASCII (got '1\\n')"),
            ({"a=1": "1"}, ValueError, "'sysctls' must be keyed by kernel settings such as 'vm.max_map_count' (got 'a=1')"),
            ({1: "1"}, TypeError, "'sysctls' must be a mapping of kernel settings to strings (got {1: '1'}); the key 1 is not a string"),
            (["a"], TypeError, "'sysctls' must be a mapping of kernel settings to strings (got ['a'])"),
        ],
    )
    def test_a_setting_that_is_no_string_is_refused(self, given, error, expected):
        assert message(lambda: patch(sysctls=given), error) == expected

    def test_parameters_go_to_their_module(self):
        given = {"nvidia": ["NVreg_OpenRmEnableUnsupportedGpus=1", "NVreg_EnableGpuFirmware=0"], "nvidia_uvm": []}

        assert machine(kernel_module_parameters=given)["kernel"]["modules"] == [
            {"name": "nvidia", "parameters": ["NVreg_OpenRmEnableUnsupportedGpus=1", "NVreg_EnableGpuFirmware=0"]},
            {"name": "nvidia_uvm"},
            {"name": "nvidia_drm"},
            {"name": "nvidia_modeset"},
        ]
        assert patch("1.14", kernel_module_parameters=given).documents[0] == {
            "apiVersion": "v1alpha1",
            "kind": "KernelModuleConfig",
            "name": "nvidia",
            "parameters": ["NVreg_OpenRmEnableUnsupportedGpus=1", "NVreg_EnableGpuFirmware=0"],
        }

    @pytest.mark.parametrize("talos", ["1.12", "1.13", "1.14"])
    def test_gdrcopy_loads_its_module_after_the_driver(self, talos):
        given = {"gdrcopy": True, "kernel_module_parameters": {"gdrdrv": ["use_persistent_mapping=1"]}}
        modules = machine(talos, **given)["kernel"]["modules"]

        assert [each["name"] for each in modules] == [*MODULES, "gdrdrv"]
        assert modules[-1]["parameters"] == ["use_persistent_mapping=1"]
        if talos == "1.14":
            assert patch(talos, **given).documents[-1] == {"apiVersion": "v1alpha1", "kind": "KernelModuleConfig", **modules[-1]}

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            (
                {"talos": "1.11"},
                "'gdrcopy' must be False on Talos 1.11 (got True); Talos has the module gdrdrv from 1.12 on",
            ),
            (
                {"talos": "1.13", "kernel_modules": "proprietary"},
                "'gdrcopy' must be False with kernel_modules='proprietary' (got True); Talos builds gdrdrv only with the open modules",
            ),
        ],
    )
    def test_gdrcopy_is_refused_where_the_image_has_no_such_module(self, given, expected):
        assert message(lambda: patch(gdrcopy=True, **given)) == expected

    @pytest.mark.parametrize(
        ("module", "hint"),
        [
            ("nvidia-uvm", "; did you mean 'nvidia_uvm'?"),
            ("nvida", "; did you mean 'nvidia'?"),
            ("gdrdrv", "; set gdrcopy=True to load this module"),
            ("i915", ""),
        ],
    )
    def test_parameters_of_a_module_that_is_not_loaded_are_refused(self, module, hint):
        assert message(lambda: patch(kernel_module_parameters={module: ["a=1"]})) == (
            f"'kernel_module_parameters' must be keyed by 'nvidia', 'nvidia_uvm', 'nvidia_drm', 'nvidia_modeset' (got '{module}'){hint}"
        )

    @pytest.mark.parametrize("parameter", ["a = 1", "a=1 b=2", "", "=1", "a=1\n", "a=ä"])
    def test_a_parameter_that_talos_would_split_is_refused(self, parameter):
        assert message(lambda: patch(kernel_module_parameters={"nvidia": [parameter]})) == (
            "'kernel_module_parameters[nvidia]' must be a list of 'name=value' without white space "
            f"(got {parameter!r}); Talos separates parameters by spaces"
        )

    def test_a_string_in_place_of_a_list_is_refused(self):
        assert message(lambda: patch(kernel_module_parameters={"nvidia": "a=1"}), TypeError) == (
            "'kernel_module_parameters[nvidia]' must be a list of strings (got 'a=1'); did you mean ['a=1']?"
        )

    def test_a_list_in_place_of_a_mapping_is_refused(self):
        assert message(lambda: patch(kernel_module_parameters=["a=1"]), TypeError) == (
            "'kernel_module_parameters' must be a mapping of kernel modules to lists of parameters (got ['a=1'])"
        )


class TestLabels:
    def test_all_labels_of_the_class_are_set(self):
        given = {"name": "rtx", "labels": {"role": "gpu"}}

        assert machine(**given)["nodeLabels"] == {"role": "gpu", "nvidia.com/device-plugin.config": "rtx"}
        assert document("KubeNodeConfig", **given) == {
            "apiVersion": "v1alpha1",
            "kind": "KubeNodeConfig",
            "labels": {"role": "gpu", "nvidia.com/device-plugin.config": "rtx"},
        }

    @pytest.mark.parametrize("talos", RELEASED)
    def test_the_operators_validator_is_kept_away_where_it_finds_no_driver(self, talos):
        legacy = patch(talos).nodes.generation == "legacy"
        expected = {"nodeLabels": {"nvidia.com/gpu.deploy.operator-validator": "false"}} if legacy else {}

        assert {key: value for key, value in machine(talos, operator=True).items() if key == "nodeLabels"} == expected
        assert "nodeLabels" not in machine(talos, operator=False)

    @pytest.mark.parametrize("talos", ["1.12", "1.14"])
    def test_the_operators_plugin_is_kept_off_nodes_whose_cards_the_standalone_plugin_partitions(self, talos):
        given = {"talos": talos, "name": "a100", "mig_devices": {"1g.10gb": 7}}
        label = "nvidia.com/gpu.deploy.device-plugin"

        assert machine(**given, operator=True)["nodeLabels"][label] == "false"
        assert label not in machine(**given, operator=False)["nodeLabels"]
        assert machine(**given, operator=True, extra_labels={label: "true"})["nodeLabels"][label] == "true"
        assert label not in patch(**given, operator=True).nodes.node_selector

    def test_extra_labels_are_set_too(self):
        given = {"name": "rtx", "extra_labels": {"example.com/rack": "a"}}

        assert machine(**given)["nodeLabels"] == {"nvidia.com/device-plugin.config": "rtx", "example.com/rack": "a"}

    @pytest.mark.parametrize("talos", RELEASED)
    def test_the_label_that_the_operator_sets_is_left_to_the_operator(self, talos):
        key = "nvidia.com/gpu.present"
        for labelled in ({"labels": {key: "true", "role": "gpu"}}, {"labels": {"role": "gpu"}, "extra_labels": {key: "true"}}):
            made = patch(talos, operator=True, **labelled)

            assert key not in machine(talos, operator=True, **labelled)["nodeLabels"]
            assert machine(talos, operator=True, **labelled)["nodeLabels"]["role"] == "gpu"
            assert f"The GPU operator sets {key}: here the label would make Talos and the operator overwrite each other." in made.text
            assert machine(talos, operator=False, **labelled)["nodeLabels"][key] == "true"
            assert "overwrite each other" not in patch(talos, operator=False, **labelled).text
        assert message(lambda: patch(talos, operator=True, labels={key: "yes"})) == (
            f"'nodes' must be a class whose label {key} is 'true', or that has no such label (got 'yes'); the GPU operator sets this label on "
            "every node with a GPU, and overwrites another value"
        )

    def test_the_users_own_word_on_the_validator_wins(self):
        label = {"nvidia.com/gpu.deploy.operator-validator": "true"}
        made = patch(operator=True, labels=label)

        assert made.documents[0]["machine"]["nodeLabels"] == label
        assert "No validator" not in made.text

    @pytest.mark.filterwarnings("ignore:a worker may not set")
    @pytest.mark.parametrize(
        ("label", "allowed"),
        [
            ("role", True),
            ("nvidia.com/gpu.present", True),
            ("feature.node.kubernetes.io/pci-10de.present", True),
            ("node.kubernetes.io/gpu", True),
            ("a.kubelet.kubernetes.io/gpu", True),
            ("kubelet.kubernetes.io/gpu", True),
            ("topology.kubernetes.io/zone", True),
            ("kubernetes.io/hostname", True),
            ("notkubernetes.io/gpu", True),
            ("k8s.io.example.com/gpu", True),
            ("node-role.kubernetes.io/gpu", False),
            ("node-restriction.kubernetes.io/gpu", False),
            ("a.node-restriction.kubernetes.io/gpu", False),
            ("topology.kubernetes.io/rack", False),
            ("app.kubernetes.io/component", False),
            ("kubernetes.io/role", False),
            ("k8s.io/gpu", False),
            ("x-k8s.io/gpu", True),
            ("kueue.k8s.io/gpu", False),
            ("notnode.kubernetes.io/gpu", False),
        ],
    )
    def test_a_label_that_a_worker_may_not_set_on_itself_is_left_to_an_administrator(self, label, allowed):
        command = f"kubectl label nodes $NODE {label}=yes --overwrite"

        assert node_may_set(label) is allowed
        for talos in ("1.12", "1.14"):
            made = patch(talos, labels={label: "yes", "role": "gpu"})
            assert made.label_commands == ([] if allowed else [command])
            assert (f"#   {command}\n" in made.text) is not allowed
        expected = {label: "yes", "role": "gpu"} if allowed else {"role": "gpu"}
        assert machine(labels={label: "yes", "role": "gpu"})["nodeLabels"] == expected
        assert document("KubeNodeConfig", labels={label: "yes", "role": "gpu"})["labels"] == expected

    @pytest.mark.filterwarnings("ignore:a worker may not set")
    def test_nothing_is_left_of_labels_that_only_an_administrator_sets(self):
        assert "nodeLabels" not in machine(labels={"node-role.kubernetes.io/gpu": ""})
        assert document("KubeNodeConfig", labels={"node-role.kubernetes.io/gpu": ""}) is None

    def test_a_label_that_only_an_administrator_sets_is_warned_of_with_the_command(self):
        with pytest.warns(TalosGpuWarning) as caught:
            patch("1.13", labels={"node-role.kubernetes.io/gpu": "", "role": "gpu"})

        assert [str(each.message) for each in caught] == [
            (
                "a worker may not set node-role.kubernetes.io/gpu on itself (NodeRestriction), and the patch does not set this. Run once for each "
                "worker that has joined the cluster: kubectl label nodes $NODE node-role.kubernetes.io/gpu= --overwrite"
            )
        ]


class TestTaints:
    @pytest.mark.parametrize(
        ("taint", "written", "command"),
        [
            (Taint("dedicated", "ai"), "ai:NoSchedule", "dedicated=ai:NoSchedule"),
            (Taint("gpu"), "NoSchedule", "gpu:NoSchedule"),
            (Taint("gpu", ""), "NoSchedule", "gpu:NoSchedule"),
            (Taint("gpu", "true", "NoExecute"), "true:NoExecute", "gpu=true:NoExecute"),
            (Taint("nvidia.com/gpu", effect="PreferNoSchedule"), "PreferNoSchedule", "nvidia.com/gpu:PreferNoSchedule"),
        ],
    )
    def test_a_taint_is_its_value_and_effect_in_a_map_by_key(self, taint, written, command):
        for talos in ("1.8", "1.13", "1.14"):
            assert machine(talos, taints=[taint])["nodeTaints"] == {taint.key: written}
        assert document("KubeNodeConfig", taints=[taint]) == {
            "apiVersion": "v1alpha1",
            "kind": "KubeNodeConfig",
            "taints": {taint.key: written},
        }
        assert patch(taints=[taint]).taint_commands == [f"kubectl taint nodes $NODE {command} --overwrite"]

    @pytest.mark.parametrize("talos", RELEASED)
    def test_a_worker_registers_with_its_taints_where_talos_does_not_see_to_it(self, talos):
        made = machine(talos, taints=[Taint("dedicated", "ai"), Taint("gpu", effect="NoExecute")])
        registered = [{"key": "dedicated", "value": "ai", "effect": "NoSchedule"}, {"key": "gpu", "effect": "NoExecute"}]

        assert made.get("kubelet") == (None if talos == "1.14" else {"extraConfig": {"registerWithTaints": registered}})

    def test_every_taint_has_its_command_and_the_text_prints_each(self):
        made = patch("1.13", taints=[Taint("dedicated", "ai"), Taint("gpu", effect="NoExecute")])

        assert made.taint_commands == [
            "kubectl taint nodes $NODE dedicated=ai:NoSchedule --overwrite",
            "kubectl taint nodes $NODE gpu:NoExecute --overwrite",
        ]
        assert "".join(f"#   {command}\n" for command in made.taint_commands) in made.text
        assert made.text.count("NodeRestriction") == 1

    def test_nodes_without_taints_need_no_command(self):
        assert patch().taint_commands == []
        assert "kubectl" not in patch().text

    @pytest.mark.parametrize("other", [Taint("gpu", "b"), Taint("gpu", "a", "NoExecute"), Taint("gpu")])
    def test_two_taints_of_one_key_are_refused(self, other):
        taints = [Taint("gpu", "a"), other]

        assert message(lambda: patch(taints=taints)) == (
            f"'nodes' must be a class with one taint for each key (got {taints!r}); the machine configuration is a map of taints by key"
        )

    def test_a_taint_that_is_given_twice_is_one(self):
        assert machine(taints=[Taint("gpu", "a")] * 2)["nodeTaints"] == {"gpu": "a:NoSchedule"}
        assert len(patch(taints=[Taint("gpu", "a")] * 2).taint_commands) == 1


class TestControlPlane:
    """Nodes that say of themselves that they are control-plane nodes: there Talos is an administrator."""

    TAINTS = (Taint(CONTROL_PLANE), Taint("dedicated", "ai"))

    @pytest.mark.parametrize("talos", RELEASED)
    def test_fields_leave_the_control_planes_own_taint_and_label_to_talos(self, talos):
        made = machine(talos, taints=self.TAINTS, labels={CONTROL_PLANE: "", "node-role.kubernetes.io/gpu": ""})

        assert made["nodeTaints"] == {"dedicated": "ai:NoSchedule"}
        assert made["nodeLabels"] == {"node-role.kubernetes.io/gpu": ""}
        assert "kubelet" not in made

    def test_fields_say_nothing_of_a_taint_that_is_the_control_planes_own(self):
        assert set(machine("1.13", taints=[Taint(CONTROL_PLANE)])) == {"kernel"}

    def test_documents_name_the_control_planes_own_taint_and_label(self):
        assert document("KubeNodeConfig", taints=self.TAINTS) == {
            "apiVersion": "v1alpha1",
            "kind": "KubeNodeConfig",
            "labels": {CONTROL_PLANE: ""},
            "taints": {CONTROL_PLANE: "NoSchedule", "dedicated": "ai:NoSchedule"},
        }

    def test_documents_of_a_control_plane_that_takes_workloads_name_its_label_alone(self):
        assert document("KubeNodeConfig", labels={CONTROL_PLANE: ""}) == {
            "apiVersion": "v1alpha1",
            "kind": "KubeNodeConfig",
            "labels": {CONTROL_PLANE: ""},
        }

    @pytest.mark.parametrize("talos", ["1.12", "1.14"])
    def test_talos_needs_no_help_of_an_administrator(self, talos):
        made = patch(talos, taints=self.TAINTS, labels={"node-role.kubernetes.io/gpu": ""})

        assert (made.taint_commands, made.label_commands) == ([], [])
        assert "kubectl" not in made.text
        assert "--config-patch-control-plane @FILE" in made.text
        assert "controlplane.yaml" in made.text

    @pytest.mark.parametrize(
        ("style", "sentence"),
        [
            ("fields", "# Talos sets the taint unless the configuration of the node has cluster.allowSchedulingOnControlPlanes: true.\n"),
            (
                "documents",
                f"# If the KubeNodeConfig of the node has the taint {CONTROL_PLANE}, remove the taint there: this patch only adds keys.\n",
            ),
        ],
    )
    def test_a_control_plane_without_its_taint_says_how_the_taint_goes(self, style, sentence):
        assert sentence in patch("1.14", style=style, labels={CONTROL_PLANE: ""}).text
        assert sentence not in patch("1.14", style=style, taints=self.TAINTS).text
        assert sentence not in patch("1.14", style=style).text

    @pytest.mark.parametrize("taint", [Taint(CONTROL_PLANE, "x"), Taint(CONTROL_PLANE, effect="NoExecute")])
    def test_another_taint_of_that_key_is_refused(self, taint):
        assert message(lambda: patch(taints=[taint])) == (
            f"'nodes' must be a class whose taint {CONTROL_PLANE} is NoSchedule without a value (got {taint!r}); Talos sets this taint by itself"
        )


CONTAINERD = {"default_runtime": True, "base_runtime_spec": True, "cdi_spec_dirs": ["/var/cdi/static", "/var/cdi/dynamic"]}


class TestContainerd:
    def test_one_file_holds_all_that_is_asked_for(self):
        (file,) = machine(**CONTAINERD)["files"]

        assert {**file, "content": None} == {"path": CUSTOMIZATION, "op": "create", "content": None}
        assert file["content"] == (
            f"[{RUNTIME}]\n"
            '  cdi_spec_dirs = ["/var/cdi/static", "/var/cdi/dynamic"]\n'
            "\n"
            f"[{RUNTIME}.containerd]\n"
            '  default_runtime_name = "nvidia"\n'
            "\n"
            f"[{RUNTIME}.containerd.runtimes.nvidia]\n"
            '  base_runtime_spec = "/etc/cri/conf.d/base-spec.json"\n'
        )

    def test_a_document_of_a_name_that_talos_does_not_reserve_holds_it_too(self):
        assert document("CRICustomizationConfig", **CONTAINERD) == {
            "apiVersion": "v1alpha1",
            "kind": "CRICustomizationConfig",
            "name": "nvidia-gpu",
            "content": content_of(patch("1.14", "fields", **CONTAINERD)),
        }

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ({"default_runtime": True}, {"containerd": {"default_runtime_name": "nvidia"}}),
            (
                {"base_runtime_spec": True},
                {"containerd": {"runtimes": {"nvidia": {"base_runtime_spec": "/etc/cri/conf.d/base-spec.json"}}}},
            ),
            ({"cdi_spec_dirs": ("/var/run/cdi",)}, {"cdi_spec_dirs": ["/var/run/cdi"]}),
        ],
    )
    def test_each_setting_is_toml_of_the_table_that_containerd_reads(self, given, expected):
        assert tomllib.loads(content_of(patch(**given))) == {"plugins": {"io.containerd.cri.v1.runtime": expected}}

    def test_nothing_is_written_unless_it_is_asked_for(self):
        assert "files" not in machine()
        assert document("CRICustomizationConfig") is None

    def test_the_text_says_what_becomes_of_the_other_folders(self):
        folders = {"cdi_spec_dirs": ["/var/cdi/dynamic"]}

        assert "These folders replace the default folders of containerd, /etc/cdi and /var/run/cdi." in patch("1.12", **folders).text
        for talos in ("1.13", "1.14"):
            assert "Talos adds these folders to its default, /run/cdi: " in patch(talos, **folders).text

    @pytest.mark.parametrize(
        ("talos", "style", "twice"),
        [
            ("1.13", "fields", "with two entries the node can't boot (EtcFileSpecs … already exists)."),
            ("1.14", "fields", "with two entries Talos reads only the first entry."),
        ],
    )
    def test_the_text_warns_of_a_second_entry_for_the_file(self, talos, style, twice):
        assert f"  # {twice}\n" in patch(talos, style, default_runtime=True).text

    @pytest.mark.parametrize("folder", ["var/cdi", "/", "/var/cdi/", "/var/c di", '/var/"', "/var//cdi", ""])
    def test_a_folder_that_is_no_absolute_path_is_refused(self, folder):
        assert message(lambda: patch(cdi_spec_dirs=["/var/cdi", folder])) == (
            f"'cdi_spec_dirs' must be a list of absolute paths (got {folder!r}); such as ['/var/cdi/dynamic']"
        )

    def test_a_gate_that_no_kubelet_reads_for_gpus_is_refused(self):
        assert message(lambda: patch(kubelet_feature_gates=["DRADeviceTaints"])) == (
            "'kubelet_feature_gates' must be made of 'DRAExtendedResource', 'ResourceHealthStatus' (got 'DRADeviceTaints'); the kubelet "
            "reads no other gate of GPUs by claims"
        )

    def test_a_folder_in_place_of_a_list_is_refused(self):
        assert message(lambda: patch(cdi_spec_dirs="/var/cdi"), TypeError) == (
            "'cdi_spec_dirs' must be a list of strings (got '/var/cdi'); did you mean ['/var/cdi']?"
        )

    @pytest.mark.parametrize("name", ["default_runtime", "base_runtime_spec"])
    def test_a_runtime_is_not_configured_where_nri_injects_the_gpu(self, name):
        with pytest.warns(TalosGpuWarning):
            nodes = GpuNodes(talos_version="1.15")

        assert message(lambda: MachineConfigPatch(nodes=nodes, **{name: True})) == (
            f"'{name}' must be False on Talos 1.15 (got True); containerd injects the GPU by CDI with every runtime"
        )

    def test_the_base_spec_is_refused_where_talos_writes_none(self):
        assert message(lambda: patch("1.8", base_runtime_spec=True)) == (
            "'base_runtime_spec' must be False on Talos 1.8 (got True); Talos writes /etc/cri/conf.d/base-spec.json from 1.9 on"
        )


class TestArguments:
    def test_documents_are_refused_before_talos_1_14(self):
        assert message(lambda: patch("1.13", "documents")) == (
            "'style' must be 'fields' on Talos 1.13 (got 'documents'); documents are new in Talos 1.14"
        )

    def test_an_unknown_style_is_refused(self):
        assert message(lambda: patch("1.14", "field")) == (
            "'style' must be one of 'fields', 'documents' (got 'field'); did you mean 'fields'?"
        )

    @pytest.mark.parametrize("name", ["gdrcopy", "fabric_manager", "operator", "default_runtime", "base_runtime_spec"])
    def test_a_flag_is_true_or_false_and_no_string(self, name):
        assert (
            message(lambda: patch("1.14", **{name: "false"}), TypeError)
            == f"'{name}' must be True or False (got 'false'); did you mean False?"
        )

    def test_nodes_are_a_gpu_nodes(self):
        assert message(lambda: MachineConfigPatch(nodes="1.14"), TypeError) == (
            "'nodes' must be a GpuNodes (got '1.14'); such as GpuNodes(talos_version='1.14')"
        )
        assert message(MachineConfigPatch, TypeError) == (
            "'nodes' must be given to MachineConfigPatch (got nothing); a machine configuration patch is for one class of GPU nodes"
        )

    def test_a_file_is_no_argument(self):
        assert message(lambda: patch(files=[]), TypeError) == (
            "'files' must be an argument of MachineConfigPatch (got files=[]); the arguments of MachineConfigPatch are 'nodes', 'style', "
            "'kernel_module_parameters', 'extra_kernel_modules', 'fabric_manager', 'gdrcopy', 'sysctls', 'operator', 'default_runtime', "
            "'base_runtime_spec', 'cdi_spec_dirs', 'kubelet_feature_gates'"
        )

    def test_an_attribute_holds_what_was_resolved(self):
        made = patch("1.12", kernel_module_parameters={"nvidia": ["a=1"]}, cdi_spec_dirs=["/var/cdi"])

        assert (made.style, made.cdi_spec_dirs) == ("fields", ("/var/cdi",))
        assert made.kernel_module_parameters == {"nvidia": ("a=1",)}
        assert made.sysctls == {"net.core.bpf_jit_harden": "1"}

    def test_is_frozen_down_to_its_mappings(self):
        made = patch(sysctls={"a": "1"})

        assert message(lambda: setattr(made, "gdrcopy", True), attrs.exceptions.FrozenInstanceError) == "can't set attribute"
        with pytest.raises(TypeError, match="does not support item assignment"):
            made.sysctls["a"] = "2"

    def test_what_is_given_may_be_changed_afterwards(self):
        given = {"nvidia": ["a=1"]}
        made = patch(kernel_module_parameters=given)
        given["nvidia"].append("b=2")

        assert made.kernel_module_parameters == {"nvidia": ("a=1",)}

    def test_the_documents_are_new_with_each_look(self):
        made = patch(name="rtx", taints=[Taint("gpu")], default_runtime=True, kernel_module_parameters={"nvidia": ["a=1"]})
        before = copy.deepcopy(made.documents)
        machine = made.documents[0]["machine"]
        machine["sysctls"]["a"] = machine["nodeLabels"]["a"] = machine["nodeTaints"]["a"] = "b"
        machine["kernel"]["modules"][0]["parameters"].append("b=2")
        machine["files"].clear()

        assert made.documents == before

    @pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made)), attrs.evolve])
    def test_a_copy_is_equal_and_has_its_hash(self, again):
        made = patch("1.14", name="rtx", sysctls={"a": "1"}, kernel_module_parameters={"nvidia": ["a=1"]}, default_runtime=True)

        assert again(made) == made
        assert hash(again(made)) == hash(made)
        assert again(made).text == made.text

    def test_another_setting_is_another_patch(self):
        assert patch("1.14", sysctls={"a": "1"}) != patch("1.14", sysctls={"a": "2"})


class TestText:
    def test_a_reader_is_told_how_it_is_applied_and_why_each_part_is_there(self):
        made = patch("1.12", name="rtx", taints=[Taint("dedicated", "ai")], operator=True, default_runtime=True)

        assert made.text == TEXT_1_12

    def test_documents_are_a_stream_with_a_comment_where_a_reader_asks(self):
        made = patch("1.14", name="rtx", taints=[Taint("dedicated", "ai")], default_runtime=True)

        assert made.text == TEXT_1_14

    def test_each_style_on_1_14_says_which_configurations_it_is_for(self):
        assert "For a node that was upgraded from Talos 1.13." in patch("1.14", "fields").text
        assert "For a configuration that Talos 1.14 generated." in patch("1.14").text
        assert "upgraded" not in patch("1.13").text

    def test_parameters_of_the_node_are_asked_for_where_a_second_entry_would_drop_them(self):
        said = "of two entries for a module the last one counts"

        assert said in patch("1.13").text
        assert said in patch("1.14", "fields", kernel_module_parameters={"nvidia_drm": ["modeset=1"]}).text
        assert said not in patch("1.13", kernel_module_parameters={"nvidia": ["NVreg_A=1"]}).text
        assert said not in patch("1.14").text

    def test_talos_1_14_says_that_files_are_deprecated(self):
        sentence = (
            "# Talos 1.14 and newer warn that .machine.files is deprecated, and read the entry. Its document is CRICustomizationConfig.\n"
        )

        assert sentence in patch("1.14", style="fields", cdi_spec_dirs=["/var/cdi"]).text
        assert sentence not in patch("1.13", cdi_spec_dirs=["/var/cdi"]).text
        assert sentence not in patch("1.14", cdi_spec_dirs=["/var/cdi"]).text

    @pytest.mark.filterwarnings("ignore:a worker may not set")
    def test_labels_that_only_an_administrator_sets_are_named_with_the_reason(self):
        assert (
            patch("1.13", labels={"node-role.kubernetes.io/gpu": ""}).text
            == f"""\
# A patch of the machine configuration of nodes with NVIDIA GPUs, Talos 1.13.
{APPLIED}#
# A worker may not set these labels on itself (NodeRestriction), so this file does not contain the labels. Run for each worker
# after it has joined the cluster:
#   kubectl label nodes $NODE node-role.kubernetes.io/gpu= --overwrite
machine:
  # The NVIDIA extension disables automatic loading of these modules (siderolabs/extensions nvidia-gpu: files/nvidia.conf).
  # Talos appends to the list, and of two entries for a module the last one counts. If the node has nvidia with parameters (NVreg_...),
  # give them to this patch too (--kernel-module-parameter nvidia.NAME=VALUE), or its next boot is without them.
  kernel:
    modules:
      - name: nvidia
      - name: nvidia_uvm
      - name: nvidia_drm
      - name: nvidia_modeset
"""
        )

    def test_a_control_plane_reads_why_its_own_taint_is_there(self):
        *_, node = patch("1.14", taints=[Taint(CONTROL_PLANE)]).text.split("---\n")

        assert (
            node
            == f"""\
# With this document Talos does not add the label and the taint of the control plane, so the document contains both.
apiVersion: v1alpha1
kind: KubeNodeConfig
labels:
  {CONTROL_PLANE}: ""
taints:
  {CONTROL_PLANE}: NoSchedule
"""
        )

    def test_the_reasons_of_a_worker_are_not_given_to_a_control_plane(self):
        taints = [Taint(CONTROL_PLANE), Taint("dedicated", "ai")]

        assert "worker" not in patch("1.13", taints=taints).text
        assert "worker" not in patch("1.14", taints=taints).text

    def test_settings_that_need_no_reason_have_none(self):
        assert "\n  sysctls:\n" in patch("1.13", sysctls={"a": "1"}).text
        assert "bpf" not in patch("1.13", sysctls={"a": "1"}).text

    def test_no_line_ends_in_white_space_or_is_too_long_to_read(self):
        for talos in RELEASED:
            for style in ("fields", "documents") if talos == "1.14" else ("fields",):
                made = patch(talos, style, name="rtx", taints=[Taint("a", "b")], operator=True, default_runtime=True, cdi_spec_dirs=["/c"])
                assert max(len(line) for line in made.text.splitlines()) <= 140
                assert [line for line in made.text.splitlines() if line != line.rstrip()] == []

    def test_a_value_that_yaml_reads_as_something_else_is_quoted(self):
        made = patch("1.13", labels={"a": "no", "b": "1e3", "c": "0x1f", "d": "", "e": "2024-01-01"}, sysctls={"f": "0644", "g": "~"})

        (found,) = read_as_kubernetes(made.text)
        assert found == made.documents[0]
        assert '"1e3"' in made.text


APPLIED = """\
# Commands for a running node, for the configuration of a new node, and for a new cluster in which every such node has GPUs:
#   talosctl --nodes ADDRESS patch machineconfig --patch @FILE
#   talosctl machineconfig patch worker.yaml --patch @FILE --output gpu-worker.yaml
#   talosctl gen config NAME ENDPOINT --config-patch-worker @FILE
# A new node also needs the image with the driver: the patch of talos-gpu schematic --print install-config, added in the same way.
"""

TEXT_1_12 = """\
# A patch of the machine configuration of nodes with NVIDIA GPUs of the class 'rtx', Talos 1.12.
# Commands for a running node, for the configuration of a new node, and for a new cluster in which every such node has GPUs:
#   talosctl --nodes ADDRESS patch machineconfig --patch @FILE
#   talosctl machineconfig patch worker.yaml --patch @FILE --output gpu-worker.yaml
#   talosctl gen config NAME ENDPOINT --config-patch-worker @FILE
# A new node also needs the image with the driver: the patch of talos-gpu schematic --print install-config, added in the same way.
#
# A worker that has joined the cluster may not change its own taints (NodeRestriction). Until the worker has the taints of this
# file, Talos can't set its labels and can't cordon it for an upgrade (siderolabs/talos#8193, #13681). Run once for each such worker:
#   kubectl taint nodes $NODE dedicated=ai:NoSchedule --overwrite
machine:
  # The NVIDIA extension disables automatic loading of these modules (siderolabs/extensions nvidia-gpu: files/nvidia.conf).
  # Talos appends to the list, and of two entries for a module the last one counts. If the node has nvidia with parameters (NVreg_...),
  # give them to this patch too (--kernel-module-parameter nvidia.NAME=VALUE), or its next boot is without them.
  kernel:
    modules:
      - name: nvidia
      - name: nvidia_uvm
      - name: nvidia_drm
      - name: nvidia_modeset
  # The documentation of Talos 1.12 sets bpf_jit_harden to 1. No cluster that was seen needs it.
  sysctls:
    net.core.bpf_jit_harden: "1"
  # Pods for these nodes select the nodes by these labels.
  # The validator label stops the validator of the GPU operator: this Talos has no driver at its path (NVIDIA/gpu-operator#1687).
  nodeLabels:
    nvidia.com/device-plugin.config: rtx
    nvidia.com/gpu.deploy.operator-validator: "false"
  # The taints of the node. A worker gets its taints by registerWithTaints below, or by the commands at the top of this file.
  nodeTaints:
    dedicated: ai:NoSchedule
  # This Talos sets nodeTaints only on control-plane nodes. The kubelet of a worker sets the taints while the worker joins, which
  # Kubernetes allows (siderolabs/talos#10935). Apply this patch once: Talos appends to lists, and Kubernetes refuses a node that has
  # the same taint twice.
  kubelet:
    extraConfig:
      registerWithTaints:
        - key: dedicated
          value: ai
          effect: NoSchedule
  # The only file outside /var that Talos creates. Merge this entry once, and not into a configuration that has an entry for the path:
  # with two entries the node can't boot (EtcFileSpecs … already exists).
  files:
    - path: /etc/cri/conf.d/20-customization.part
      op: create
      content: |
        [plugins."io.containerd.cri.v1.runtime".containerd]
          default_runtime_name = "nvidia"
"""

TEXT_1_14 = """\
# A patch of the machine configuration of nodes with NVIDIA GPUs of the class 'rtx', Talos 1.14.
# Commands for a running node, for the configuration of a new node, and for a new cluster in which every such node has GPUs:
#   talosctl --nodes ADDRESS patch machineconfig --patch @FILE
#   talosctl machineconfig patch worker.yaml --patch @FILE --output gpu-worker.yaml
#   talosctl gen config NAME ENDPOINT --config-patch-worker @FILE
# A new node also needs the image with the driver: the patch of talos-gpu schematic --print install-config, added in the same way.
# For a configuration that Talos 1.14 generated. A node that was upgraded from 1.13 keeps its fields under machine:.
# Talos refuses a setting that is both a field and a document, so such a node needs a patch with --style fields.
#
# A worker that has joined the cluster may not change its own taints (NodeRestriction). Until the worker has the taints of this
# file, Talos can't set its labels and can't cordon it for an upgrade (siderolabs/talos#8193, #13681). Run once for each such worker:
#   kubectl taint nodes $NODE dedicated=ai:NoSchedule --overwrite
---
# The NVIDIA extension disables automatic loading of these modules (siderolabs/extensions nvidia-gpu: files/nvidia.conf).
apiVersion: v1alpha1
kind: KernelModuleConfig
name: nvidia
---
apiVersion: v1alpha1
kind: KernelModuleConfig
name: nvidia_uvm
---
apiVersion: v1alpha1
kind: KernelModuleConfig
name: nvidia_drm
---
apiVersion: v1alpha1
kind: KernelModuleConfig
name: nvidia_modeset
---
# Pods for these nodes select the nodes by these labels.
# Talos sets the taints while a worker joins the cluster. For a worker that has joined, see the top of this file.
apiVersion: v1alpha1
kind: KubeNodeConfig
labels:
  nvidia.com/device-plugin.config: rtx
taints:
  dedicated: ai:NoSchedule
---
apiVersion: v1alpha1
kind: CRICustomizationConfig
name: nvidia-gpu
content: |
  [plugins."io.containerd.cri.v1.runtime".containerd]
    default_runtime_name = "nvidia"
"""

_NAME = st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,20}[A-Za-z0-9])?", fullmatch=True)
_KEY = st.one_of(_NAME, st.builds("{}/{}".format, st.sampled_from(["a.b", "nvidia.com", "node.kubernetes.io", "k8s.io"]), _NAME))
_VALUE = st.one_of(st.just(""), _NAME, st.sampled_from(["no", "y", "1e3", "0x1F", "1_0", "22.22", "null", "on", "1", "2024-01-01"]))
_TAINTS = st.lists(
    st.builds(
        Taint,
        _KEY.filter(lambda key: not is_controlled(key)),
        st.none() | _VALUE,
        st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
    ),
    max_size=3,
    unique_by=lambda taint: taint.key,
)
_PARAMETER = st.from_regex(r"[A-Za-z0-9_]{1,10}(=[!-~]{0,20})?", fullmatch=True)


@pytest.mark.filterwarnings("ignore:a worker may not set")
@settings(max_examples=drawn(150))
@given(
    talos=st.sampled_from(["1.8", "1.12", "1.13", "1.14"]),
    fields=st.booleans(),
    labels=st.dictionaries(_KEY, _VALUE, max_size=3),
    taints=_TAINTS,
    parameters=st.dictionaries(st.sampled_from(MODULES), st.lists(_PARAMETER, max_size=3), max_size=3),
    sysctls=st.dictionaries(
        st.from_regex(r"[\w./:-]{1,12}", fullmatch=True), st.from_regex(r"[ -~]{0,12}[!-~]", fullmatch=True), max_size=3
    ),
    flags=st.tuples(st.booleans(), st.booleans()),
)
def test_the_text_of_whatever_is_accepted_reads_back_as_the_documents(talos, fields, labels, taints, parameters, sysctls, flags):
    style = "fields" if fields or talos != "1.14" else "documents"
    sysctls = {re.sub(r"[^\w./:-]", "_", key, flags=re.ASCII): value for key, value in sysctls.items()}
    operator, default_runtime = flags
    made = patch(talos, style, labels=labels, taints=taints, kernel_module_parameters=parameters, sysctls=sysctls,
                 operator=operator, default_runtime=default_runtime)  # fmt: skip

    assert list(yaml.safe_load_all(made.text)) == made.documents
    assert list(read_as_kubernetes(made.text)) == made.documents
    assert json.loads(json.dumps(made.documents)) == made.documents
    for command in [*made.taint_commands, *made.label_commands]:
        assert f"#   {command}\n" in made.text
    labelled = {**labels, **dict(command.split()[4].split("=") for command in made.label_commands)}
    assert labelled == labels


def test_a_patch_takes_under_300_calls_each_time():
    nodes = GpuNodes(talos_version="1.12", name="rtx", taints=[Taint("dedicated", "ai")])

    def make():
        return MachineConfigPatch(nodes=nodes, default_runtime=True, kernel_module_parameters={"nvidia": ["a=1"]}).documents

    make()
    one = calls(make)
    assert one < 300
    assert calls(lambda: [make() for _ in range(100)]) <= 101 * one


def test_importing_it_loads_no_yaml_and_starts_no_node():
    code = "import sys; import constructs_lib.talos.config.machine_config; print([name for name in ('yaml', 'difflib', 'jsii') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
