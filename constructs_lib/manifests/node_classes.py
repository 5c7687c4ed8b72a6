"""One or several classes of nodes, as a chart that has one set of values for the whole cluster takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .._validate import instance, wrong, wrong_kind
from ..nodes import GpuNodes


def node_classes(nodes: object, nothing: str) -> tuple[GpuNodes, ...]:
    """The classes, of which there has to be one; `nothing` says why."""
    rule = "a GpuNodes, or a list of them"
    if not isinstance(nodes, GpuNodes | Iterable) or isinstance(nodes, str | Mapping):
        raise wrong_kind("nodes", rule, nodes)
    classes = (nodes,) if isinstance(nodes, GpuNodes) else tuple(instance("nodes", each, GpuNodes, rule) for each in nodes)
    if not classes:
        raise wrong("nodes", rule, nodes, nothing)
    return classes


def united(lists: Iterable[list[dict[str, str]]]) -> list[dict[str, str]]:
    """Each toleration that one of the classes needs, once."""
    found: list[dict[str, str]] = []
    for items in lists:
        found += [item for item in items if item not in found]
    return found
