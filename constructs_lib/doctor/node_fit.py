"""The fit of a pod on the GPU nodes: those that refuse it, those that do not, and the obstacles of those that are nearest to taking it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .gpu_node import GpuNode
from .node_refusals import Obstacle, Refusal, refusals

_ORDER = list(Obstacle)


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """The GPU nodes before a pod: those that refuse nothing, and of the others those that refuse the pod for the fewest reasons."""

    willing: tuple[GpuNode, ...]
    nearest: tuple[GpuNode, ...]
    """Of equal ones, the nodes whose obstacles pass the soonest."""
    obstacles: tuple[tuple[Obstacle, tuple[Refusal, ...]], ...]
    """The obstacles of the nearest nodes. Obstacles of one kind are one, unless the same node has several."""


class NodeFits:
    """The selections. Pods with the same selector, affinity and tolerations are judged once."""

    def __init__(self, nodes: Sequence[GpuNode]) -> None:
        self._nodes = nodes
        self._known: dict[str, Selection] = {}

    def of(self, spec: Mapping[str, Any]) -> Selection:
        """The nodes whose Node object was read, before a pod."""
        key = json.dumps([spec.get("nodeSelector"), spec.get("affinity"), spec.get("tolerations")], sort_keys=True, default=str)
        if key not in self._known:
            self._known[key] = _selection([(each, refusals(spec, each.node)) for each in self._nodes if each.node is not None])
        return self._known[key]


def _selection(fits: Sequence[tuple[GpuNode, tuple[Refusal, ...]]]) -> Selection:
    refusing = [(node, refused) for node, refused in fits if refused]
    rank = min((_rank(refused) for _, refused in refusing), default=None)
    nearest = [(node, refused) for node, refused in refusing if _rank(refused) == rank]
    return Selection(
        willing=tuple(node for node, refused in fits if not refused),
        nearest=tuple(node for node, _ in nearest),
        obstacles=tuple(_obstacles([refused for _, refused in nearest], rank[0] if rank else 0)),
    )


def _rank(refused: Sequence[Refusal]) -> tuple[int, int]:
    return len(refused), max(_ORDER.index(each.obstacle) for each in refused)


def _obstacles(nearest: Sequence[Sequence[Refusal]], of_a_node: int) -> list[tuple[Obstacle, tuple[Refusal, ...]]]:
    groups: dict[tuple[Obstacle, str], list[Refusal]] = {}
    for refusal in (each for refused in nearest for each in refused):
        groups.setdefault((refusal.obstacle, refusal.detail), []).append(refusal)
    if len(groups) > of_a_node:  # nodes with different taints or labels
        merged: dict[tuple[Obstacle, str], list[Refusal]] = {}
        for (obstacle, _), group in groups.items():
            merged.setdefault((obstacle, ""), []).extend(group)
        groups = merged
    return [(obstacle, tuple(group)) for (obstacle, _), group in sorted(groups.items(), key=lambda each: _ORDER.index(each[0][0]))]
