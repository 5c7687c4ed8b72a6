"""`permitted_host_devices`: the cards that KubeVirt may give to virtual machines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...arguments.errors import Argument, Phrase, wrong
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import flag
from ...nodes.gpu_nodes import GpuNodes
from ..charts.settings import to_node_classes


@named_arguments(nodes="the devices are those of a class of nodes")
def permitted_host_devices(*, nodes: GpuNodes | Iterable[GpuNodes], operator: bool = False) -> dict[str, Any]:
    """The value of `spec.configuration.permittedHostDevices` in the KubeVirt object, for the cards of these nodes.

    Makes no object: put the value into your KubeVirt object. A virtual machine then requests a card by
    `devices.gpus[].deviceName`, the `resource_name` of the nodes. The other devices of the card are not listed: they
    follow their IOMMU group.

    Args:
        nodes: The class of nodes with `passthrough`, or several. Classes without `passthrough` have no such devices and
            are left out.
        operator: Whether the GPU operator runs on the nodes. Its device plugin for KubeVirt then advertises the cards,
            under the name of NVIDIA's own list, and KubeVirt does not. Default: False, KubeVirt advertises the cards.

    Raises:
        TypeError, ValueError: `'nodes' must be a class with passthrough …`; `'resource_name' must be given …` for the
            operator; `'nodes' must be of one resource_name …` for one GPU under two names.

    Example:
        >>> cards = Passthrough(pci_ids=["10de:2236", "10de:1aef"], resource_name="nvidia.com/GA102GL_A10")
        >>> permitted_host_devices(nodes=GpuNodes(talos_version="1.14", passthrough=cards))
        {'pciHostDevices': [{'pciVendorSelector': '10de:2236', 'resourceName': 'nvidia.com/GA102GL_A10'}]}

    https://kubevirt.io/user-guide/compute/host-devices/
    """
    external = flag("operator", operator)
    names: dict[str, str] = {}
    for each in to_node_classes(nodes, "nodes"):
        cards = each.passthrough
        if cards is None:
            continue
        if external and cards.resource_name is None:
            hint = "NVIDIA's device plugin for KubeVirt names a card after its entry in pci.ids: kubectl get node NODE -o jsonpath='{.status.allocatable}'"
            raise wrong("resource_name", Phrase("given with ", Argument("operator", True)), None, hint)
        if (other := names.setdefault(cards.gpu_id, cards.resource)) != cards.resource:
            hint = f"KubeVirt knows one resource for each PCI ID, and {cards.gpu_id} is {other} as well"
            raise wrong("nodes", "of one resource_name for each GPU", cards.resource, hint, part="passthrough")
    if not names:
        raise wrong("nodes", Phrase("a class with ", Argument("passthrough")), nodes, "such as Passthrough(pci_ids=['10de:2204'])")
    provider = {"externalResourceProvider": True} if external else {}
    return {"pciHostDevices": [{"pciVendorSelector": gpu, "resourceName": name, **provider} for gpu, name in names.items()]}
