"""The image and the machine configuration of nodes whose GPUs belong to virtual machines, in the form of every tool."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from conftest import message, needs
from constructs_lib import GpuNodes, Passthrough
from constructs_lib.talos import (
    ExistingSchematic,
    MachineConfigPatch,
    OmniTarget,
    Schematic,
    UpgradePlan,
    cluster_api_yaml,
    merge_into_talconfig,
    omni_extensions,
    talhelper_node,
    terraform_json,
)
from constructs_lib.upstream.talos.releases import TALOS

CARDS = Passthrough(pci_ids=["10de:2204", "10de:1aef"])
BARE = Passthrough(pci_ids=["10de:2204"], iommu_args=[])
MODULES = [{"name": "vfio_iommu_type1"}, {"name": "vfio_pci", "parameters": ["ids=10de:2204,10de:1aef"]}]
LABELS = {"nvidia.com/device-plugin.config": "vms", "nvidia.com/gpu.workload.config": "vm-passthrough"}
# The ID that the Image Factory gives Talos without customization.
PLAIN = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba"
NO_EXTENSION = "the GPUs of these nodes belong to virtual machines, so the image has no NVIDIA extension"


def nodes(talos="1.14.2", **given):
    return GpuNodes(**{"talos_version": talos, "name": "vms", "passthrough": CARDS, **given})


def patch(style="fields", **given):
    return MachineConfigPatch(nodes=nodes(), style=style, **given)


# The image


def test_the_image_has_the_arguments_of_the_iommu_and_no_extension():
    assert Schematic(nodes=nodes()).document == {"customization": {"extraKernelArgs": ["intel_iommu=on", "iommu=pt"]}}
    assert Schematic(nodes=nodes(), extensions=["siderolabs/iscsi-tools"]).official_extensions == ["siderolabs/iscsi-tools"]


def test_on_arm64_no_argument_is_needed():
    assert Schematic(nodes=nodes(), arch="arm64").extra_kernel_args == ()


def test_an_argument_that_is_given_is_not_written_twice():
    assert Schematic(nodes=nodes(), extra_kernel_args=["iommu=pt", "net.ifnames=0"]).extra_kernel_args == (
        "intel_iommu=on", "iommu=pt", "net.ifnames=0")  # fmt: skip


def test_an_image_without_arguments_is_the_plain_image_of_talos_with_the_factorys_own_id():
    plain = Schematic(nodes=nodes(passthrough=BARE))

    assert (plain.text, plain.id) == ("customization: {}\n", PLAIN)


@pytest.mark.parametrize("setting", ["fabric_manager", "gdrcopy"])
def test_a_part_of_the_driver_in_the_image_is_refused(setting):
    assert message(lambda: Schematic(nodes=nodes(), **{setting: True})) == (
        f"'{setting}' must be False with 'passthrough' (got True); {NO_EXTENSION}"
    )


@pytest.mark.parametrize("track", ["production", "lts"])
def test_an_nvidia_extension_by_name_is_refused(track):
    name = f"siderolabs/nvidia-container-toolkit-{track}"

    assert message(lambda: Schematic(nodes=nodes(), extensions=[name])) == (
        f"'extensions[0]' must be left out with 'passthrough' (got '{name}'); {NO_EXTENSION}"
    )


def test_the_id_of_an_image_with_nvidias_extensions_is_refused_and_of_one_without_is_taken():
    driver = Schematic(nodes=GpuNodes(talos_version="1.14.2")).id

    assert message(lambda: ExistingSchematic(driver, nodes=nodes())).startswith(
        "'id' must be of a schematic without NVIDIA's extensions (got "
    )
    assert ExistingSchematic(PLAIN, nodes=nodes()).id == PLAIN


# The patch


@pytest.mark.parametrize("talos", [talos for talos in TALOS if talos != "1.15"])
def test_vfio_pci_takes_the_cards_in_place_of_nvidias_modules(talos):
    (document,) = MachineConfigPatch(nodes=nodes(talos), style="fields", operator=True).documents

    assert document == {"machine": {"kernel": {"modules": MODULES}, "nodeLabels": LABELS}}


def test_documents_say_the_same():
    labels = {"apiVersion": "v1alpha1", "kind": "KubeNodeConfig", "labels": LABELS}

    assert patch("documents").documents == [{"apiVersion": "v1alpha1", "kind": "KernelModuleConfig", **module} for module in MODULES] + [
        labels
    ]


@pytest.mark.parametrize(("minor", "style"), [("1.12", "fields"), ("1.13", "fields"), ("1.14", "documents")])
def test_the_schemas_of_talos_take_the_patch(minor, style):
    schema = Path(needs("TALOS_SCHEMAS", "the schemas that Talos publishes")) / f"config.schema-v{minor}.json"
    validator = jsonschema.Draft202012Validator(json.loads(schema.read_text()))
    documents = MachineConfigPatch(nodes=nodes(minor), style=style).documents

    assert [error.message for document in documents for error in validator.iter_errors(document)] == []


def test_the_text_says_what_the_module_does_and_that_the_image_has_no_driver():
    text = patch().text

    assert yaml.safe_load(text) == patch().documents[0]
    assert "# vfio_pci takes every device with the IDs 10de:2204, 10de:1aef at boot" in text.replace("  #", "#")
    assert "A new node also needs the image without a driver" in text
    assert "# Virtual machines select the nodes by nvidia.com/device-plugin.config." in text
    assert "NVIDIA extension" not in text


def test_further_parameters_and_modules_stay_and_other_ids_are_refused():
    more = patch(kernel_module_parameters={"vfio_pci": ["disable_idle_d3=1"]}, extra_kernel_modules=["nbd", "vfio-pci"])

    assert more.documents[0]["machine"]["kernel"]["modules"] == [
        {"name": "vfio_iommu_type1"},
        {"name": "vfio_pci", "parameters": ["ids=10de:2204,10de:1aef", "disable_idle_d3=1"]},
        {"name": "nbd"},
    ]
    assert message(lambda: patch(kernel_module_parameters={"vfio_pci": ["ids=10de:1eb8"]})) == (
        "'kernel_module_parameters[vfio_pci]' must be without 'ids' (got 'ids=10de:1eb8'); 'pci_ids' of Passthrough names the devices"
    )


def test_parameters_of_nvidias_modules_are_refused():
    assert message(lambda: patch(kernel_module_parameters={"nvidia": ["a=1"]})).startswith(
        "'kernel_module_parameters' must be keyed by 'vfio_iommu_type1', 'vfio_pci' (got 'nvidia')"
    )


@pytest.mark.parametrize("setting", ["fabric_manager", "gdrcopy", "default_runtime", "base_runtime_spec"])
def test_a_part_of_the_driver_or_its_runtime_in_the_patch_is_refused(setting):
    assert message(lambda: patch(**{setting: True})) == f"'{setting}' must be False with 'passthrough' (got True); {NO_EXTENSION}"


# The tools


def test_talhelper_gets_the_image_and_the_modules():
    node = talhelper_node(schematic=Schematic(nodes=nodes()), patch=patch())

    assert node == {
        "schematic": {"customization": {"extraKernelArgs": ["intel_iommu=on", "iommu=pt"]}},
        "kernelModules": MODULES,
        "nodeLabels": LABELS,
    }


TALCONFIG = "nodes:\n  - hostname: gpu-1\n    schematic: {customization: {systemExtensions: {officialExtensions: [siderolabs/%s]}}}\n"


def test_a_talconfig_keeps_its_extensions_and_is_refused_with_one_of_nvidia():
    given = {"hostnames": ["gpu-1"], "schematic": Schematic(nodes=nodes()), "patch": patch()}
    (node,) = yaml.safe_load(merge_into_talconfig(TALCONFIG % "iscsi-tools", **given))["nodes"]

    assert node["schematic"]["customization"]["systemExtensions"] == {"officialExtensions": ["siderolabs/iscsi-tools"]}
    assert node["kernelModules"] == MODULES
    for name in ("nvidia-container-toolkit-production", "nvidia-open-gpu-kernel-modules-production", "nvidia-container-toolkit"):
        assert NO_EXTENSION in message(lambda name=name: merge_into_talconfig(TALCONFIG % name, **given))


def test_a_talconfig_without_extensions_is_taken():
    bare = merge_into_talconfig("nodes:\n  - hostname: gpu-1\n", hostnames=["gpu-1"], schematic=Schematic(nodes=nodes()), patch=patch())

    assert yaml.safe_load(bare)["nodes"][0]["schematic"] == {"customization": {"extraKernelArgs": ["intel_iommu=on", "iommu=pt"]}}


def test_terraform_gets_the_image_and_a_patch_for_each_document():
    written = json.loads(terraform_json(schematic=Schematic(nodes=nodes()), patch=patch("documents")))

    assert "intel_iommu=on" in written["schematic"]
    assert [yaml.safe_load(text) for text in written["config_patches"]] == patch("documents").documents


def test_cluster_api_gets_the_modules_and_the_image():
    template = yaml.safe_load(cluster_api_yaml(schematic=Schematic(nodes=nodes()), patch=patch()))
    first, second = template["spec"]["template"]["spec"]["strategicPatches"]

    assert yaml.safe_load(first) == patch().documents[0]
    assert Schematic(nodes=nodes()).id in second


def test_omni_takes_the_arguments_for_one_machine_or_none():
    machines = OmniTarget(cluster="home", machine_set="home-gpu")
    bare = yaml.safe_load(omni_extensions(Schematic(nodes=nodes(passthrough=BARE)), target=machines))

    assert bare["spec"] == {"extensions": []}
    assert message(lambda: omni_extensions(Schematic(nodes=nodes()), target=machines)).endswith(
        "; 'iommu_args' of Passthrough may be empty, because Talos' kernel turns the IOMMU on by itself"
    )


@pytest.mark.parametrize("talos", ["1.12.11", "1.13.9"])
def test_talhelper_itself_makes_the_configuration(talos, tmp_path):
    from test_talhelper_judge import TALCONFIG as WHOLE  # the file of talhelper's own tests
    from test_talhelper_judge import generated

    image, config = Schematic(nodes=nodes(talos)), MachineConfigPatch(nodes=nodes(talos), style="fields")
    machine = generated(tmp_path, merge_into_talconfig(WHOLE % talos, hostnames=["gpu-1"], schematic=image, patch=config))

    assert machine["kernel"] == {"modules": MODULES}
    assert machine["install"]["image"] == image.installer_image()


def test_an_upgrade_plan_refuses_the_class_with_the_way_to_go():
    refusal = message(lambda: UpgradePlan(nodes=nodes("1.13.9"), to="1.14.2"))

    assert refusal.startswith("'passthrough' must be left out in an upgrade plan (got Passthrough(")
    assert "move the virtual machines to other nodes or stop them, upgrade with the installer of the Schematic" in refusal
