"""The flags of the nodes' image and of their machine configuration, which `schematic`, `patch` and `upgrade` share, and
the image that the nodes have now."""

from __future__ import annotations

import argparse
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..arguments.errors import warn, wrong
from ..arguments.plain_values import texts
from ..nodes.gpu_nodes import GpuNodes
from ..upstream.talos.platforms import Platform
from . import streams
from .files import crash_named, existing
from .flags import REPEATABLE, add_flag
from .nodes_flags import IMAGE_SOURCES, file_class, nodes_of, number, pairs
from .texts import read_text

if TYPE_CHECKING:
    from ..doctor.gpu_node import GpuNode
    from ..observed.model import Inputs
    from ..talos.image.schematic import Schematic

IMAGE_FLAGS = (
    "extension", "fabric_manager", "gdrcopy", "kernel_arg", "sector_size", "embedded_config", "platform", "secureboot", "from_source",
)  # fmt: skip
"""Every flag that only the image depends on."""


def add_image_flags(
    parser: argparse.ArgumentParser, *, of_image: str = "", of_disk: str = "", of_boot: str = "", of_arch: str = ""
) -> None:
    """Add the flags of the image. The conditions say when the verb reads those of the schematic, of the first boot, of
    the platform and Secure Boot, and of the architecture."""
    add_flag(parser, "--extension NAME", f"a further official extension{of_image}; repeatable", **REPEATABLE)
    add_fabric_manager_flag(parser)
    add_flag(parser, "--gdrcopy", "add the device and the module of gdrcopy: open modules, Talos 1.12 or newer")
    argument = f"a kernel argument{of_image}; --kernel-arg=-console drops an argument of Talos; repeatable"
    add_flag(parser, "--kernel-arg ARGUMENT", argument, **REPEATABLE)
    source = f"keep the extensions and settings of the nodes' present image, read from {IMAGE_SOURCES}"
    add_flag(parser, "--from PATH", source)
    add_flag(parser, "--sector-size BYTES", f"the sectors of the disk image{of_disk}: 512 or 4096; default: 512", type=number)
    add_flag(parser, "--embedded-config FILE", f"machine configuration for the image{of_disk}: Talos 1.12 or newer, without secrets")
    add_flag(parser, "--platform PLATFORM", f"the platform of the nodes{of_boot}; default: metal")
    add_flag(parser, "--secureboot", f"use images with Secure Boot{of_boot}")
    add_flag(parser, "--arch ARCH", f"the processor architecture of the nodes{of_arch}; default: that of the card, else amd64")


def add_fabric_manager_flag(parser: argparse.ArgumentParser) -> None:
    """Add the flag of the fabric manager, which follows from the card by default."""
    add_flag(
        parser,
        "--fabric-manager",
        "add NVIDIA's fabric manager and its kernel module, for machines with NVSwitch; default: added for 8 or 16 cards of a board with NVSwitch",
        action=argparse.BooleanOptionalAction,
    )


def schematic_of(options: argparse.Namespace, nodes: GpuNodes | None = None) -> Schematic:
    """The schematic that the flags describe, for the nodes of the flags or for other ones."""
    from ..talos.image.schematic import Schematic  # only a verb that makes an image needs it

    given: dict[str, Any] = getattr(options, "taken_over", {})
    if options.embedded_config is not None:
        given = {**given, "embedded_config": read_text("embedded_config", options.embedded_config)}
    return Schematic(
        nodes=nodes or nodes_of(options),
        extensions=options.extension,
        fabric_manager=options.fabric_manager,
        gdrcopy=options.gdrcopy,
        extra_kernel_args=options.kernel_arg,
        **({} if options.sector_size is None else {"sector_size": options.sector_size}),
        arch=getattr(options, "arch", None),
        **given,
    )


