"""The installer image of a new node, in the two forms of Talos' machine configuration."""

from __future__ import annotations

from typing import Any

from ...arguments.commands import command
from ...arguments.errors import Argument, Phrase, wrong
from ...arguments.plain_values import choice, instance
from ...nodes.talos_version import TalosVersion
from ...upstream.talos.config_documents import INSTALL_KIND
from ...upstream.talos.features import INSTALL_DOCUMENT, UMAD_MODULE
from ...upstream.talos.platforms import PLATFORM_IMAGES, Platform
from ...yaml.block import block
from ..image.existing_schematic import ExistingSchematic
from ..image.fabric_manager import fabric_manager_fault, has_nvlink5
from ..image.schematic import Schematic
from .machine_config import ConfigStyle, MachineConfigPatch


def check_same_nodes(schematic: Schematic | ExistingSchematic, patch: MachineConfigPatch) -> None:
    """Refuse a patch and an image for different classes of nodes."""
    instance("schematic", schematic, Schematic | ExistingSchematic, "a Schematic or an ExistingSchematic")
    instance("patch", patch, MachineConfigPatch, "a MachineConfigPatch")
    if schematic.nodes not in {None, patch.nodes}:
        raise wrong("patch", "for the nodes of the 'schematic'", patch.nodes, f"the nodes of the schematic are {schematic.nodes!r}")
    fault = fabric_manager_fault(patch.nodes.talos_version, patch.nodes)
    if fault and schematic.fabric_manager:
        rule = f"without fabric manager on Talos {patch.nodes.talos_version}"
        raise wrong("schematic", rule, schematic.id, f"{fault.reason}; use Talos {fault.fixed_in} or newer")
    if isinstance(schematic, Schematic) and patch.fabric_manager and not schematic.fabric_manager:
        raise wrong(
            "schematic", Phrase("with ", Argument("fabric_manager", True)), schematic.id, "the patch is for nodes with fabric manager"
        )
    if schematic.fabric_manager and has_nvlink5(patch.nodes) and UMAD_MODULE not in patch.loaded_modules:
        hint = f"without the module {UMAD_MODULE} fabric manager can't start the NVLink 5 of {patch.nodes.product}"
        raise wrong("patch", Phrase("with ", Argument("fabric_manager", True)), list(patch.loaded_modules), hint)


_DISK = (
    "A configuration without a document of this kind also needs provisioning.diskSelector, such as {match: 'disk.transport == \"nvme\"'}."
)


def install_patch(image: str, style: ConfigStyle) -> dict[str, Any]:
    """The patch with the installer image: a field or a document, because Talos refuses both beside each other."""
    if style is ConfigStyle.DOCUMENTS:
        return {"apiVersion": "v1alpha1", "kind": INSTALL_KIND, "installer": {"image": image}}
    return {"machine": {"install": {"image": image}}}


def install_text(image: str, talos: TalosVersion, style: ConfigStyle | str | None, platform: Platform) -> str:
    """The patch as YAML, with a comment about its use."""
    form = _style(talos, style)
    lines = [*_use(platform), "A node that runs changes its image by an upgrade: talosctl upgrade --image"]
    if form is ConfigStyle.DOCUMENTS:
        lines.append(
            f"For a configuration that Talos {talos.minor_version} generated: talosctl gen config --install-disk writes the disk into it."
        )
        lines.append(_DISK)
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


def _style(talos: TalosVersion, style: ConfigStyle | str | None) -> ConfigStyle:
    newer = talos.minor in INSTALL_DOCUMENT
    if style is None:
        return ConfigStyle.DOCUMENTS if newer else ConfigStyle.FIELDS
    chosen = choice("style", style, ConfigStyle)
    if chosen is ConfigStyle.DOCUMENTS and not newer:
        hint = f"{INSTALL_KIND} is new in Talos {INSTALL_DOCUMENT.first}"
        raise wrong("style", f"'{ConfigStyle.FIELDS}' on Talos {talos}", str(chosen), hint)
    return chosen
