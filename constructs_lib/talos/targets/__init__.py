"""The tools that configure Talos (Omni, talhelper, Cluster API, Terraform), and what each of them asks of a patch."""

from __future__ import annotations

from ...arguments.errors import Argument, Phrase, wrong
from ...arguments.plain_values import instance
from ...nodes.fabric_manager import fabric_manager_fault, has_nvlink5
from ...upstream.talos.features import UMAD_MODULE
from ..config.machine_config import ConfigStyle, MachineConfigPatch
from ..image.existing_schematic import ExistingSchematic
from ..image.schematic import Schematic


def check_same_nodes(schematic: Schematic | ExistingSchematic, patch: MachineConfigPatch) -> None:
    """Refuse a patch and an image for different classes of nodes."""
    instance("schematic", schematic, Schematic | ExistingSchematic, "a Schematic or an ExistingSchematic")
    instance("patch", patch, MachineConfigPatch, "a MachineConfigPatch")
    if schematic.nodes not in {None, patch.nodes}:
        raise wrong("patch", "for the nodes of the 'schematic'", patch.nodes, f"the nodes of the schematic are {schematic.nodes!r}")
    with_manager = Phrase("with ", Argument("fabric_manager", True))
    fault = fabric_manager_fault(patch.nodes.talos_version, patch.nodes)
    if fault and schematic.fabric_manager:
        rule = f"without fabric manager on Talos {patch.nodes.talos_version}"
        raise wrong("schematic", rule, schematic.id, f"{fault.reason}; use Talos {fault.fixed_in} or newer")
    if isinstance(schematic, Schematic) and patch.fabric_manager and not schematic.fabric_manager:
        raise wrong("schematic", with_manager, schematic.id, "the patch is for nodes with fabric manager")
    if schematic.fabric_manager and has_nvlink5(patch.nodes) and UMAD_MODULE not in patch.loaded_modules:
        hint = f"without the module {UMAD_MODULE} fabric manager can't start the NVLink 5 of {patch.nodes.product}"
        raise wrong("patch", with_manager, list(patch.loaded_modules), hint)


def check_fields(patch: MachineConfigPatch, tool: str, reader: str) -> None:
    """Refuse a patch of documents for a tool that knows only the fields of Talos 1.13."""
    if patch.style is not ConfigStyle.FIELDS:
        style = Argument("style", str(ConfigStyle.FIELDS), written="MachineConfigPatch(…, style='fields')")
        hint = Phrase(f"{reader} no documents yet, and Talos 1.14 takes fields as well: ", style)
        raise wrong("patch", f"of style '{ConfigStyle.FIELDS}' for {tool}", str(patch.style), hint, part="style")
