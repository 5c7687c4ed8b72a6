"""The enumerations of Kubernetes' Go types: the strings that the constants of a field's type have. The published OpenAPI schemas have no `enum`."""

from __future__ import annotations

import re

_STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r'^\t\w+ +(?:\[\]|\*)?(?:\w+\.)?(\w+) +`json:"(\w+)[,"]', re.MULTILINE)
_INLINE = re.compile(r'^\t(?:\w+\.)?(\w+) +`json:"(?:,inline)?"', re.MULTILINE)
# `Never PullPolicy = "Never"`, or `Never = PullPolicy("Never")`.
_CONSTANT = re.compile(r'^(?:\t|const )\w+ +(?:(\w+) += +|= +(\w+)\()"([^"]*)"', re.MULTILINE)
_KIND = re.compile(r"^type (\w+) string$", re.MULTILINE)
# The constants of these types are only examples: a medium may be any 'HugePages-<size>', a condition may be a controller's own, a Secret Helm's own.
_OPEN = {"PodConditionType", "ResourceName", "SecretType", "StorageMedium"}


def choices(go: str) -> dict[str, dict[str, list[str]]]:
    """The values of each field whose type is a string with constants, by struct and by key."""
    values: dict[str, set[str]] = {kind: set() for kind in _KIND.findall(go) if kind not in _OPEN}
    for left, right, value in _CONSTANT.findall(go):
        if value and (left or right) in values:
            values[left or right].add(value)
    bodies = dict(_STRUCT.findall(go))

    def of(name: str) -> dict[str, list[str]]:
        body = bodies.get(name, "")
        inner = [item for embedded in _INLINE.findall(body) for item in of(embedded).items()]
        return dict(inner) | {key: sorted(values[kind]) for kind, key in _FIELD.findall(body) if values.get(kind)}

    return {name: fields for name in bodies if (fields := of(name))}
