"""Write `constructs_lib/upstream/tables/kubernetes_fields.json`: the fields of a pod template and the kind of each field.

The source is the OpenAPI schemas of Kubernetes in the package `kubernetes-validate`, which `requirements/dev.txt` pins by hash. A field of any of its
versions is in the table, with its newest kind. A new version of that package renews the table:

    .venv/bin/python -m tools.pins.kubernetes_fields
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from .tables import Table

TABLE = Path(__file__).resolve().parents[2] / "constructs_lib" / "upstream" / "tables" / "kubernetes_fields.json"
ROOTS = ("PodSpec", "ObjectMeta")
# These two schemas say nothing more about the type than one of several JSON types.
_SCALARS = {"Quantity": "quantity", "IntOrString": "int or string", "Time": "string", "FieldsV1": "any"}
_JSON_TYPES = {"boolean": "bool", "string": "string", "number": "number"}


def minors() -> dict[int, dict[str, Any]]:
    """The definitions of each minor version of Kubernetes, the oldest first."""
    found = {}
    for folder in files("kubernetes_validate").joinpath("kubernetes-json-schema").iterdir():
        number, _, flavour = folder.name.partition("-")
        if flavour == "local":
            found[int(number.split(".")[1])] = json.loads(folder.joinpath("_definitions.json").read_text(encoding="utf-8"))["$defs"]
    return dict(sorted(found.items()))


def fields(definitions: dict[str, Any]) -> dict[str, dict[str, str]]:
    """The types that the roots reach, each with its fields and their kinds."""
    by_name = {name.rpartition(".")[2]: schema for name, schema in definitions.items() if ".api.core.v1." in name or ".meta.v1." in name}
    found: dict[str, dict[str, str]] = {}
    waiting = list(ROOTS)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = {key: _kind(schema, waiting) for key, schema in by_name[name].get("properties", {}).items()}
    return found


def _kind(schema: dict[str, Any], waiting: list[str]) -> str:
    """`bool`, `int32`, `[string]` for a list, `{string}` for a map, or the name of a type, which joins the waiting ones."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition(".")[2]
        if name not in _SCALARS:
            waiting.append(name)
        return _SCALARS.get(name, name)
    kind = next(each for each in (schema["type"] if isinstance(schema["type"], list) else [schema["type"]]) if each != "null")
    if kind == "array":
        return f"[{_kind(schema['items'], waiting)}]"
    if kind == "object":
        return f"{{{_kind(schema['additionalProperties'], waiting)}}}" if "additionalProperties" in schema else "any"
    return str(schema["format"]) if kind == "integer" else _JSON_TYPES[kind]


def table(date: str) -> dict[str, Any]:
    """The table, with its source and the date on which it was read."""
    types: dict[str, dict[str, str]] = {}
    known = minors()
    for definitions in known.values():
        for name, kinds in fields(definitions).items():
            types[name] = types.get(name, {}) | kinds
    first, newest = min(known), max(known)
    return {
        "source": f"the OpenAPI schemas of Kubernetes 1.{first} to 1.{newest} in PyPI kubernetes-validate {version('kubernetes-validate')}",
        "read_on": date,
        "newest": f"1.{newest}",
        "types": {name: dict(sorted(types[name].items())) for name in sorted(types)},
    }


def renewed(date: str) -> Table:
    """The table as the schemas have it."""
    fresh = Table(TABLE)
    fresh.facts = table(date)
    return fresh


if __name__ == "__main__":
    renewed(datetime.now(tz=UTC).date().isoformat()).write()
    sys.stdout.write(f"{TABLE.name}: written\n")
