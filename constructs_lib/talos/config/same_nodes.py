"""The check that an image and a machine configuration are for the same nodes."""

from __future__ import annotations

from ...arguments.errors import Argument, Phrase, wrong
from ...arguments.plain_values import instance
from ...upstream.talos.features import UMAD_MODULE
from ..image.existing_schematic import ExistingSchematic
from ..image.fabric_manager import fabric_manager_fault, has_nvlink5
from ..image.schematic import Schematic
from .machine_config import MachineConfigPatch


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
