"""What a chart's values.schema.json says of each value: Helm installs nothing where a value breaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .kubernetes_fields import kind_of

_LIMITS = ("enum", "minimum", "maximum")
_SCALARS = {"string", "bool", "int32", "int64", "number", "any"}

Fact = dict[str, Any]


def value_facts(text: str) -> dict[str, Fact]:
    """The facts by the dotted path of the value; the root has an empty path.

    `type` is a type of JSON, or a list of them; a null, which Helm takes for no value, is left out. `kind` is that of Kubernetes' fields for what
    stands below. `keys` are those of a mapping that takes no others.
    """
    schema = json.loads(text)
    return dict(_facts(schema, schema, ""))


def _facts(node: Mapping[str, Any], root: Mapping[str, Any], path: str) -> Iterator[tuple[str, Fact]]:
    if fact := _fact(node, root):
        yield path, fact
    for key, inner in node.get("properties", {}).items():
        if "." not in key:
            yield from _facts(inner, root, f"{path}.{key}".removeprefix("."))


def _fact(node: Mapping[str, Any], root: Mapping[str, Any]) -> Fact:
    target = _target(node, root)
    types = [each for each in _listed(node.get("type", target.get("type", []))) if each != "null"]
    fact: Fact = {"type": types[0] if len(types) == 1 else types} if types else {}
    fact |= {name: node[name] for name in _LIMITS if name in node}
    if (kind := _kind(node, target)) and kind.strip("[]{}") != "any":
        fact["kind"] = kind
    if node.get("additionalProperties") is False and "patternProperties" not in node:
        fact["keys"] = sorted(node.get("properties", ()))
    return fact


def _listed(types: Any) -> list[str]:
    return types if isinstance(types, list) else [types]


def _target(node: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a reference refers to, or else the node."""
    reference = node.get("$ref", "")
    target: Any = root if reference.startswith("#/") else {}
    for part in reference.removeprefix("#/").split("/") if target else ():
        target = target[part]
    return target if reference else node


def _kind(node: Mapping[str, Any], target: Mapping[str, Any]) -> str:
    """The kind of a type of Kubernetes, of a list or of a map; empty for another value."""
    asked = target if "/properties/" in node.get("$ref", "") else node
    if isinstance(asked.get("additionalProperties"), bool):
        return ""
    try:
        kind = kind_of(dict(asked))
    except (KeyError, StopIteration):  # no type, or one without items
        return ""
    return "" if kind in _SCALARS else kind
