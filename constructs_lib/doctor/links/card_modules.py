"""Cards that NVIDIA's modules in the image can't drive: of another architecture, without any driver, or held by
vfio-pci."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...arguments.commands import Command, command
from ...nodes.cards import refusal
from ...nodes.talos_version import TalosVersion
from ...observed.model.talos_machine import Seen
from ...upstream.nvidia.card_names import unsupported
from ...upstream.nvidia.driver_branches import KernelModules
from ...upstream.talos.node_services import NVSWITCH_PRODUCT
from ..fault import Fault
from ..gpu_node import GpuNode, vfio_evidence
from ..node_commands import KERNEL_LOG, PCI_DEVICES, new_image
from ..nvidia_extensions import NvidiaExtension, nvidia_extensions

_BRACKETS = re.compile(r"\[([^\]]+)\]")
_NO_GPU = 'The driver leaves the card alone: "No devices were found", and the device plugin finds no GPU'


def unsupported_cards(node: GpuNode) -> Iterator[Fault]:
    """The fault of a machine whose every card needs other kernel modules, another driver, or has no driver at all."""
    extensions = [each for each in nvidia_extensions(node) if each.flavour]
    cards = _cards(node)
    if len(extensions) != 1 or not cards:
        return
    reasons = {name: _reason(name, extensions[0], node) for name in cards}
    if not all(reasons.values()):
        return
    name, reason = next(iter(reasons.items()))
    without_driver = unsupported(name)
    yield Fault(
        name="card-without-driver" if without_driver else "wrong-kernel-modules",
        cause=f"No driver of Talos runs the card {name}: {without_driver}"
        if without_driver
        else f"{extensions[0].name} {extensions[0].driver} does not run the card {name}: {reason}",
        evidence=(cards[name].evidence, extensions[0].evidence),
        consequence=_NO_GPU,
        fix=_matrix(name) if without_driver else _fix(name, extensions[0], node),
        verify=KERNEL_LOG,
        source="NVIDIA/open-gpu-kernel-modules README.md; siderolabs/talos#8764; cozystack/cozystack#3563",
        rules=("TG076",),
        is_hardware=bool(without_driver),
    )


def _cards(node: GpuNode) -> dict[str, Seen]:
    """The cards by the name that pci.ids has in brackets: `AD102 [GeForce RTX 4090]`. A device without such a name, as
    the sound of a card, is none."""
    devices = node.machine.pci.values() if node.machine and node.machine.pci else ()
    named = ((_BRACKETS.search(each.value), each) for each in devices if NVSWITCH_PRODUCT not in each.value)
    return {found[1]: each for found, each in named if found}


def _reason(name: str, extension: NvidiaExtension, node: GpuNode) -> str:
    """The reason why the modules of the image can't run a card; empty when they can, and for an unknown card."""
    try:
        talos = TalosVersion.parse("talos_version", node.talos_version.value) if node.talos_version else None
    except ValueError:
        talos = None
    track = str(extension.track or "")
    return refusal(name, kernel_modules=str(extension.flavour), driver_track=track, talos_version=talos)


def _matrix(name: str) -> Command:
    return command("talos-gpu matrix --product {name}", name=name)


def _fix(name: str, extension: NvidiaExtension, node: GpuNode) -> Command:
    """The image with the other modules if these run the card, else the releases that do."""
    other = next(each for each in KernelModules if each is not extension.flavour)
    matrix = _matrix(name)
    return (
        matrix
        if refusal(name, kernel_modules=other, driver_track="", talos_version=None)
        else matrix.followed_by(new_image(node, flavour=other))
    )


def card_held_by_vfio(node: GpuNode) -> Iterator[Fault]:
    """The fault of a machine that binds its cards to vfio-pci, for virtual machines."""
    vfio = vfio_evidence(node.machine) if node.machine else None
    if vfio is None:
        return
    yield Fault(
        name="card-held-by-vfio",
        cause="vfio-pci holds the cards, for virtual machines, so NVIDIA's driver can't start them",
        evidence=(vfio,),
        consequence=_NO_GPU,
        fix=command(
            "# containers: remove the ids of the card (10de:…) from the parameters of vfio_pci in machine.kernel.modules, and its PCIDriverRebindConfig; then reboot\n"
            "talosctl --nodes ADDRESS edit machineconfig\n"
            "# virtual machines: an image without NVIDIA's extensions, and no NVIDIA module in machine.kernel.modules"
        ),
        verify=PCI_DEVICES,
        source="NVIDIA/open-gpu-kernel-modules kernel-open/nvidia/nv.c; cozystack/cozystack#2763",
        rules=("TG109",),
    )
