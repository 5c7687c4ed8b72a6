"""`Passthrough`: the GPUs of a class of nodes belong to virtual machines, each card to one machine.

https://kubevirt.io/user-guide/compute/host-devices/
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from ..arguments.errors import Argument, Phrase, wrong
from ..arguments.fields import call, named
from ..arguments.keywords import named_arguments
from ..arguments.plain_values import instance, text, texts
from ..upstream.nvidia.driver_branches import KernelModules
from ..upstream.nvidia.gpu_resources import is_gpu
from ..upstream.nvidia.plugin_words import MigStrategy
from ..upstream.nvidia.virtual_machines import IOMMU_ARGS, NVIDIA_VENDOR, PASSTHROUGH_WORKLOAD, PLUGIN_NAMESPACE, WORKLOAD_LABEL
from ..upstream.talos.platforms import Arch

# A name of Kubernetes' extended resources: a DNS name, a slash, and a name of at most 63 characters.
_RESOURCE = r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?"


def _to_pci_ids(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    rule = "a PCI ID of NVIDIA's such as '10de:2204'"
    ids = [each.lower() for each in texts(argument, value)]
    if not ids:
        raise wrong(argument, "a list of PCI IDs, the GPU first", [], "lspci -nn -d 10de: prints the IDs")
    for index, pci_id in enumerate(ids):
        name = f"{argument}[{index}]"
        if re.fullmatch(r"([0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", pci_id):
            raise wrong(name, rule, pci_id, "this is the address of one device; lspci -nn -d 10de: prints the IDs in brackets")
        if not re.fullmatch(r"[0-9a-f]{4}:[0-9a-f]{4}", pci_id):
            raise wrong(name, rule, pci_id, "vendor and device have 4 hexadecimal digits each")
        if not pci_id.startswith(f"{NVIDIA_VENDOR}:"):
            raise wrong(name, rule, pci_id, f"NVIDIA's vendor ID is {NVIDIA_VENDOR}")
        if pci_id in ids[:index]:
            raise wrong(name, "named once", pci_id, "an ID means every device of its kind in the node")
    return tuple(ids)


def _to_resource_name(value: str | None, argument: str = "") -> str | None:
    if value is None:
        return None
    rule = "a resource such as 'nvidia.com/GA102GL_A10'"
    if not re.fullmatch(_RESOURCE, text(argument, value, rule)):
        raise wrong(argument, rule, value)
    if is_gpu(value):
        raise wrong(argument, rule, value, "a device plugin for containers advertises this name")
    return value


def _to_iommu_args(value: Iterable[str] | None, argument: str = "") -> tuple[str, ...] | None:
    if value is None:
        return None
    arguments = texts(argument, value)
    for index, each in enumerate(arguments):
        if not re.fullmatch(r"[a-z_.]*iommu[a-z_.]*=\S+", each):
            hint = "other arguments belong to the Schematic"
            raise wrong(f"{argument}[{index}]", "an argument for the IOMMU such as 'iommu=pt'", each, hint)
    return tuple(arguments)


@named_arguments(pci_ids="Talos' kernel takes the devices with these IDs")
@attrs.frozen(kw_only=True, repr=False, field_transformer=named)
class Passthrough:
    """Whole GPUs for virtual machines, set by `GpuNodes(passthrough=Passthrough(…))`: PCI passthrough for KubeVirt.

    The image of such nodes has no NVIDIA extension: with NVIDIA's modules on the node the card would not be free for a
    machine. At every boot `vfio_pci` takes all devices with the given IDs, so a node gives all its cards to machines,
    and none to containers. The nodes of a class have one kind of GPU.

    Args:
        pci_ids: The PCI IDs of one card, as `vendor:device`: first its GPU, then the other devices of the card, such as
            audio and USB. All devices of an IOMMU group go to one machine together. `lspci -nn -d 10de:` prints the
            IDs, and so does `talosctl get pcidevices -o yaml`.
        resource_name: The resource by which a virtual machine requests a card. With the GPU operator the name follows
            from NVIDIA's own list, such as `nvidia.com/GA102GL_A10`. Without the operator the name is free. Default:
            `nvidia.com/pci-` and the ID of the GPU.
        iommu_args: The kernel arguments for the IOMMU. Talos' kernel turns the IOMMU on by itself, so an empty list is
            right as well, for Omni's machine sets for example. Default: `intel_iommu=on iommu=pt` on amd64, none on
            arm64.

    Raises:
        TypeError, ValueError: `'pci_ids[0]' must be a PCI ID of NVIDIA's such as '10de:2204' …`, and a similar error
            for every argument.

    Example:
        >>> cards = Passthrough(pci_ids=["10de:2204", "10de:1aef"])
        >>> cards.resource, cards.module_parameter
        ('nvidia.com/pci-2204', 'ids=10de:2204,10de:1aef')

    https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-operator-kubevirt.html
    """

    pci_ids: tuple[str, ...] = attrs.field(converter=_to_pci_ids)
    resource_name: str | None = attrs.field(default=None, converter=_to_resource_name)
    iommu_args: tuple[str, ...] | None = attrs.field(default=None, converter=_to_iommu_args)

    def __repr__(self) -> str:
        """The constructor call, without the arguments that have their default."""
        return call(self, pci_ids=list(self.pci_ids), iommu_args=None if self.iommu_args is None else list(self.iommu_args))

    @property
    def gpu_id(self) -> str:
        """The PCI ID of the GPU, the first of the IDs."""
        return self.pci_ids[0]

    @property
    def resource(self) -> str:
        """The resource by which a virtual machine requests a card."""
        return self.resource_name or f"{PLUGIN_NAMESPACE}pci-{self.gpu_id.removeprefix(f'{NVIDIA_VENDOR}:')}"

    @property
    def module_parameter(self) -> str:
        """The parameter by which `vfio_pci` takes the devices."""
        return f"ids={','.join(self.pci_ids)}"

    @property
    def node_labels(self) -> dict[str, str]:
        """The label that keeps the GPU operator's operands for containers off the nodes."""
        return {WORKLOAD_LABEL: PASSTHROUGH_WORKLOAD}

    def kernel_args(self, arch: Arch) -> tuple[str, ...]:
        """The kernel arguments for the IOMMU."""
        return IOMMU_ARGS[arch] if self.iommu_args is None else self.iommu_args


