"""The kernel's side of a class of GPU nodes: modules that Talos has to load, their parameters, and settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from .._arguments.errors import Argument, Phrase, Value, wrong
from .._arguments.plain_values import given, mapping, text, texts
from .._arguments.spelling import did_you_mean
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import Generation
from ..upstream.driver_branches import KernelModules
from ..upstream.talos_features import BPF_JIT_HARDEN, GDRCOPY, GDRCOPY_MODULE, KERNEL_MODULES


def modules(*, gdrcopy: bool) -> list[str]:
    """The modules to load; Talos loads what each needs before it."""
    return [*KERNEL_MODULES, *([GDRCOPY_MODULE] if gdrcopy else [])]


def check_gdrcopy(value: bool, nodes: GpuNodes) -> None:
    """Refuse a module that the nodes' image does not have."""
    if value and nodes.kernel_modules is not KernelModules.OPEN:
        raise wrong(
            "gdrcopy",
            Phrase(Value(False), " with ", Argument("kernel_modules", nodes.kernel_modules)),
            value,
            f"Talos has {GDRCOPY_MODULE} with the open modules only",
        )
    if value and nodes.talos_version.minor not in GDRCOPY:
        raise wrong(
            "gdrcopy",
            Phrase(Value(False), f" on Talos {nodes.talos_version}"),
            value,
            f"Talos has {GDRCOPY_MODULE} from {GDRCOPY.first} on",
        )


def to_parameters(value: Mapping[str, Iterable[str]] | None, argument: str = "") -> Mapping[str, tuple[str, ...]]:
    """Parameters by kernel module."""
    modules = mapping(argument, given(value), "a mapping of kernel modules to lists of parameters")
    return MappingProxyType({module: _parameters(f"{argument}[{module}]", parameters) for module, parameters in modules.items()})


def _parameters(argument: str, value: object) -> tuple[str, ...]:
    parameters = texts(argument, value)
    for parameter in parameters:
        if not re.fullmatch(r"\w+(=[!-~]*)?", parameter, re.ASCII):
            raise wrong(argument, "a list of 'name=value' without white space", parameter, "Talos separates them by spaces")
    return tuple(parameters)


def check_parameters(parameters: Mapping[str, tuple[str, ...]], *, gdrcopy: bool) -> None:
    """Refuse parameters of a module that is not loaded."""
    known = modules(gdrcopy=gdrcopy)
    for module in parameters:
        if module not in known:
            rule = "keyed by " + ", ".join(f"'{name}'" for name in known)
            with_gdrcopy = Phrase("it comes with ", Argument("gdrcopy", True))
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
    """Kernel settings, with what the generation needs."""
    if nodes.generation is not Generation.LEGACY:
        return dict(settings)
    hardening = settings.get(BPF_JIT_HARDEN, "1")
    if hardening not in {"0", "1"}:
        hint = "with more, nvidia-container-cli can't read the eBPF program that it extends (NVIDIA/libnvidia-container#176)"
        raise wrong(f"sysctls[{BPF_JIT_HARDEN}]", f"'0' or '1' on Talos {nodes.talos_version}", hardening, hint)
    return {BPF_JIT_HARDEN: "1", **settings}
