"""The Talos files in a Python app: schematic, installer image and machine configuration patch, and the files of Omni and talhelper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..talos.config.machine_config import MachineConfigPatch
from ..talos.image.schematic import Schematic
from .argument_types import arguments_of
from .file_values import EVERY, References, arguments_in
from .python_statements import FOLDER, IMAGE, PATCH, SCHEMATIC, TALCONFIG, TALOS, TARGET, Statements
from .python_text import Call, Code, written
from .talos_outputs import OF_THE_IMAGE, Cluster


def talos_folder(statements: Statements) -> None:
    """Write the statements that make the folder of the files."""
    statements.blank()
    statements.add(Code(f'{FOLDER.text} / "talos"'), TALOS)
    statements.add(Code(f"{TALOS.text}.mkdir(parents=True, exist_ok=True)"))


def talos_statements(statements: Statements, given: Mapping[str, Any], references: References, cluster: Cluster) -> None:
    """Write the statements for the files of an entry of `talos`."""
    name = given.get("nodes", EVERY)
    nodes = next(iter(cluster.classes.values())) if name == EVERY else cluster.classes[name]
    fields = arguments_in(Schematic, {"nodes": EVERY, **given}, (), references)
    image = {key: value for key, value in fields.items() if key in OF_THE_IMAGE}
    operator = {"operator": True} if nodes in cluster.with_operator else {}
    prefix = f"{nodes.name}-" if nodes.name else ""
    statements.add(statements.call("Schematic", **_of(Schematic, fields)), SCHEMATIC)
    statements.add(Call(f"{SCHEMATIC.text}.installer_image", keywords=image), IMAGE)
    statements.add(statements.call("MachineConfigPatch", **_of(MachineConfigPatch, {**operator, **fields})), PATCH)
    _write(statements, f"{prefix}schematic.yaml", f"{SCHEMATIC.text}.text")
    _write(statements, f"{prefix}installer-image.txt", f'f"{{{IMAGE.text}}}\\n"')
    _write(statements, f"{prefix}machine-config.yaml", f"{PATCH.text}.text")
    if "omni" in given:
        statements.add(statements.call("OmniTarget", **given["omni"]), TARGET)
        documents = [
            written(statements.call(function, about, target=TARGET))
            for function, about in (("omni_config_patch", PATCH), ("omni_extensions", SCHEMATIC))
        ]
        _write(statements, f"{prefix}omni.yaml", 'f"{' + "}---\\n{".join(documents) + '}"')
    if "talconfig" in given:
        _talconfig(statements, given["talconfig"], f"{prefix}talconfig.yaml")


def _of(owner: Any, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a class, the nodes first."""
    known = arguments_of(owner)
    return {"nodes": fields["nodes"], **{name: value for name, value in fields.items() if name in known}}


def _talconfig(statements: Statements, given: Mapping[str, Any], name: str) -> None:
    """Write the statements that merge the files into a talconfig.yaml beside the app."""
    source = Code(f"(Path(__file__).parent / {written(given['file'])}).read_text()")
    arguments = {"hostnames": given.get("hostnames", []), "schematic": SCHEMATIC, "patch": PATCH}
    statements.add(statements.call("merge_into_talconfig", source, **arguments), TALCONFIG)
    _write(statements, name, TALCONFIG.text)


def _write(statements: Statements, name: str, text: str) -> None:
    statements.add(Call(f"({TALOS.text} / {written(name)}).write_text", (Code(text),)))
