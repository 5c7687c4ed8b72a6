"""The flags of the nodes' machine configuration, which `patch` and `upgrade` share."""

from __future__ import annotations

import argparse
from typing import Any

from ..arguments.errors import wrong

CONFIG_FLAGS = (
    "style", "extra_kernel_module", "default_runtime", "base_runtime_spec", "cdi_spec_dir", "kernel_module_parameter", "sysctl",
)  # fmt: skip
"""Every flag that only the machine configuration depends on."""

OF_FIELDS = ("talhelper", "capi")
"""The tools whose providers write the older form of configuration."""


def add_config_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags, named as the arguments of MachineConfigPatch."""
    parser.add_argument("--style", metavar="STYLE", help="fields or documents; default: documents from Talos 1.14 on, else fields")
    parser.add_argument(
        "--extra-kernel-module", action="append", default=[], metavar="NAME", help="a further kernel module to load; repeatable"
    )
    parser.add_argument("--default-runtime", action="store_true", help="run every container with NVIDIA's runtime")
    parser.add_argument(
        "--base-runtime-spec", action="store_true", help="apply machine.baseRuntimeSpecOverrides to NVIDIA's runtime: Talos 1.9 or newer"
    )
    parser.add_argument(
        "--cdi-spec-dir", action="append", default=[], metavar="FOLDER", help="a folder with CDI specifications; repeatable"
    )
    parser.add_argument(
        "--kernel-module-parameter", action="append", default=[], metavar="MODULE.PARAMETER=VALUE",
        help="a parameter of a kernel module, such as nvidia.NVreg_EnableGpuFirmware=1; repeatable",
    )  # fmt: skip
    parser.add_argument("--sysctl", action="append", default=[], metavar="KEY=VALUE", help="a kernel setting; repeatable")


def config_of(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of MachineConfigPatch that the flags give."""
    settings = {
        "style": options.style,
        "extra_kernel_modules": options.extra_kernel_module,
        "default_runtime": options.default_runtime,
        "base_runtime_spec": options.base_runtime_spec,
        "cdi_spec_dirs": options.cdi_spec_dir,
        "kernel_module_parameters": _module_parameters(options),
        "sysctls": _sysctls(options),
    }
    return {name: value for name, value in settings.items() if value}


def refuse_documents(options: argparse.Namespace) -> None:
    """Refuse the newer form of configuration with a tool that writes the older form."""
    from ..talos.config.machine_config import ConfigStyle  # only a verb that makes a configuration needs it

    if options.tool in OF_FIELDS and options.style == ConfigStyle.DOCUMENTS:
        tool = "Cluster API's Talos provider" if options.tool == "capi" else options.tool
        hint = f"{tool} knows no documents yet, and Talos 1.14 takes fields as well"
        raise wrong("style", f"'fields' with --for {options.tool}", options.style, hint)


def _module_parameters(options: argparse.Namespace) -> dict[str, list[str]]:
    """The parameters by module, from the notation of the kernel's command line."""
    parameters: dict[str, list[str]] = {}
    for written in options.kernel_module_parameter:
        module, dot, parameter = written.partition(".")
        if not (module and dot and parameter) or "=" in module:
            raise wrong("kernel_module_parameter", "a parameter such as 'nvidia.NVreg_EnableGpuFirmware=1'", written)
        parameters.setdefault(module, []).append(parameter)
    return parameters


def _sysctls(options: argparse.Namespace) -> dict[str, str]:
    settings: dict[str, str] = {}
    for written in options.sysctl:
        key, equals, value = written.partition("=")
        if not equals:
            raise wrong("sysctl", "a setting such as 'vm.max_map_count=262144'", written)
        if settings.setdefault(key, value) != value:
            raise wrong("sysctl", "given with one value for each key", written, f"another flag sets {key}={settings[key]}")
    return settings
