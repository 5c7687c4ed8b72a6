"""What the kernel writes while NVIDIA's driver starts, well or with a fault.

NVIDIA/open-gpu-kernel-modules 580.95.05 kernel-open/nvidia/{nv.c,nv-pci.c}, src/nvidia/arch/nvalloc/unix/src/osinit.c; threads of
siderolabs/talos and NVIDIA/open-gpu-kernel-modules for the lines of firmware and hardware.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from talos_side import TalosSide

Line = tuple[str, str, str]


class Fact(enum.Enum):
    """A fault that the kernel's log shows."""

    MODULE_NOT_FOUND = "module not found"
    KEY_REJECTED = "key rejected"
    VFIO = "vfio-pci has the card"
    NEEDS_OPEN = "proprietary modules on a card that needs open ones"
    NEEDS_PROPRIETARY = "open modules on a card without a GSP"
    GSP = "the firmware of the GSP does not start"
    XID_79 = "the card has fallen off the bus"
    NO_CARD = "no card on the bus"
    API_MISMATCH = "libraries of another version"

    @property
    def unloads(self) -> bool:
        """Whether the module nvidia does not stay in the kernel."""
        return self not in (Fact.GSP, Fact.XID_79, Fact.API_MISMATCH)


_FAILED_PROBE = (
    ("warning", "nvidia {card}: probe with driver nvidia failed with error -1"),
    ("warning", "NVRM: The NVIDIA probe routine failed for 1 device(s)."),
    ("warning", "NVRM: None of the NVIDIA devices were initialized."),
)
# The lines after those of the module, and in the place of those of the card where the module does not stay in the kernel.
_OF_FACTS: Mapping[Fact, tuple[tuple[str, str], ...]] = {
    Fact.VFIO: (
        ("info", "vfio_pci: add [10de:{number}[ffffffff:ffffffff]] class 0x000000/00000000"),
        ("warning", "NVRM: GPU {card} is already bound to vfio-pci."),
        ("warning", "NVRM: The NVIDIA probe routine was not called for 1 device(s)."),
        ("warning", "NVRM: This can occur when another driver was loaded and"),
        ("warning", "NVRM: obtained ownership of the NVIDIA device(s)."),
        ("warning", "NVRM: No NVIDIA devices probed."),
    ),
    Fact.NO_CARD: (("warning", "NVRM: No NVIDIA GPU found."),),
    Fact.NEEDS_OPEN: (
        ("warning", "NVRM: The NVIDIA GPU {card} (PCI ID: 10de:{number})"),
        ("warning", "NVRM: installed in this system requires use of the NVIDIA open kernel modules."),
        *_FAILED_PROBE,
    ),
    Fact.NEEDS_PROPRIETARY: (
        ("warning", "NVRM: The NVIDIA GPU {card} (PCI ID: 10de:{number})"),
        ("warning", "NVRM: installed in this system is not supported by open"),
        ("warning", "NVRM: nvidia.ko because it does not include the required GPU"),
        ("warning", "NVRM: System Processor (GSP)."),
        *_FAILED_PROBE,
    ),
    Fact.GSP: (
        ("err", "NVRM: kgspBootstrap_TU102: unexpected WPR2 already up, cannot proceed with booting GSP"),
        ("err", "NVRM: kgspInitRm_IMPL: cannot bootstrap riscv/gsp: 0x40"),
        ("err", "NVRM: RmInitAdapter: Cannot initialize GSP firmware RM"),
        ("err", "NVRM: GPU {card}: RmInitAdapter failed! (0x62:0x40:2028)"),
        ("err", "NVRM: GPU {card}: rm_init_adapter failed, device minor number 0"),
    ),
    Fact.XID_79: (
        ("err", "NVRM: GPU at PCI:{slot}: GPU-1f2e3d4c-0000-0000-0000-000000000001"),
        ("err", "NVRM: Xid (PCI:{slot}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),
        ("err", "NVRM: GPU {card}: GPU has fallen off the bus."),
    ),
    Fact.API_MISMATCH: (
        ("err", "NVRM: API mismatch: the client has the version 595.91.07, but"),
        ("err", "NVRM: this kernel module has the version {version}.  Please"),
        ("err", "NVRM: make sure that this kernel module and all NVIDIA driver"),
        ("err", "NVRM: components have the same version."),
    ),
}


def driver_lines(side: TalosSide) -> list[Line]:
    """The lines of the modules, the cards and their faults."""
    facts = side.facts
    if Fact.MODULE_NOT_FOUND in facts:
        return [_controller(f'error loading module \\"{name}\\": module not found') for name in side.configured]
    if Fact.KEY_REJECTED in facts:
        rejected = ("kern", "err", "Loading of module with unavailable key is rejected")
        return [rejected, _controller('error loading module \\"nvidia\\": load nvidia failed: key was rejected by service')]
    if "nvidia" not in side.configured or not side.modules_extension:
        return []
    lines = [
        ("warning", "nvidia: loading out-of-tree module taints kernel."),
        ("info", "nvidia-nvlink: Nvlink Core is being initialized, major device number 237"),
    ]
    unloads = any(each.unloads for each in facts)
    if not unloads:
        lines += _of_card(side)
    card = side.card_address
    words = {"card": card, "slot": card.rpartition(".")[0], "number": side.card_number, "version": side.driver_version}
    lines += [(priority, text.format(**words)) for each in facts for priority, text in _OF_FACTS[each]]
    written = [("kern", priority, text) for priority, text in lines]
    return [*written, _controller('error loading module \\"nvidia\\": load nvidia failed: no such device')] if unloads else written


def _of_card(side: TalosSide) -> Iterator[tuple[str, str]]:
    """The start of the driver on a card that it takes."""
    yield "info", f"nvidia {side.card_address}: enabling device (0000 -> 0003)"
    yield "info", f"NVRM: loading {side.banner}"
    if "nvidia_uvm" in side.modules:
        yield "info", "nvidia-uvm: Loaded the UVM driver, major device number 235."
    if "nvidia_drm" in side.modules:
        yield "info", f"[drm] Initialized nvidia-drm 0.0.0 for {side.card_address} on minor 1"


def _controller(error: str) -> Line:
    fields = f'{{"component": "controller-runtime", "controller": "runtime.KernelModuleSpecController", "error": "{error}"}}'
    return "user", "warning", f"[talos] controller failed {fields}"
