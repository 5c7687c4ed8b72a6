"""Classes of nodes whose GPUs belong to virtual machines."""

import copy
import pickle

import pytest

from conftest import message
from constructs_lib import Dra, GpuNodes, Mps, Passthrough, TimeSlicing
from constructs_lib.nodes.gpu_nodes import to_container_nodes
from constructs_lib.upstream.talos.platforms import Arch

IDS = ["10de:2204", "10de:1aef"]
CARDS = Passthrough(pci_ids=IDS)


def nodes(**given):
    return GpuNodes(**{"talos_version": "1.14", "passthrough": CARDS, **given})


def refused(error=ValueError, **given):
    return message(lambda: Passthrough(**{"pci_ids": IDS, **given}), error)


def test_the_ids_of_a_card_are_one_parameter_of_the_kernel_module():
    assert CARDS.module_parameter == "ids=10de:2204,10de:1aef"


def test_ids_are_read_in_both_cases_and_written_as_the_kernel_writes_them():
    assert Passthrough(pci_ids=["10DE:2204", "10de:1AEF"]) == CARDS


def test_a_value_is_printed_copied_and_pickled_as_its_call():
    cards = Passthrough(pci_ids=IDS, resource_name="nvidia.com/GA102_GEFORCE_RTX_3090", iommu_args=["iommu=pt"])

    assert repr(cards) == (
        "Passthrough(pci_ids=['10de:2204', '10de:1aef'], resource_name='nvidia.com/GA102_GEFORCE_RTX_3090', iommu_args=['iommu=pt'])"
    )
    assert (
        eval(repr(nodes(passthrough=cards)))
        == copy.deepcopy(nodes(passthrough=cards))
        == pickle.loads(pickle.dumps(nodes(passthrough=cards)))
    )


@pytest.mark.parametrize(
    ("pci_id", "hint"),
    [
        ("10de", "vendor and device have 4 hexadecimal digits each"),
        ("10de:22040", "vendor and device have 4 hexadecimal digits each"),
        ("10de:22g4", "vendor and device have 4 hexadecimal digits each"),
        ("10de:2204\n", "vendor and device have 4 hexadecimal digits each"),
        ("RTX 3090", "vendor and device have 4 hexadecimal digits each"),
        ("0000:01:00.0", "this is the address of one device; lspci -nn -d 10de: prints the IDs in brackets"),
        ("01:00.1", "this is the address of one device; lspci -nn -d 10de: prints the IDs in brackets"),
        ("1002:73bf", "NVIDIA's vendor ID is 10de"),
        ("8086:56a0", "NVIDIA's vendor ID is 10de"),
    ],
)
def test_text_that_is_no_pci_id_of_nvidia_is_refused(pci_id, hint):
    rule = "'pci_ids[1]' must be a PCI ID of NVIDIA's such as '10de:2204'"

    assert refused(pci_ids=["10de:2204", pci_id]) == f"{rule} (got {pci_id.lower()!r}); {hint}"


def test_an_id_twice_and_no_id_are_refused():
    assert refused(pci_ids=["10de:2204", "10DE:2204"]).startswith("'pci_ids[1]' must be named once (got '10de:2204')")
    assert refused(pci_ids=[]) == "'pci_ids' must be a list of PCI IDs, the GPU first (got []); lspci -nn -d 10de: prints the IDs"
    assert "'pci_ids' must be" in refused(TypeError, pci_ids="10de:2204")


@pytest.mark.parametrize("name", ["GA102", "nvidia.com/", "NVIDIA.com/a", "nvidia.com/a b", "nvidia.com/" + "a" * 64])
def test_a_name_that_is_no_resource_is_refused(name):
    assert refused(resource_name=name) == f"'resource_name' must be a resource such as 'nvidia.com/GA102GL_A10' (got {name!r})"


@pytest.mark.parametrize("name", ["nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.10gb"])
def test_the_resource_of_a_device_plugin_for_containers_is_refused(name):
    assert refused(resource_name=name).endswith("a device plugin for containers advertises this name")


@pytest.mark.parametrize("argument", ["iommu", "net.ifnames=0", "iommu=pt intel_iommu=on", "vfio-pci.ids=10de:2204"])
def test_only_arguments_of_the_iommu_are_taken(argument):
    assert refused(iommu_args=[argument]).startswith("'iommu_args[0]' must be an argument for the IOMMU such as 'iommu=pt'")