def boot_of(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments `platform` and `secureboot` of an image."""
    return {"platform": Platform.METAL if options.platform is None else options.platform, "secureboot": options.secureboot}


def check_release(nodes: GpuNodes) -> None:
    """Refuse nodes whose Talos has no patch number: an image belongs to one release."""
    if nodes.talos_version.patch is None:
        rule = "a Talos release with its patch, such as 'v1.12.11'"
        raise wrong("talos_version", rule, str(nodes.talos_version), "an image is of one release")


def read_source(options: argparse.Namespace) -> tuple[Inputs, list[GpuNode]]:
    """The node configurations of the source, and the nodes of a live cluster in it: those with GPUs, if it has such
    nodes."""
    from ..doctor.dump_reader import read_dump
    from ..doctor.gpu_cluster import GpuCluster
    from ..observed.read.repository import read

    given = options.from_source
    paths = existing([given])
    stream = streams.question() if given == "-" else None
    if paths and stat.S_ISFIFO(Path(given).stat().st_mode):
        paths, stream = [], read_text("from", given)
    with crash_named("the reader of the nodes", "so nothing was written"):
        inputs = read(paths, stream=stream, talos=options.talos_version)
        if inputs.node_configs or (paths and Path(given).is_dir() and not inputs.of_kind("Node")):
            return inputs, []
        cluster = GpuCluster(read_dump(paths, stream=stream))
        return inputs, cluster.nodes or cluster.all_nodes


def take_over(options: argparse.Namespace, nodes: GpuNodes) -> None:
    """Write the image of the source of `--from` into the options, as if it were given by flags. A flag that is given
    comes before the source.

    Raises:
        ValueError: For a source without an image, and for an image with the driver of other nodes.
    """
    if options.from_source is None:
        return
    from ..adoption.present_image import present_image

    inputs, live = read_source(options)
    image = present_image(inputs, live)
    if not image.is_read:
        raise wrong("from", f"a source with the image of a node: {IMAGE_SOURCES.partition(';')[0]}", options.from_source, image.hint)
    _check_driver(image.drivers, nodes)
    for note in image.notes:
        warn(note)
    _take(options, image.arguments)


def nodes_with_image(options: argparse.Namespace) -> GpuNodes:
    """The class of nodes of a verb. What the cluster file says about its image and its configuration is written into
    the options, as if it were given by flags; a flag that is given comes before the file."""
    if options.file is None:
        return nodes_of(options)
    file_class_, nodes = file_class(options)
    machine = dict(file_class_.machine)
    names = [name for name in OF_CONFIG if name in machine]
    options.taken_config = {name: machine.pop(name) for name in names}
    _take(options, {name: value for name, value in machine.items() if name not in ("omni", "talconfig")})
    return nodes


def _take(options: argparse.Namespace, arguments: Mapping[str, Any]) -> None:
    """Write the arguments of an image into the options."""
    given = dict(arguments)
    for name, flag in (("extensions", "extension"), ("extra_kernel_args", "kernel_arg")):
        setattr(options, flag, list(dict.fromkeys([*texts(name, given.pop(name, ())), *getattr(options, flag)])))
    for name in ("gdrcopy", "secureboot"):
        setattr(options, name, getattr(options, name) or given.pop(name, False))
    for name in ("fabric_manager", "sector_size", "platform", "arch"):
        if getattr(options, name, None) is None:
            setattr(options, name, given.get(name))
        given.pop(name, None)
    taken = {name: _value(value) for name, value in given.items() if name not in ("gdrcopy", "secureboot")}
    options.taken_over = {**getattr(options, "taken_over", {}), **taken}


def _value(given: Any) -> Any:
    """The value of an argument of `Schematic`, from the notation of a cluster file."""
    from ..talos.image.schematic import Overlay, SecureBoot

    kinds: dict[str, Any] = {"Overlay": Overlay, "SecureBoot": SecureBoot}
    kind = next(iter(given)) if isinstance(given, dict) and len(given) == 1 else None
    return kinds[kind](**given[kind]) if kind in kinds else given


def _check_driver(drivers: set[Any], nodes: GpuNodes) -> None:
    """Refuse an image with another driver than the nodes: the new image would change it without a word."""
    for flavour, track in drivers:
        if (flavour, track) not in {(nodes.kernel_modules, nodes.track), (nodes.kernel_modules, None)}:
            flags = f"--kernel-modules {flavour} --driver-track {track}"
            hint = f"the nodes are of --kernel-modules {nodes.kernel_modules} --driver-track {nodes.track}; give {flags}, or take the driver out of the source"
            raise wrong("from", "a source with the driver of the nodes", f"{flavour} modules, {track} track", hint)


CONFIG_FLAGS = (
    "style", "extra_kernel_module", "default_runtime", "base_runtime_spec", "cdi_spec_dir", "kernel_module_parameter", "sysctl",
)  # fmt: skip
"""Every flag that only the machine configuration depends on."""

OF_CONFIG = (
    "style", "kernel_module_parameters", "extra_kernel_modules", "sysctls", "operator", "default_runtime", "base_runtime_spec", "cdi_spec_dirs",
    "kubelet_feature_gates",
)  # fmt: skip
"""The keys of a class in a cluster file that only the machine configuration depends on."""

OF_FIELDS = ("talhelper", "capi")
"""The tools whose providers write the older form of configuration."""


def add_config_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags, named as the arguments of MachineConfigPatch."""
    add_flag(parser, "--style STYLE", "fields or documents; default: documents from Talos 1.14 on, else fields")
    add_flag(parser, "--extra-kernel-module NAME", "a further kernel module to load; repeatable", **REPEATABLE)
    add_flag(parser, "--default-runtime", "run every container with NVIDIA's runtime")
    add_flag(parser, "--base-runtime-spec", "apply machine.baseRuntimeSpecOverrides to NVIDIA's runtime: Talos 1.9 or newer")
    add_flag(parser, "--cdi-spec-dir FOLDER", "a folder with CDI specifications; repeatable", **REPEATABLE)
    add_flag(parser, "--kubelet-feature-gate GATE", "a feature gate of Kubernetes that the kubelet switches on; repeatable", **REPEATABLE)
    add_flag(
        parser,
        "--kernel-module-parameter MODULE.PARAMETER=VALUE",
        "a parameter of a kernel module, such as nvidia.NVreg_EnableGpuFirmware=1; repeatable",
        **REPEATABLE,
    )
    add_flag(parser, "--sysctl KEY=VALUE", "a kernel setting; repeatable", **REPEATABLE)


def config_of(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of MachineConfigPatch that the flags give."""
    settings = {
        "style": options.style,
        "extra_kernel_modules": options.extra_kernel_module,
        "default_runtime": options.default_runtime,
        "base_runtime_spec": options.base_runtime_spec,
        "cdi_spec_dirs": options.cdi_spec_dir,
        "kubelet_feature_gates": options.kubelet_feature_gate,
        "kernel_module_parameters": _module_parameters(options),
        "sysctls": pairs("sysctl", options.sysctl, "a setting such as 'vm.max_map_count=262144'"),
    }
    return {**getattr(options, "taken_config", {}), **{name: value for name, value in settings.items() if value}}


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


def refuse_flags(options: argparse.Namespace, names: Iterable[str], where: str, hint: str) -> None:
    """Refuse each of these flags that is given, because the output does not depend on it. `where` ends "left out …"."""
    for name in names:
        value = getattr(options, name)
        if value is not None and value is not False and value != []:
            raise wrong(name, f"left out {where}", value, hint)
