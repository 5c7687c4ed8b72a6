"""The check that an image and a machine configuration are for the same nodes."""

from __future__ import annotations

from .._arguments.errors import wrong
from .._arguments.plain_values import instance
from .existing_schematic import ExistingSchematic
from .fabric_manager import fabric_manager_fault
from .machine_config import MachineConfigPatch
from .schematic import Schematic


def check_same_nodes(schematic: Schematic | ExistingSchematic, patch: MachineConfigPatch) -> None:
    """Refuse a patch and an image for different classes of nodes."""
    instance("schematic", schematic, Schematic | ExistingSchematic, "a Schematic or an ExistingSchematic")
    instance("patch", patch, MachineConfigPatch, "a MachineConfigPatch")
    if schematic.nodes not in {None, patch.nodes}:
        raise wrong("patch", "for the nodes of the 'schematic'", patch.nodes, f"the nodes of the schematic are {schematic.nodes!r}")
    fault = fabric_manager_fault(patch.nodes.talos_version)
    if fault and schematic.fabric_manager:
        rule = f"without fabric manager on Talos {patch.nodes.talos_version}"
        raise wrong("schematic", rule, schematic.id, f"{fault.reason}; use Talos {fault.fixed_in} or newer")
