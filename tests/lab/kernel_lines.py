"""What the kernel writes while NVIDIA's driver starts, well or with a fault: the sentences with the files or threads in which they stand."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sentences import CONTROLLER_FAILED, ERRNO, HEALTHY, LOAD_FAILED, NO_MODULE, NOT_LOADING, SEEN, SERVICE_EVENT, Sentence

if TYPE_CHECKING:
    from talos_side import TalosSide

Line = tuple[str, str, str]
Spoken = tuple[str, Sentence, tuple[str, ...]]
"""The priority of a line, its sentence, and the fields of the machine that stand for its verbs."""

_KERNEL = f"{SEEN}NVIDIA/open-gpu-kernel-modules 580.95.05 "
_NV = f"{_KERNEL}kernel-open/nvidia/nv.c"
_PCI = f"{_KERNEL}kernel-open/nvidia/nv-pci.c"
_OSINIT = f"{_KERNEL}src/nvidia/arch/nvalloc/unix/src/osinit.c"
_GSP = f"{SEEN}NVIDIA/open-gpu-kernel-modules#789 and #1230"
_LOST = f"{SEEN}NVIDIA/open-gpu-kernel-modules#507"
_MISMATCH = f"{SEEN}NVIDIA/k8s-device-plugin#1431"
_LINUX = f"{SEEN}linux 6.18 "


def _line(priority: str, words: str, source: str, *fields: str) -> Spoken:
    return priority, Sentence(words, source), fields


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
        return self not in (Fact.GSP, Fact.XID_79, Fact.API_MISMATCH, Fact.NEEDS_OPEN)


_FAILED_PROBE = (
    _line("warning", "nvidia %s: probe with driver nvidia failed with error -1", f"{_LINUX}drivers/base/dd.c", "card"),
    _line("warning", "NVRM: The NVIDIA probe routine failed for 1 device(s).", _NV),
    _line("warning", "NVRM: None of the NVIDIA devices were initialized.", _NV),
)
_UNSUPPORTED = _line("warning", "NVRM: The NVIDIA GPU %s (PCI ID: 10de:%s)", _OSINIT, "card", "number")
# The lines after those of the module, and in the place of those of the card where the module does not stay in the kernel.
_OF_FACTS: Mapping[Fact, tuple[Spoken, ...]] = {
    Fact.VFIO: (
        _line(
            "info", "vfio_pci: add [10de:%s[ffffffff:ffffffff]] class 0x000000/00000000", f"{_LINUX}drivers/vfio/pci/vfio_pci.c", "number"
        ),
        _line("warning", "NVRM: GPU %s is already bound to vfio-pci.", _PCI, "card"),
        _line("warning", "NVRM: The NVIDIA probe routine was not called for 1 device(s).", _NV),
        _line("warning", "NVRM: This can occur when another driver was loaded and", _NV),
        _line("warning", "NVRM: obtained ownership of the NVIDIA device(s).", _NV),
        _line("warning", "NVRM: No NVIDIA devices probed.", _NV),
    ),
    Fact.NO_CARD: (_line("warning", "NVRM: No NVIDIA GPU found.", _NV),),
    Fact.NEEDS_OPEN: (
        _UNSUPPORTED,
        _line("warning", "NVRM: installed in this system requires use of the NVIDIA open kernel modules.", _OSINIT),
        _line("err", "NVRM: GPU %s: RmInitAdapter failed! (0x22:0x56:884)", _GSP, "card"),
        _line("err", "NVRM: GPU %s: rm_init_adapter failed, device minor number 0", _GSP, "card"),
    ),
    Fact.NEEDS_PROPRIETARY: (
        _UNSUPPORTED,
        _line("warning", "NVRM: installed in this system is not supported by open", _OSINIT),
        _line("warning", "NVRM: nvidia.ko because it does not include the required GPU", _OSINIT),
        _line("warning", "NVRM: System Processor (GSP).", _OSINIT),
        *_FAILED_PROBE,
    ),
    Fact.GSP: (
        _line("err", "NVRM: _kgspBootGspRm: unexpected WPR2 already up, cannot proceed with booting GSP", _GSP),
        _line("err", "NVRM: _kgspBootGspRm: (the GPU is likely in a bad state and may need to be reset)", _GSP),
        _line("err", "NVRM: RmInitAdapter: Cannot initialize GSP firmware RM", _GSP),
        _line("err", "NVRM: GPU %s: RmInitAdapter failed! (0x62:0x40:2028)", _GSP, "card"),
        _line("err", "NVRM: GPU %s: rm_init_adapter failed, device minor number 0", _GSP, "card"),
    ),
    Fact.XID_79: (
        _line("err", "NVRM: GPU at PCI:%s: GPU-1f2e3d4c-0000-0000-0000-000000000001", _LOST, "slot"),
        _line("err", "NVRM: Xid (PCI:%s): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", _LOST, "slot"),
        _line("err", "NVRM: GPU %s: GPU has fallen off the bus.", _LOST, "card"),
    ),
    Fact.API_MISMATCH: (
        _line("err", "NVRM: API mismatch: the client has the version 595.91.07, but", _MISMATCH),
        _line("err", "NVRM: this kernel module has the version %s.  Please", _MISMATCH, "version"),
        _line("err", "NVRM: make sure that this kernel module and all NVIDIA driver", _MISMATCH),
        _line("err", "NVRM: components have the same version.", _MISMATCH),
    ),
}
_MODULE = (
    _line("warning", "nvidia: loading out-of-tree module taints kernel.", f"{_LINUX}kernel/module/main.c"),
    _line(
        "info",
        "nvidia-nvlink: Nvlink Core is being initialized, major device number 237",
        f"{_KERNEL}kernel-open/nvidia/nvlink_linux.c",
    ),
)
_REJECTED = _line("err", "Loading of module with unavailable key is rejected", f"{_LINUX}kernel/module/signing.c")
_CARD = (
    _line("info", "nvidia %s: enabling device (0000 -> 0003)", f"{_LINUX}drivers/pci/setup-res.c", "card"),
    _line("info", "NVRM: loading %s", _NV, "banner"),
)
_UVM = _line("info", "nvidia-uvm: Loaded the UVM driver, major device number 235.", f"{_KERNEL}kernel-open/nvidia-uvm/uvm.c")
_DRM = _line("info", "[drm] Initialized nvidia-drm 0.0.0 for %s on minor 1", f"{_LINUX}drivers/gpu/drm/drm_drv.c", "card")
_BANNER = _line(
    "notice",
    "Linux version %s-talos (@buildkitsandbox) (gcc (GCC) 15.2.0, GNU ld (GNU Binutils) 2.45.1)",
    f"{_LINUX}init/version.c",
    "kernel",
)
SENTENCES = (
    *(sentence for lines in _OF_FACTS.values() for _, sentence, _ in lines),
    *(sentence for _, sentence, _ in (*_MODULE, _REJECTED, *_CARD, _UVM, _DRM, _BANNER)),
)


def kernel_log(side: TalosSide) -> list[Line]:
    """The lines of the kernel and of Talos."""
    kubelet = _talos(SERVICE_EVENT("kubelet", "Running", HEALTHY()))
    return [_said(side, _BANNER), *_driver_lines(side), kubelet]


def _driver_lines(side: TalosSide) -> list[Line]:
    """The lines of the modules, the cards and their faults."""
    facts = side.facts
    if Fact.MODULE_NOT_FOUND in facts:
        return [_controller("\n".join(NOT_LOADING(name, NO_MODULE()) for name in side.configured))]
    no_device, no_key = (NOT_LOADING("nvidia", LOAD_FAILED("nvidia", error())) for error in ERRNO)
    if Fact.KEY_REJECTED in facts:
        return [_said(side, _REJECTED), _controller(no_key)]
    if "nvidia" not in side.configured or not side.modules_extension:
        return []
    unloads = any(each.unloads for each in facts)
    spoken = [*_MODULE, *(() if unloads else _of_card(side)), *(line for each in facts for line in _OF_FACTS[each])]
    lines = [_said(side, each) for each in spoken]
    return [*lines, _controller(no_device)] if unloads else lines


def _of_card(side: TalosSide) -> Iterator[Spoken]:
    """The start of the driver on a card that it takes."""
    yield from _CARD
    if "nvidia_uvm" in side.modules:
        yield _UVM
    if "nvidia_drm" in side.modules:
        yield _DRM


def _said(side: TalosSide, spoken: Spoken) -> Line:
    priority, sentence, fields = spoken
    card = side.card_address
    values = {
        "card": card,
        "slot": card.rpartition(".")[0],
        "number": side.card_number,
        "version": side.driver_version,
        "banner": side.banner,
        "kernel": side.release.kernel,
    }
    return "kern", priority, sentence(*(values[each] for each in fields))


def _controller(error: str) -> Line:
    return _talos(CONTROLLER_FAILED("runtime.KernelModuleSpecController", error))


def _talos(sentence: str) -> Line:
    return "user", "warning", f"[talos] {sentence}"
