"""A YAML reader that reads scalars as Kubernetes does: fewer words than in PyYAML become dates, numbers or bools."""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Iterator
from typing import Any

import yaml

from .limits import EVENTS, check_limits


class _KubernetesLoader(EVENTS):  # type: ignore[misc]  # it is untyped
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


MOST_DIGITS = 1000
"""The most characters of a number. A longer one is a text: Python refuses to convert it, or to print it."""


def _scalar(kind: str) -> Any:
    """The constructor of a kind of scalar. PyYAML's own ends in errors of Python where a tag, as in `!!int x`, stands before another value."""
    construct = getattr(yaml.SafeLoader, f"construct_yaml_{kind}")

    def constructed(loader: Any, node: Any) -> Any:
        if kind in _NUMBERS and len(node.value) > MOST_DIGITS:
            return node.value
        try:
            return construct(loader, node)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            raise yaml.constructor.ConstructorError(None, None, f"the value is no {kind}", node.start_mark) from None

    return constructed


_NUMBERS = ("int", "float")
for _kind in (*_NUMBERS, "bool", "timestamp"):
    _KubernetesLoader.add_constructor(f"tag:yaml.org,2002:{_kind}", _scalar(_kind))
# As a value `<<` is a text; cdk8s writes it without quotes.
_KubernetesLoader.add_constructor("tag:yaml.org,2002:merge", yaml.SafeLoader.construct_yaml_str)


def documents(text: str, largest: float = math.inf) -> Iterator[dict[str, Any]]:
    """The objects of a YAML stream, without its empty documents. A text beyond the limits is refused as a YAML error."""
    check_limits(text, largest)
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
    check_limits(text, math.inf)
    nodes, seen = deque(yaml.compose_all(text, Loader=_KubernetesLoader)), set[int]()
    while nodes:
        node = nodes.popleft()
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
