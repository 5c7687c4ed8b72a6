import copy

import pytest
import yaml

from conftest import message
from constructs_lib import GpuNodes, Taint
from constructs_lib.talos.config.machine_config import MachineConfigPatch
from constructs_lib.talos.image.existing_schematic import ExistingSchematic
from constructs_lib.talos.image.schematic import Schematic
from constructs_lib.talos.targets.talhelper import talhelper_node

SEED_003 = "af8eb82417d3deaa94d2ef19c3b590b0dac1b2549d0b9b35b3da2bc325de75f7"
MODULES = [{"name": "nvidia"}, {"name": "nvidia_uvm"}, {"name": "nvidia_drm"}, {"name": "nvidia_modeset"}]


def nodes(**given):
    return GpuNodes(**{"talos_version": "1.13", **given})


def fields(of=None, *, schematic=None, platform="metal", secureboot=False, **patch):
    of = of or nodes()
    return talhelper_node(
        schematic=schematic or Schematic(nodes=of),
        patch=MachineConfigPatch(nodes=of, style="fields", **patch),
        platform=platform,
        secureboot=secureboot,
    )


def recombined(node):
    """The machine config that talhelper makes of a node's fields (pkg/talos/nodeconfig.go, pkg/generate/config.go)."""
    machine = {"kernel": {"modules": node["kernelModules"]}}
    machine |= {key: node[key] for key in ("nodeLabels", "nodeTaints") if key in node}
    for patch in node.get("patches", []):
        machine |= yaml.safe_load(patch)["machine"]
    return [{"machine": machine}]


def test_a_node_has_the_schematic_and_the_modules():
    assert fields() == {
        "schematic": {
            "customization": {
                "systemExtensions": {
                    "officialExtensions": [
                        "siderolabs/nvidia-container-toolkit-production",
                        "siderolabs/nvidia-open-gpu-kernel-modules-production",
                    ]
                }
            }
        },
        "kernelModules": MODULES,
    }


def test_labels_and_taints_become_talhelpers_own_fields():
    node = fields(nodes(talos_version="1.14", labels={"role": "gpu"}, name="rtx", taints=[Taint("dedicated", "ai"), Taint("a")]))

    assert list(node) == ["schematic", "kernelModules", "nodeLabels", "nodeTaints"]
    assert node["nodeLabels"] == {"role": "gpu", "nvidia.com/device-plugin.config": "rtx"}
    assert node["nodeTaints"] == {"dedicated": "ai:NoSchedule", "a": "NoSchedule"}


def test_what_talhelper_has_no_field_for_is_one_patch_as_text():
    node = fields(nodes(talos_version="1.12"), default_runtime=True, sysctls={"vm.max_map_count": "262144"})

    (patch,) = node["patches"]
    assert patch == (
        "machine:\n"
        "  sysctls:\n"
        '    net.core.bpf_jit_harden: "1"\n'
        '    vm.max_map_count: "262144"\n'
        "  files:\n"
        "    - path: /etc/cri/conf.d/20-customization.part\n"
        "      op: create\n"
        "      content: |\n"
        '        [plugins."io.containerd.cri.v1.runtime".containerd]\n'
        '          default_runtime_name = "nvidia"\n'
    )


@pytest.mark.parametrize("talos", ["1.8", "1.12", "1.13", "1.14"])
def test_talhelper_makes_the_patch_again_from_the_fields(talos):
    of = nodes(talos_version=talos, labels={"role": "gpu"}, taints=[Taint("dedicated", "ai")])
    patch = MachineConfigPatch(
        nodes=of, style="fields", default_runtime=True, operator=True, kernel_module_parameters={"nvidia": ["NVreg_A=1"]}
    )
    before = copy.deepcopy(patch.documents)

    assert recombined(talhelper_node(schematic=Schematic(nodes=of), patch=patch)) == before == patch.documents


def test_kernel_arguments_and_further_extensions_stay_in_the_schematic():
    of = nodes()
    schematic = Schematic(nodes=of, extensions=["siderolabs/iscsi-tools"], extra_kernel_args=["net.ifnames=0"])

    assert fields(of, schematic=schematic)["schematic"] == schematic.document
    assert schematic.document["customization"]["extraKernelArgs"] == ["net.ifnames=0"]


def test_platform_and_secure_boot_are_the_machine_spec_of_a_schematic():
    assert "machineSpec" not in talhelper_node(schematic=Schematic(nodes=nodes()), patch=MachineConfigPatch(nodes=nodes()))
    assert fields(platform="nocloud", secureboot=True)["machineSpec"] == {"mode": "nocloud", "secureboot": True}
    assert fields(secureboot=True)["machineSpec"] == {"secureboot": True}


