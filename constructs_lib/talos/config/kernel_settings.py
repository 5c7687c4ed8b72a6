"""The kernel modules of a class of GPU nodes, their parameters, and kernel settings (sysctls); and those of nodes whose
GPUs belong to virtual machines: `vfio_pci` takes the cards, and no NVIDIA extension is in the image.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from ...arguments.errors import Argument, Phrase, Value, wrong
from ...arguments.plain_values import given, mapping, text, texts
from ...arguments.spelling import did_you_mean
from ...nodes.fabric_manager import may_have_nvlink5
from ...nodes.gpu_nodes import GpuNodes
from ...upstream.nvidia.driver_branches import KernelModules
from ...upstream.nvidia.virtual_machines import VFIO_MODULES, VFIO_PCI
from ...upstream.talos.features import (
    BPF_JIT_HARDEN,
    DMA_BUF,
    GDRCOPY,
    GDRCOPY_MODULE,
    GRUB_WITH_UKI_ARGUMENTS,
    KERNEL_MODULES,
    PEERMEM_MODULE,
    UMAD_MODULE,
)
from ...upstream.talos.generations import Generation

if TYPE_CHECKING:
    from ...nodes.passthrough import Passthrough

_INSTEAD: dict[str, str | Phrase] = {
    GDRCOPY_MODULE: Phrase("use ", Argument("gdrcopy", True)),
    PEERMEM_MODULE: "it needs Mellanox OFED, which Talos does not have ('invalid argument', siderolabs/talos#12021); for "
    "GPUDirect RDMA use DMA-BUF, which needs no further module: open kernel modules, Talos "
    f"{DMA_BUF.first} or newer",
}
_WITHOUT_EXTENSION = "the GPUs of these nodes belong to virtual machines, so the image has no NVIDIA extension"


def modules(nodes: GpuNodes, *, gdrcopy: bool, fabric_manager: bool, extra: Sequence[str]) -> list[str]:
    """The modules to load. Talos loads the dependencies of a module by itself."""
    if nodes.passthrough is not None:
        return [*VFIO_MODULES, *(name for name in extra if _in_kernel(name) not in VFIO_MODULES)]
    needed = [*KERNEL_MODULES, *([GDRCOPY_MODULE] if gdrcopy else [])]
    if fabric_manager and may_have_nvlink5(nodes):
        needed.append(UMAD_MODULE)
    return [*needed, *(name for name in extra if _in_kernel(name) not in needed)]


def to_extra_modules(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    """Names of kernel modules, without modules that the patch contains anyway or that Talos can't load."""
    names = texts(argument, value)
    for index, name in enumerate(names):
        item, module = f"{argument}[{index}]", _in_kernel(name)
        if not re.fullmatch(r"[A-Za-z0-9_-]+", name, re.ASCII):
            hint = "for parameters use 'kernel_module_parameters'" * (" " in name)
            raise wrong(item, "the name of a kernel module such as 'nbd'", name, hint)
        if module in map(_in_kernel, names[:index]):
            raise wrong(item, "named once", name)
        if module in (*KERNEL_MODULES, GDRCOPY_MODULE, PEERMEM_MODULE):
            raise wrong(item, "left out", name, _INSTEAD.get(module, "every patch for GPU nodes contains this module"))
    return tuple(names)


def _in_kernel(module: str) -> str:
    """The kernel's spelling of a module's name."""
    return module.replace("-", "_")


def card_kernel_args(nodes: GpuNodes) -> list[str]:
    """The kernel arguments that the card of the nodes needs in the image."""
    if nodes.product is None:
        return []
    from ...nodes.cards import kernel_args  # only a `product` needs the table of cards

    return kernel_args(nodes.product, nodes.talos_version)


def grub_note(nodes: GpuNodes) -> tuple[str, ...]:
    """The nodes that ignore the kernel arguments of their image, and the command that finds these nodes."""
    can_read = nodes.talos_version.minor in GRUB_WITH_UKI_ARGUMENTS
    exception = ", unless machine.install.grubUseUKICmdline is true" if can_read else ""
    return (
        f"A node that boots by GRUB ignores the kernel arguments of its image{exception}.",
        "  talosctl --nodes ADDRESS get securitystate -o yaml  # bootedWithUKI is false on a node that boots by GRUB",
    )


def check_gdrcopy(value: bool, nodes: GpuNodes) -> None:
    """Refuse gdrcopy when the image of the nodes has no module for it."""
    if value and nodes.kernel_modules is not KernelModules.OPEN:
        rule = Phrase(Value(False), " with ", Argument("kernel_modules", nodes.kernel_modules))
        raise wrong("gdrcopy", rule, value, f"Talos builds {GDRCOPY_MODULE} only with the open modules")
    if value and nodes.talos_version.minor not in GDRCOPY:
        rule = Phrase(Value(False), f" on Talos {nodes.talos_version}")
        raise wrong("gdrcopy", rule, value, f"Talos has the module {GDRCOPY_MODULE} from {GDRCOPY.first} on")


