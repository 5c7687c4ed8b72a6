"""The fit of a pod on the GPU nodes: those that refuse it, those that do not, and the obstacles of those that are nearest to taking it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .gpu_node import GpuNode
from .node_refusals import LabelSelection, Obstacle, Refusal, taint_refusals

_ORDER = list(Obstacle)
Refused = tuple[Refusal, tuple[GpuNode, ...]]
"""A refusal, and the nodes that have it."""
_Fit = tuple[tuple[GpuNode, ...], tuple[Refusal, ...]]
"""Nodes, and all that they have against a pod."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """The GPU nodes before a pod: those that refuse nothing, and of the others those that refuse the pod for the fewest reasons."""

    willing: tuple[GpuNode, ...]
    nearest: tuple[GpuNode, ...]
    """Of equal ones, the nodes whose obstacles pass the soonest."""
    obstacles: tuple[tuple[Obstacle, tuple[Refused, ...]], ...]
    """The obstacles of the nearest nodes. Obstacles of one kind are one, unless the same node has several."""


class NodeFits:
    """The selections. Pods with the same selector, affinity and tolerations are judged once, and so are the taints of the nodes for the same tolerations."""

    def __init__(self, nodes: Sequence[GpuNode]) -> None:
        self._nodes = [(each, each.node, each.node.labels) for each in nodes if each.node is not None]
        self._known: dict[str, Selection] = {}
        self._taints: dict[str, list[tuple[Refusal, ...]]] = {}

    def of(self, spec: Mapping[str, Any]) -> Selection:
        """The nodes whose Node object was read, before a pod."""
        key = _key(spec.get("nodeSelector"), spec.get("affinity"), spec.get("tolerations"))
        if key not in self._known:
            self._known[key] = _selection(self._fits(spec))
        return self._known[key]

    def _fits(self, spec: Mapping[str, Any]) -> list[_Fit]:
        """The nodes that refuse a pod for the same reasons, with the reasons."""
        tolerations, selection = _key(spec.get("tolerations")), LabelSelection(spec)
        if tolerations not in self._taints:
            self._taints[tolerations] = [taint_refusals(spec, live) for _, live, _ in self._nodes]
        fits: dict[tuple[str, ...], tuple[list[GpuNode], tuple[Refusal, ...]]] = {}
        for (node, live, labels), taints in zip(self._nodes, self._taints[tolerations], strict=True):
            refused = (*taints, *selection.refusals(live, labels))
            fits.setdefault(tuple(each.detail for each in refused), ([], refused))[0].append(node)
        return [(tuple(nodes), refused) for nodes, refused in fits.values()]


def _key(*parts: object) -> str:
    return json.dumps(parts, sort_keys=True, default=str)


def _selection(fits: Sequence[_Fit]) -> Selection:
    refusing = [(nodes, refused) for nodes, refused in fits if refused]
    rank = min((_rank(refused) for _, refused in refusing), default=None)
    nearest = [(nodes, refused) for nodes, refused in refusing if _rank(refused) == rank]
    return Selection(
        willing=tuple(each for nodes, refused in fits if not refused for each in nodes),
        nearest=tuple(each for nodes, _ in nearest for each in nodes),
        obstacles=tuple(_obstacles(nearest, rank[0] if rank else 0)),
    )


def _rank(refused: Sequence[Refusal]) -> tuple[int, int]:
    return len(refused), max(_ORDER.index(each.obstacle) for each in refused)


def _obstacles(nearest: Sequence[_Fit], of_a_node: int) -> list[tuple[Obstacle, tuple[Refused, ...]]]:
    groups: dict[tuple[Obstacle, str], list[Refused]] = {}
    for nodes, refused in nearest:
        for refusal in refused:
            groups.setdefault((refusal.obstacle, refusal.detail), []).append((refusal, nodes))
    if len(groups) > of_a_node:  # nodes with different taints or labels
        merged: dict[tuple[Obstacle, str], list[Refused]] = {}
        for (obstacle, _), group in groups.items():
            merged.setdefault((obstacle, ""), []).extend(group)
        groups = merged
    return [(obstacle, tuple(group)) for (obstacle, _), group in sorted(groups.items(), key=lambda each: _ORDER.index(each[0][0]))]