def test_the_arguments_of_the_iommu_follow_the_architecture_unless_they_are_given():
    assert CARDS.kernel_args(Arch.AMD64) == ("intel_iommu=on", "iommu=pt")
    assert CARDS.kernel_args(Arch.ARM64) == ()
    assert Passthrough(pci_ids=IDS, iommu_args=["amd_iommu=force_isolation"]).kernel_args(Arch.AMD64) == ("amd_iommu=force_isolation",)
    assert Passthrough(pci_ids=IDS, iommu_args=[]).kernel_args(Arch.AMD64) == ()


# The class


def test_a_node_offers_its_cards_by_the_resource_of_virtual_machines():
    named = nodes(gpus_per_node=2, passthrough=Passthrough(pci_ids=IDS, resource_name="nvidia.com/GA102GL_A10"))

    assert (nodes().resource_name, named.resource_name, named.advertised_per_node) == ("nvidia.com/pci-2204", "nvidia.com/GA102GL_A10", 2)


def test_the_nodes_have_the_operators_label_which_selects_them_where_nothing_else_does():
    label = {"nvidia.com/gpu.workload.config": "vm-passthrough"}

    assert nodes().node_labels == nodes().node_selector == label
    assert nodes().node_affinity is None
    assert nodes(name="vms").node_selector == {"nvidia.com/device-plugin.config": "vms"}
    assert nodes(labels={"role": "vms"}).node_selector == {"role": "vms"}
    assert nodes(labels={"role": "vms"}).node_labels == {"role": "vms", **label}


def test_a_card_that_no_driver_of_talos_runs_can_be_passed_through():
    assert "470" in message(lambda: GpuNodes(talos_version="1.14", product="Tesla K80"))

    assert nodes(product="Tesla K80").product == "Tesla K80"


@pytest.mark.parametrize("product", ["GB10", "GH200", "NVIDIA GB200"])
def test_a_card_of_a_superchip_is_refused(product):
    assert message(lambda: nodes(product=product)) == (
        f"'product' must be a card of its own with 'passthrough' (got '{product}'); the kernel of Talos has no VFIO driver for a GPU on one board "
        "with an Arm processor (NVGRACE_GPU_VFIO_PCI is not set)"
    )


@pytest.mark.filterwarnings("ignore::constructs_lib.TalosGpuWarning")
@pytest.mark.parametrize(
    ("argument", "value", "hint"),
    [
        ("sharing", TimeSlicing(replicas=2), "one virtual machine has a whole card"),
        ("sharing", Mps(replicas=2), "one virtual machine has a whole card"),
        ("mig_strategy", "single", "one virtual machine has a whole card, and partitions it"),
        ("mig_devices", {"1g.10gb": 7}, "one virtual machine has a whole card, and partitions it"),
        ("dra", Dra(), "the DRA driver needs NVIDIA's driver on the node (kubernetes-sigs/dra-driver-nvidia-gpu#1292)"),
        ("driver_track", "lts", "the image has no NVIDIA extension: the driver is in the virtual machine"),
        ("kernel_modules", "proprietary", "the image has no NVIDIA extension: the driver is in the virtual machine"),
    ],
)
def test_settings_of_the_driver_and_of_the_device_plugin_are_refused(argument, value, hint):
    refusal = message(lambda: nodes(**{argument: value}))

    assert refusal.startswith(f"'{argument}' must be left out with 'passthrough' (got ")
    assert refusal.endswith(f"; {hint}")


@pytest.mark.parametrize("argument", ["labels", "extra_labels"])
def test_another_workload_in_the_operators_label_is_refused(argument):
    label = "nvidia.com/gpu.workload.config"

    assert message(lambda: nodes(**{argument: {label: "container"}})) == (
        f"'{argument}[{label}]' must be 'vm-passthrough' with 'passthrough' (got 'container')"
    )
    assert nodes(**{argument: {label: "vm-passthrough"}}).node_labels[label] == "vm-passthrough"


def test_a_list_of_ids_is_no_passthrough():
    assert message(lambda: nodes(passthrough=IDS), TypeError).startswith(
        "'passthrough' must be a Passthrough (got ['10de:2204', '10de:1aef'])"
    )


def test_containers_get_no_gpu_of_such_nodes():
    assert message(lambda: to_container_nodes(nodes(), "nodes")) == (
        "'nodes' must be a class without 'passthrough' (got Passthrough(pci_ids=['10de:2204', '10de:1aef'])); the GPUs of these nodes belong to "
        "virtual machines, which request nvidia.com/pci-2204; give a class of other nodes, or leave 'passthrough' of GpuNodes out"
    )
    assert to_container_nodes(GpuNodes(talos_version="1.14")) == GpuNodes(talos_version="1.14")
