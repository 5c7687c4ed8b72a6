"""The flags of the nodes' image, which `schematic`, `patch` and `upgrade` share, and the error for a flag that has no
effect."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..arguments.errors import wrong
from ..nodes.gpu_nodes import GpuNodes
from ..upstream.talos.platforms import Platform
from .nodes_flags import IMAGE_SOURCES, nodes_of, number, read_text

if TYPE_CHECKING:
    from ..talos.image.schematic import Schematic

IMAGE_FLAGS = (
    "extension",
    "fabric_manager",
    "gdrcopy",
    "kernel_arg",
    "sector_size",
    "embedded_config",
    "platform",
    "secureboot",
    "from_source",
)
"""Every flag that only the image depends on."""


def add_schematic_flags(parser: argparse.ArgumentParser, of_image: str = "", of_disk: str = "") -> None:
    """Add the flags of the schematic. The conditions say when the verb reads the flags of the image, and those of its
    first boot."""
    parser.add_argument(
        "--extension", action="append", default=[], metavar="NAME", help=f"a further official extension{of_image}; repeatable"
    )
    add_fabric_manager_flag(parser)
    parser.add_argument(
        "--gdrcopy", action="store_true", help="add the device and the module of gdrcopy: open modules, Talos 1.12 or newer"
    )
    parser.add_argument(
        "--kernel-arg",
        action="append",
        default=[],
        metavar="ARGUMENT",
        help=f"a kernel argument{of_image}; --kernel-arg=-console drops an argument of Talos; repeatable",
    )
    parser.add_argument(
        "--from",
        dest="from_source",
        metavar="PATH",
        help=f"take over the extensions, and all else that is read, of the image that the nodes have now: {IMAGE_SOURCES}",
    )
    parser.add_argument(
        "--sector-size", type=number, metavar="BYTES", help=f"the sectors of the disk image{of_disk}: 512 or 4096; default: 512"
    )
    parser.add_argument(
        "--embedded-config", metavar="FILE", help=f"machine configuration for the image{of_disk}: Talos 1.12 or newer, without secrets"
    )


def add_fabric_manager_flag(parser: argparse.ArgumentParser) -> None:
    """Add the flag of the fabric manager, which follows from the card by default."""
    parser.add_argument(
        "--fabric-manager",
        action=argparse.BooleanOptionalAction,
        help="add NVIDIA's fabric manager and its kernel module, for machines with NVSwitch; default: added for 8 or 16 cards of a board with NVSwitch",
    )


def add_arch_flag(parser: argparse.ArgumentParser, condition: str) -> None:
    """Add the flag of the architecture; `condition` says when the verb reads it."""
    parser.add_argument(
        "--arch", metavar="ARCH", help=f"the processor architecture of the nodes{condition}; default: that of the card, else amd64"
    )


def take_over(options: argparse.Namespace, nodes: GpuNodes) -> None:
    """Write the image of the source of `--from` into the options, if there is one."""
    if options.from_source is not None:
        from .present_flags import write_source  # most runs have no source

        write_source(options, nodes)


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


def add_boot_flags(parser: argparse.ArgumentParser, condition: str = "") -> None:
    """Add the flags of the platform and of Secure Boot; `condition` says when the verb reads them."""
    parser.add_argument("--platform", metavar="PLATFORM", help=f"the platform of the nodes{condition}; default: metal")
    parser.add_argument("--secureboot", action="store_true", help=f"use images with Secure Boot{condition}")


def boot_of(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments `platform` and `secureboot` of an image."""
    return {"platform": Platform.METAL if options.platform is None else options.platform, "secureboot": options.secureboot}


def refuse_flags(options: argparse.Namespace, names: Iterable[str], where: str, hint: str) -> None:
    """Refuse each of these flags that is given, because the output does not depend on it. `where` ends "left out …"."""
    for name in names:
        value = getattr(options, name)
        if value is not None and value is not False and value != []:
            raise wrong(name, f"left out {where}", value, hint)


def check_release(nodes: GpuNodes) -> None:
    """Refuse nodes whose Talos has no patch number: an image belongs to one release."""
    if nodes.talos_version.patch is None:
        rule = "a Talos release with its patch, such as 'v1.12.11'"
        raise wrong("talos_version", rule, str(nodes.talos_version), "an image is of one release")
