"""What says that a node has GPUs for containers, or should have."""

import pytest
from doctor.dump_parts import (
    CARD,
    LOADED,
    all_seen,
    extension_labels,
    extensions,
    gpu_node,
    log,
    machine,
    node_object,
    seen,
    service,
    services,
)

from constructs_lib.doctor.gpu_node import has_gpus


@pytest.mark.parametrize(
    "parts",
    [
        {"extensions": extensions()},
        {"pci": all_seen(CARD)},
        {"modules": all_seen(LOADED)},
        {"configured_modules": all_seen({"nvidia": ""})},
        {"services": services(service("ext-nvidia-persistenced", "Waiting"))},
        {"driver_version": seen("580.126.20")},
        {"kernel_log": log("NVRM: No NVIDIA GPU found.")},
        {"kernel_log": log('error loading module "nvidia": module not found')},
    ],
    ids=lambda parts: next(iter(parts)),
)
def test_each_sign_of_the_driver_or_the_card_makes_a_gpu_node(parts):
    assert has_gpus(gpu_node(machine(**parts)))


@pytest.mark.parametrize("node", [node_object(labels=extension_labels()), node_object(gpus="0")], ids=["labels", "capacity"])
def test_each_sign_of_a_node_object_makes_a_gpu_node(node):
    assert has_gpus(gpu_node(node=node))


@pytest.mark.parametrize(
    "given",
    [
        machine(extensions={}, pci={}, modules={}, configured_modules={}, services={}, kernel_log=log("nvme0n1: p1 p2")),
        machine(configured_modules=all_seen({"vfio_pci": "ids=10de:2684"}), pci=all_seen(CARD), extensions={}),
        machine(pci={"0000:01:00.0": seen("AD102", "0000:01:00.0 AD102 driver vfio-pci")}),
    ],
    ids=["empty", "configured-for-virtual-machines", "bound-to-vfio"],
)
def test_a_machine_without_a_sign_is_no_gpu_node(given):
    assert not has_gpus(gpu_node(given, node_object()))
