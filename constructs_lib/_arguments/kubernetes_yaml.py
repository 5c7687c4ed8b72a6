"""A YAML reader that reads scalars as Kubernetes does: fewer words than in PyYAML become dates, numbers or bools."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _KubernetesLoader(_Base):  # type: ignore[misc]  # the C loader is many times faster on CRDs, and untyped
    """PyYAML without dates and base-60 numbers: Kubernetes reads `2024-01-01` and `22:22` as strings, and JSON has no dates."""


_READ_OTHERWISE = {f"tag:yaml.org,2002:{kind}" for kind in ("timestamp", "int", "float", "value")}
_KubernetesLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _READ_OTHERWISE]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_KubernetesLoader.add_implicit_resolver(
    "tag:yaml.org,2002:int",
    re.compile(r"[-+]?(0|[1-9][0-9_]*|0x_*[0-9a-fA-F][0-9a-fA-F_]*|0o?_*[0-7][0-7_]*|0b_*[01][01_]*)$"),
    list("-+0123456789"),
)
_KubernetesLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"), list("-+.0123456789")
)


def documents(text: str) -> Iterator[dict[str, Any]]:
    """The objects of a YAML stream, without its empty documents."""
    for document in yaml.load_all(text, Loader=_KubernetesLoader):  # a subclass of the safe loader
        if document is not None:
            yield document


def complaint(error: yaml.YAMLError) -> str:
    """The line, the column and the problem of a YAML error, without PyYAML's name for a string."""
    mark: Any = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None:
        return str(error).partition("\n")[0]
    return f"line {mark.line + 1}, column {mark.column + 1}: {getattr(error, 'problem', None) or 'no YAML'}"


def repeated_key(text: str) -> tuple[str, int, int] | None:
    """The first duplicate key of a mapping, with both line numbers. PyYAML keeps the last value without a warning."""
    nodes, seen = list(yaml.compose_all(text, Loader=_KubernetesLoader)), set[int]()
    while nodes:
        node = nodes.pop(0)
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            lines: dict[tuple[str, str], int] = {}
            for key, value in node.value:
                line, name = key.start_mark.line + 1, (key.tag, str(key.value))
                if name in lines:
                    return str(key.value), lines[name], line
                lines[name] = line
                nodes.append(value)
        elif isinstance(node, yaml.SequenceNode):
            nodes += node.value
    return None
