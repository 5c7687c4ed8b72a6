"""The command `schematic`: the Image Factory's schematic of the nodes, its ID, and the addresses of its images."""

from __future__ import annotations

import argparse

from .command_parser import Commands, add_nodes_verb
from .flags import add_flag
from .image_flags import add_image_flags, boot_of, check_release, nodes_with_image, refuse_flags, schematic_of, take_over

_OUTPUTS = ("yaml", "id", "installer", "iso", "pxe", "disk-image", "install-config")
# The outputs with the architecture in their names.
_BOOT_MEDIA = ("iso", "pxe", "disk-image")

_EXAMPLES = """\
examples:
  talos-gpu schematic cluster.yaml > schematic.yaml
  talos-gpu schematic --talos 1.13.9 --driver-track lts > schematic.yaml
  talos-gpu schematic --talos 1.13.9 --driver-track lts --extension siderolabs/iscsi-tools --print installer"""


def add_schematic(commands: Commands) -> None:
    """Add the command and its flags."""
    about = "print the Image Factory's schematic of the nodes, its ID or its images"
    parser = add_nodes_verb(commands, schematic, about, _EXAMPLES)
    of_boot = ", with --print installer, install-config, iso, pxe or disk-image"
    add_image_flags(parser, of_boot=of_boot, of_arch=", with --print iso, pxe or disk-image")
    add_flag(parser, "--style STYLE", "fields or documents, with --print install-config; default: documents from Talos 1.14 on")
    add_flag(parser, "--print", "the output; default: yaml", choices=_OUTPUTS, default="yaml")


def schematic(options: argparse.Namespace) -> str:
    """The schematic, its ID, or the address of one of its images."""
    if options.printed in ("yaml", "id"):
        refuse_flags(
            options,
            ("platform", "secureboot"),
            f"with --print {options.printed}",
            "a schematic does not depend on the platform or Secure Boot; use it with --print installer, install-config, iso, pxe or disk-image",
        )
    if options.printed not in _BOOT_MEDIA:
        refuse_flags(
            options,
            ("arch",),
            f"with --print {options.printed}",
            "the schematic and the installer image are the same for both architectures; use it with --print iso, pxe or disk-image",
        )
    if options.printed != "install-config":
        refuse_flags(options, ("style",), f"with --print {options.printed}", "use it with --print install-config")
    nodes = nodes_with_image(options)
    take_over(options, nodes)
    image = schematic_of(options, nodes)
    if options.printed == "yaml":
        return image.text
    if options.printed == "id":
        return f"{image.id}\n"
    check_release(image.nodes)
    if options.printed == "install-config":
        return image.install_config(**boot_of(options), style=options.style)
    addresses = {"installer": image.installer_image, "iso": image.iso, "pxe": image.pxe, "disk-image": image.disk_image}
    address = addresses[options.printed](**boot_of(options))
    if options.printed == "installer" and not image.extensions and options.from_source is None:
        from ..arguments.errors import warn
        from ..upstream.talos.installer_images import only_nvidia

        warn(only_nvidia("--extension, or give --from", has_driver=image.nodes.passthrough is None))
    return f"{address}\n"
