"""An image and a machine config go together when they are for the same nodes."""

from __future__ import annotations

from .._arguments.errors import wrong
from .._arguments.plain_values import instance
from .existing_schematic import ExistingSchematic
from .machine_config import MachineConfigPatch
from .schematic import Schematic


def check_same_nodes(schematic: Schematic | ExistingSchematic, patch: MachineConfigPatch) -> None:
    """Refuse the patch of one class of nodes beside the image of another."""
    instance("schematic", schematic, Schematic | ExistingSchematic, "a Schematic, or what existing_schematic gives")
    instance("patch", patch, MachineConfigPatch, "a MachineConfigPatch")
    if schematic.nodes not in {None, patch.nodes}:
        raise wrong("patch", "for the nodes of the 'schematic'", patch.nodes, f"those are {schematic.nodes!r}")