def to_parameters(value: Mapping[str, Iterable[str]] | None, argument: str = "") -> Mapping[str, tuple[str, ...]]:
    """Parameters by kernel module."""
    modules = mapping(argument, given(value), "a mapping of kernel modules to lists of parameters")
    return MappingProxyType({module: _parameters(f"{argument}[{module}]", parameters) for module, parameters in modules.items()})


def _parameters(argument: str, value: object) -> tuple[str, ...]:
    parameters = texts(argument, value)
    for parameter in parameters:
        if not re.fullmatch(r"\w+(=[!-~]*)?", parameter, re.ASCII):
            raise wrong(argument, "a list of 'name=value' without white space", parameter, "Talos separates parameters by spaces")
    return tuple(parameters)


def check_parameters(parameters: Mapping[str, tuple[str, ...]], known: Sequence[str]) -> None:
    """Refuse parameters of a module that is not loaded."""
    for module in parameters:
        if module not in known:
            rule = "keyed by " + ", ".join(f"'{name}'" for name in known)
            with_gdrcopy = Phrase("set ", Argument("gdrcopy", True), " to load this module")
            raise wrong("kernel_module_parameters", rule, module, with_gdrcopy if module == GDRCOPY_MODULE else did_you_mean(module, known))


def to_sysctls(value: Mapping[str, str] | None, argument: str = "") -> Mapping[str, str]:
    """Kernel settings."""
    settings = mapping(argument, given(value), "a mapping of kernel settings to strings")
    for key, setting in settings.items():
        if not re.fullmatch(r"[\w./:-]+", key, re.ASCII):
            raise wrong(argument, "keyed by kernel settings such as 'vm.max_map_count'", key)
        item = f"{argument}[{key}]"
        hint = f"did you mean '{int(setting)}'?" if isinstance(setting, bool | int) else ""
        if not re.fullmatch(r"[ -~]+", text(item, setting, "a string that is not empty", hint)):
            raise wrong(item, "one line of ASCII", setting)
    return MappingProxyType(settings)


def with_needed_sysctls(settings: Mapping[str, str], nodes: GpuNodes) -> dict[str, str]:
    """Kernel settings, with the setting that the generation needs."""
    if nodes.generation is not Generation.LEGACY or nodes.passthrough is not None:
        return dict(settings)
    hardening = settings.get(BPF_JIT_HARDEN, "1")
    if hardening not in {"0", "1"}:
        hint = "with a higher value nvidia-container-cli can't read the eBPF program that it extends (NVIDIA/libnvidia-container#176)"
        raise wrong(f"sysctls[{BPF_JIT_HARDEN}]", f"'0' or '1' on Talos {nodes.talos_version}", hardening, hint)
    return {BPF_JIT_HARDEN: "1", **settings}


def refuse_nvidia(**settings: bool) -> None:
    """Refuse every setting that is True: each belongs to an NVIDIA extension."""
    for argument, value in settings.items():
        if value:
            raise wrong(argument, Phrase(Value(False), " with ", Argument("passthrough")), value, _WITHOUT_EXTENSION)


def refuse_nvidia_extension(argument: str, name: str) -> None:
    """Refuse an NVIDIA extension by name."""
    if "nvidia" in name:
        raise wrong(argument, Phrase("left out with ", Argument("passthrough")), name, _WITHOUT_EXTENSION)


def with_device_ids(parameters: Mapping[str, tuple[str, ...]], cards: Passthrough) -> dict[str, tuple[str, ...]]:
    """The parameters by module, with the PCI IDs of the devices that `vfio_pci` takes."""
    others = parameters.get(VFIO_PCI, ())
    for parameter in others:
        if parameter.partition("=")[0] == "ids":
            hint = "'pci_ids' of Passthrough names the devices"
            raise wrong(f"kernel_module_parameters[{VFIO_PCI}]", "without 'ids'", parameter, hint)
    return {**parameters, VFIO_PCI: (cards.module_parameter, *others)}


def why_vfio(cards: Passthrough) -> list[str]:
    """The comment of the modules in the patch."""
    ids = ", ".join(cards.pci_ids)
    return [
        f"{VFIO_PCI} takes every device with the IDs {ids} at boot, and gives the devices to virtual machines. On a running",
        "node the parameter has an effect after a reboot. Check: talosctl get pcidevices -o yaml (driver: vfio-pci).",
    ]
