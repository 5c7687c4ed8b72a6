"""The installer image of a new node, in the two forms of Talos' machine configuration."""

from __future__ import annotations

from typing import Any

from ...arguments.commands import command
from ...arguments.plain_values import choice
from ...nodes.talos_version import TalosVersion
from ...upstream.talos.config_documents import INSTALL_KIND
from ...upstream.talos.features import INSTALL_DOCUMENT
from ...upstream.talos.platforms import PLATFORM_IMAGES, Platform
from ...yaml.block import block
from .machine_config import ConfigStyle, style_of


def install_patch(image: str, style: ConfigStyle) -> dict[str, Any]:
    """The patch with the installer image: a field or a document, because Talos refuses both beside each other."""
    if style is ConfigStyle.DOCUMENTS:
        return {"apiVersion": "v1alpha1", "kind": INSTALL_KIND, "installer": {"image": image}}
    return {"machine": {"install": {"image": image}}}


def install_text(image: str, talos: TalosVersion, style: ConfigStyle | str | None, platform: Platform) -> str:
    """The patch as YAML, with a comment about its use."""
    chosen = None if style is None else choice("style", style, ConfigStyle)
    form = style_of(chosen, talos, INSTALL_DOCUMENT, f"{INSTALL_KIND} is")
    lines = [*_use(platform), "A node that runs changes its image by an upgrade: talosctl upgrade --image"]
    if form is ConfigStyle.DOCUMENTS:
        lines += [
            f"For a configuration that Talos {talos.minor_version} generated: talosctl gen config --install-disk writes the disk into it.",
            "A configuration without a document of this kind also needs provisioning.diskSelector, such as {match: 'disk.transport == \"nvme\"'}.",
        ]
    return "\n".join([*(f"# {line}" for line in lines), *block(install_patch(image, form))]) + "\n"


def _use(platform: Platform) -> list[str]:
    if PLATFORM_IMAGES[platform].boots_installed:
        return [
            f"On {platform} a node boots from a disk image, on which Talos is installed: a new node does not use the installer image of this patch.",
            f"The node needs the disk image with the driver: {command('talos-gpu schematic --print disk-image --platform {name}', name=platform)}",
        ]
    return [
        "The installer image of a new node, which contains the driver. Add this patch to the configuration from which the node is installed:",
        "  talosctl gen config NAME ENDPOINT --config-patch-worker @FILE",
    ]