def check_passthrough(passthrough: Passthrough, others: Mapping[str, Any]) -> None:
    """Refuse settings for containers where virtual machines have the GPUs. `others` has the other arguments."""
    instance("passthrough", passthrough, Passthrough, "a Passthrough", "such as Passthrough(pci_ids=['10de:2204', '10de:1aef'])")
    left_out = Phrase("left out with ", Argument("passthrough"))
    hints = {
        "sharing": "one virtual machine has a whole card",
        "mig_devices": "one virtual machine has a whole card, and partitions it",
        "dra": "the DRA driver needs NVIDIA's driver on the node (kubernetes-sigs/dra-driver-nvidia-gpu#1292)",
        "driver_track": "the image has no NVIDIA extension: the driver is in the virtual machine",
    }
    hints |= {"mig_strategy": hints["mig_devices"], "kernel_modules": hints["driver_track"]}
    for argument, hint in hints.items():
        value = others[argument]
        if value not in (None, MigStrategy.NONE, KernelModules.OPEN):
            raise wrong(argument, left_out, str(value) if isinstance(value, str) else value, hint)
    product = others["product"]
    if isinstance(product, str):
        from ..upstream.nvidia.card_names import is_on_arm64  # only a `product` needs the table of cards

        if is_on_arm64(product):
            hint = "the kernel of Talos has no VFIO driver for a GPU on one board with an Arm processor (NVGRACE_GPU_VFIO_PCI is not set)"
            raise wrong("product", Phrase("a card of its own with ", Argument("passthrough")), product, hint)
    for argument in ("labels", "extra_labels"):
        if (value := others[argument].get(WORKLOAD_LABEL, PASSTHROUGH_WORKLOAD)) != PASSTHROUGH_WORKLOAD:
            raise wrong(f"{argument}[{WORKLOAD_LABEL}]", Phrase(f"'{PASSTHROUGH_WORKLOAD}' with ", Argument("passthrough")), value)
