"""The cards that KubeVirt may give to virtual machines."""

import pytest

from conftest import message
from constructs_lib import GpuNodes, Passthrough, permitted_host_devices

A10 = Passthrough(pci_ids=["10de:2236", "10de:1aef"], resource_name="nvidia.com/GA102GL_A10")
RTX = Passthrough(pci_ids=["10de:2204"])


def nodes(cards=A10, **given):
    return GpuNodes(talos_version="1.14", passthrough=cards, **given)


def test_kubevirt_advertises_the_gpu_and_no_other_device_of_the_card():
    assert permitted_host_devices(nodes=nodes()) == {
        "pciHostDevices": [{"pciVendorSelector": "10de:2236", "resourceName": "nvidia.com/GA102GL_A10"}]
    }


def test_beside_the_operator_its_plugin_advertises_the_cards():
    assert permitted_host_devices(nodes=nodes(), operator=True) == {
        "pciHostDevices": [
            {"pciVendorSelector": "10de:2236", "resourceName": "nvidia.com/GA102GL_A10", "externalResourceProvider": True}
        ]
    }  # fmt: skip


def test_classes_of_the_same_card_are_one_device_and_classes_of_containers_none():
    classes = [nodes(name="a"), nodes(name="b"), nodes(RTX, name="c"), GpuNodes(talos_version="1.14", name="d")]

    assert [each["pciVendorSelector"] for each in permitted_host_devices(nodes=classes)["pciHostDevices"]] == ["10de:2236", "10de:2204"]


def test_the_name_of_nvidias_list_is_needed_beside_the_operator():
    assert message(lambda: permitted_host_devices(nodes=nodes(RTX), operator=True)).startswith(
        "'resource_name' must be given with operator=True (got None); NVIDIA's device plugin for KubeVirt names a card after its entry in pci.ids"
    )


def test_one_gpu_with_two_names_is_refused():
    other = Passthrough(pci_ids=["10de:2236"], resource_name="example.com/a10")

    assert message(lambda: permitted_host_devices(nodes=[nodes(name="a"), nodes(other, name="b")])) == (
        "'nodes' must be of one resource_name for each GPU (got 'example.com/a10'); KubeVirt knows one resource for each PCI ID, and 10de:2236 is "
        "nvidia.com/GA102GL_A10 as well"
    )


@pytest.mark.parametrize("classes", [GpuNodes(talos_version="1.14"), [GpuNodes(talos_version="1.14")]])
def test_nodes_without_such_cards_are_refused(classes):
    assert message(lambda: permitted_host_devices(nodes=classes)).startswith("'nodes' must be a class with 'passthrough' (got ")
