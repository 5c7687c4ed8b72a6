"""What the kernel writes while NVIDIA's driver starts, well or with a fault.

NVIDIA/open-gpu-kernel-modules 580.95.05 kernel-open/nvidia/{nv.c,nv-pci.c}, src/nvidia/arch/nvalloc/unix/src/osinit.c; threads of
siderolabs/talos and NVIDIA/open-gpu-kernel-modules for the lines of firmware and hardware.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from talos_outputs import TalosSide

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


def driver_lines(side: TalosSide) -> list[Line]:
    """The lines of the modules, the cards and their faults."""
    return list(_lines(side))


def _lines(side: TalosSide) -> Iterator[Line]:
    from talos_outputs import PRODUCTS, address, banner

    facts = set(side.facts)
    for name in side.configured if Fact.MODULE_NOT_FOUND in facts else []:
        yield _controller(f'error loading module \\"{name}\\": module not found')
    if Fact.KEY_REJECTED in facts:
        yield "kern", "err", "Loading of module with unavailable key is rejected"
        yield _controller('error loading module \\"nvidia\\": load nvidia failed: key was rejected by service')
    if "nvidia" not in side.configured or not side.modules_extension or facts & {Fact.MODULE_NOT_FOUND, Fact.KEY_REJECTED}:
        return
    first = address(0)
    number = PRODUCTS[side.machine.cards[0].product][1][2:] if side.machine.cards else ""
    yield "kern", "warning", "nvidia: loading out-of-tree module taints kernel."
    yield "kern", "info", "nvidia-nvlink: Nvlink Core is being initialized, major device number 237"
    if Fact.VFIO in facts:
        yield "kern", "info", "vfio_pci: add [10de:2684[ffffffff:ffffffff]] class 0x000000/00000000"
        yield "kern", "warning", f"NVRM: GPU {first} is already bound to vfio-pci."
        yield "kern", "warning", "NVRM: The NVIDIA probe routine was not called for 1 device(s)."
        yield "kern", "warning", "NVRM: This can occur when another driver was loaded and"
        yield "kern", "warning", "NVRM: obtained ownership of the NVIDIA device(s)."
        yield "kern", "warning", "NVRM: No NVIDIA devices probed."
    if Fact.NO_CARD in facts:
        yield "kern", "warning", "NVRM: No NVIDIA GPU found."
    if Fact.NEEDS_OPEN in facts:
        yield "kern", "warning", f"NVRM: The NVIDIA GPU {first} (PCI ID: 10de:{number})"
        yield "kern", "warning", "NVRM: installed in this system requires use of the NVIDIA open kernel modules."
        yield from _failed_probe(first)
    if Fact.NEEDS_PROPRIETARY in facts:
        yield "kern", "warning", f"NVRM: The NVIDIA GPU {first} (PCI ID: 10de:{number})"
        yield "kern", "warning", "NVRM: installed in this system is not supported by open"
        yield "kern", "warning", "NVRM: nvidia.ko because it does not include the required GPU"
        yield "kern", "warning", "NVRM: System Processor (GSP)."
        yield from _failed_probe(first)
    if any(each.unloads for each in facts):
        yield _controller('error loading module \\"nvidia\\": load nvidia failed: no such device')
        return
    yield "kern", "info", f"nvidia {first}: enabling device (0000 -> 0003)"
    yield "kern", "info", f"NVRM: loading {banner(side)}"
    if Fact.GSP in facts:
        yield "kern", "err", "NVRM: kgspBootstrap_TU102: unexpected WPR2 already up, cannot proceed with booting GSP"
        yield "kern", "err", "NVRM: kgspInitRm_IMPL: cannot bootstrap riscv/gsp: 0x40"
        yield "kern", "err", "NVRM: RmInitAdapter: Cannot initialize GSP firmware RM"
        yield "kern", "err", f"NVRM: GPU {first}: RmInitAdapter failed! (0x62:0x40:2028)"
        yield "kern", "err", f"NVRM: GPU {first}: rm_init_adapter failed, device minor number 0"
        return
    if "nvidia_uvm" in side.modules:
        yield "kern", "info", "nvidia-uvm: Loaded the UVM driver, major device number 235."
    if "nvidia_drm" in side.modules:
        yield "kern", "info", f"[drm] Initialized nvidia-drm 0.0.0 for {first} on minor 1"
    if Fact.XID_79 in facts:
        short = first.rpartition(".")[0]
        yield "kern", "err", f"NVRM: GPU at PCI:{short}: GPU-1f2e3d4c-0000-0000-0000-000000000001"
        yield "kern", "err", f"NVRM: Xid (PCI:{short}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
        yield "kern", "err", f"NVRM: GPU {first}: GPU has fallen off the bus."
    if Fact.API_MISMATCH in facts:
        yield "kern", "err", "NVRM: API mismatch: the client has the version 595.91.07, but"
        yield "kern", "err", f"NVRM: this kernel module has the version {side.driver_version}.  Please"
        yield "kern", "err", "NVRM: make sure that this kernel module and all NVIDIA driver"
        yield "kern", "err", "NVRM: components have the same version."


def _failed_probe(address: str) -> Iterator[Line]:
    yield "kern", "warning", f"nvidia {address}: probe with driver nvidia failed with error -1"
    yield "kern", "warning", "NVRM: The NVIDIA probe routine failed for 1 device(s)."
    yield "kern", "warning", "NVRM: None of the NVIDIA devices were initialized."


def _controller(error: str) -> Line:
    fields = f'{{"component": "controller-runtime", "controller": "runtime.KernelModuleSpecController", "error": "{error}"}}'
    return "user", "warning", f"[talos] controller failed {fields}"
