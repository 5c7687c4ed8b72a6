"""The images of a cluster's page: each schematic with the platform and Secure Boot of its nodes, and the command that
installs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...arguments.commands import command, comment
from ...nodes.talos_version import TalosVersion
from ...observed.model import Inputs, known_text
from ...observed.nodes.node_extensions import nvidia_extensions
from ...upstream.talos.installer_images import InstallerImage, installer_image, only_nvidia, read_installer
from ...upstream.talos.platforms import Platform
from .page_nodes import schematic_of

INSTALLER_FILE, SCHEMATIC_FILE = "installer-image.txt", "schematic.yaml"
"""The ends of the names of the files that a cluster's folder has for a class: `rtx-schematic.yaml`,
`rtx-installer-image.txt`."""
_WAY = "'extensions' in the cluster file, or in the schematic"


@dataclass(frozen=True, kw_only=True)
class NodeImage:
    """A schematic, and the installer image of it that a file names."""

    file: str
    schematic: str | None
    """The ID, if it is known without the Image Factory."""
    installer: InstallerImage | None
    remark: str
    """The remark on an image without extensions of others; empty for another image."""


def node_images(inputs: Inputs, installers: Mapping[str, InstallerImage]) -> list[NodeImage]:
    """The schematics of the files. `installers` are the installer images by the files that name them."""
    named = [each for config in inputs.node_configs if (each := read_installer(known_text(config.image)))]
    images = []
    for config in inputs.node_configs:
        if config.at("schematic") is None:
            continue
        schematic = schematic_of(config)
        beside = installers.get(config.file.removesuffix(SCHEMATIC_FILE) + INSTALLER_FILE)
        known = [each for each in named if each.schematic == schematic]
        installer = beside if beside is not None and schematic in (beside.schematic, None) else next(iter(known), None)
        nvidia = nvidia_extensions(config)
        remark = "" if len(config.extensions or ()) > len(nvidia) else only_nvidia(_WAY, has_driver=bool(nvidia))
        images.append(
            NodeImage(file=config.file, schematic=schematic or (installer and installer.schematic), installer=installer, remark=remark)
        )
    return images


def install_lines(image: NodeImage, talos: TalosVersion | None) -> Iterator[str]:
    """The command that installs an image on a node, behind comments on what nobody read."""
    if image.schematic is None or talos is None or talos.patch is None:
        return
    of = image.installer
    if image.remark:
        yield str(comment(image.remark))
    if of is None:
        yield str(comment("no file says the platform and Secure Boot of the nodes: the name is that of metal machines without Secure Boot"))
    name = installer_image(
        image.schematic, f"{talos}", talos.minor, platform=of.platform if of else Platform.METAL, is_secure=bool(of and of.is_secure),
        **({"factory": of.factory} if of else {}),
    )  # fmt: skip
    yield str(command("talosctl --nodes ADDRESS upgrade --image {image}", image=name).explained(image.file))