def test_talhelper_gets_the_architecture_of_an_arm64_node():
    nodes = GpuNodes(talos_version="1.13.9", product="GH200")
    arm = talhelper_node(schematic=Schematic(nodes=nodes), patch=MachineConfigPatch(nodes=nodes))

    assert arm["machineSpec"] == {"arch": "arm64"}
    assert "machineSpec" not in fields()


@pytest.mark.parametrize(
    ("talos", "given", "image"),
    [
        ("1.11", {}, "metal-installer"),
        ("1.11.5", {}, "metal-installer"),
        ("1.11", {"platform": "nocloud", "secureboot": True}, "nocloud-installer-secureboot"),
        ("1.9", {}, "installer"),
    ],
)
def test_an_existing_schematic_is_an_image_without_a_tag_and_no_schematic(talos, given, image):
    of = nodes(talos_version=talos, kernel_modules="proprietary", driver_track="lts")
    node = fields(of, schematic=ExistingSchematic(SEED_003, nodes=of), **given)

    assert node["talosImageURL"] == f"factory.talos.dev/{image}/{SEED_003}"
    assert node.keys().isdisjoint({"schematic", "machineSpec"})


def test_an_existing_schematic_may_be_of_no_nodes_and_of_another_factory():
    schematic = ExistingSchematic(SEED_003, factory="factory.example.com:5000")

    assert fields(schematic=schematic)["talosImageURL"] == f"factory.example.com:5000/metal-installer/{SEED_003}"


def test_documents_are_refused_because_talhelper_knows_none_of_them():
    of = nodes(talos_version="1.14")

    assert message(lambda: talhelper_node(schematic=Schematic(nodes=of), patch=MachineConfigPatch(nodes=of))) == (
        "'patch' must be of style 'fields' for talhelper (got 'documents'); talhelper knows no documents yet, and Talos 1.14 takes fields as well: "
        "MachineConfigPatch(…, style='fields')"
    )


def test_the_patch_of_other_nodes_is_refused():
    of, others = nodes(name="rtx"), nodes(name="h100")

    assert message(lambda: talhelper_node(schematic=Schematic(nodes=of), patch=MachineConfigPatch(nodes=others))) == (
        "'patch' must be for the nodes of the 'schematic' (got GpuNodes(talos_version='1.13', name='h100')); the nodes of the "
        "schematic are GpuNodes(talos_version='1.13', name='rtx')"
    )


@pytest.mark.parametrize("parameter", ["NVreg_A=$HOME", "NVreg_A={{b", "NVreg_A=b}}"])
def test_what_talhelper_takes_for_a_variable_or_a_template_is_refused(parameter):
    assert message(lambda: fields(kernel_module_parameters={"nvidia": [parameter]})) == (
        f"'patch' must be without '$', '{{{{' and '}}}}' for talhelper (got {parameter!r}); talhelper reads them as variables and templates"
    )


def test_a_variable_in_the_schematic_or_the_patch_text_is_refused_too():
    of = nodes()
    schematic = Schematic(nodes=of, extra_kernel_args=["a=$b"])

    assert message(lambda: fields(of, schematic=schematic)).endswith("(got 'a=$b'); talhelper reads them as variables and templates")
    assert "(got 'machine:\\n  sysctls:\\n    kernel.core_pattern: $" in message(lambda: fields(sysctls={"kernel.core_pattern": "$a"}))


@pytest.mark.parametrize(
    ("given", "error", "expected"),
    [
        ({"schematic": "abc"}, TypeError, "'schematic' must be a Schematic or an ExistingSchematic (got 'abc')"),
        ({"patch": {}}, TypeError, "'patch' must be a MachineConfigPatch (got {})"),
        ({"secureboot": "yes"}, TypeError, "'secureboot' must be True or False (got 'yes'); did you mean True?"),
    ],
)
def test_the_wrong_kind_is_refused(given, error, expected):
    right = {"schematic": Schematic(nodes=nodes()), "patch": MachineConfigPatch(nodes=nodes())}

    assert message(lambda: talhelper_node(**{**right, **given}), error) == expected


def test_an_unknown_platform_is_refused():
    refused = message(lambda: fields(platform="metall"))

    assert refused.startswith("'platform' must be one of 'metal', 'akamai', ")
    assert refused.endswith("(got 'metall'); did you mean 'metal'?")
