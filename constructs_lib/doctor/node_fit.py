"""The fit of a pod on the GPU nodes: willing nodes, refusing nodes, and the obstacles of the nearest ones."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..observed.model.evidence import Evidence
from ..observed.model.live_object import LiveObject
from ..observed.nodes.node import Node
from ..observed.placement.selection import Requirement, Selection, Term, selection_of, term_holds, tolerates
from ..upstream.kubernetes.controlled_taints import CORDONED, NETWORK_UNAVAILABLE, NOT_READY, OF_KUBERNETES, UNREACHABLE, is_controlled
from .gpu_node import GpuNode

_UNREADY = (UNREACHABLE, NOT_READY, NETWORK_UNAVAILABLE)
"""The taints of one cause, the one that says the most first."""
_OTHER_NODE = "another node by name"


class Obstacle(enum.StrEnum):
    """A reason for which a node does not take a pod, the most passing one first."""

    CORDON = "cordon"
    UNREADY = "unready"
    CONDITION = "condition"
    """A taint that Kubernetes or a controller sets while the node can't serve pods."""
    TAINT = "taint"
    LABEL = "label"


_ORDER = list(Obstacle)


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """An obstacle between a pod and a node. `detail` is the taint or the label: `dedicated=ai:NoSchedule`."""

    obstacle: Obstacle
    detail: str
    labels: tuple[str, ...] = ()
    """The keys of the labels that the pod selects."""

    @property
    def taint(self) -> str:
        """The key of the taint."""
        return self.detail.rpartition(":")[0].partition("=")[0]

    def evidence(self, node: LiveObject) -> Evidence:
        """The line that shows the obstacle on a node that has it."""
        if self.obstacle is not Obstacle.LABEL:
            return node.evidence(f"taint {self.detail}", "spec.taints")
        if not self.labels:
            return node.evidence(node.name, "metadata.name")
        has = ", ".join(f"{key}={node.labels[key]}" for key in self.labels if key in node.labels)
        return node.evidence(f"has {has}" if has else f"has no label {' and no label '.join(self.labels)}", "metadata.labels")


def refusals(spec: Mapping[str, Any], node: Node, *, is_daemon: bool = False) -> tuple[Refusal, ...]:
    """The refusals of a pod by a node.

    The pods of a DaemonSet (`is_daemon`) tolerate the taints that Kubernetes itself sets.
    """
    return (*taint_refusals(spec, node, is_daemon=is_daemon), *_label_refusals(selection_of(spec), node))


def taint_refusals(spec: Mapping[str, Any], node: Node, *, is_daemon: bool = False) -> tuple[Refusal, ...]:
    """The taints of a node that the pod does not tolerate."""
    refused = [each for each in node.keeping_off if tolerates(spec.get("tolerations"), each).is_no]
    keys = [str(each.key) for each in refused]
    unready = next((each for each in _UNREADY if each in keys), "")
    found: dict[str, Refusal] = {}
    for key, taint in zip(keys, refused, strict=True):
        if (is_daemon and key.startswith(OF_KUBERNETES)) or (key in _UNREADY and key != unready):
            continue
        obstacle = _obstacle(key)
        found.setdefault(str(taint) if obstacle is Obstacle.TAINT else key, Refusal(obstacle=obstacle, detail=str(taint)))
    return tuple(found.values())


def _obstacle(key: str) -> Obstacle:
    if key == CORDONED:
        return Obstacle.CORDON
    if key in _UNREADY:
        return Obstacle.UNREADY
    return Obstacle.CONDITION if is_controlled(key) else Obstacle.TAINT


def _label_refusals(selection: Selection, node: Node) -> Iterator[Refusal]:
    """The labels that a node lacks."""
    for each in selection.selector:
        if each.holds(node).is_no:
            yield Refusal(obstacle=Obstacle.LABEL, detail=f"nodeSelector {each.key}={each.values[0]}", labels=(each.key,))
    if selection.terms and all(term_holds(each, node).is_no for each in selection.terms):
        failing = [_failing(each, node) for each in selection.terms]
        words = list(dict.fromkeys(_words(each) for each in failing))
        yield Refusal(
            obstacle=Obstacle.LABEL,
            detail=_OTHER_NODE if words == [_OTHER_NODE] else f"node affinity {', or '.join(words)}",
            labels=tuple(dict.fromkeys(each.key for each in failing if each is not None and not each.is_field)),
        )


def _failing(term: Term, node: Node) -> Requirement | None:
    """The first requirement of a term that the node does not satisfy; None for a term without requirements."""
    return next((each for each in sorted(term, key=lambda each: not each.is_field) if each.holds(node).is_no), None)


def _words(failing: Requirement | None) -> str:
    return "no label at all" if failing is None else _OTHER_NODE if failing.is_field else str(failing)


def named_node(spec: Mapping[str, Any]) -> str:
    """The node that a DaemonSet's pod is made for, by the field `metadata.name` of its affinity; empty without one."""
    named = (each for term in selection_of(spec).terms for each in term if each.is_field and each.choices and len(each.choices) == 1)
    return next((next(iter(each.choices or ())) for each in named), "")


Refused = tuple[Refusal, tuple[GpuNode, ...]]
"""A refusal, and the nodes that have it."""
_Refusing = tuple[tuple[GpuNode, ...], tuple[Refusal, ...]]
"""Nodes, and all that they have against a pod."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fit:
    """The GPU nodes before a pod: those that refuse nothing, and those that refuse it for the fewest reasons."""

    willing: tuple[GpuNode, ...]
    nearest: tuple[GpuNode, ...]
    """Of equal ones, the nodes whose obstacles pass the soonest."""
    obstacles: tuple[tuple[Obstacle, tuple[Refused, ...]], ...]
    """The obstacles of the nearest nodes. Obstacles of one kind are one, unless the same node has several."""


class NodeFits:
    """The fits of pods.

    Pods with the same selector, affinity and tolerations are judged once, and so are the taints of the nodes for the
    same tolerations.
    """

    def __init__(self, nodes: Sequence[GpuNode]) -> None:
        self._nodes = [(each, each.observed) for each in nodes if each.observed is not None]
        self._known: dict[str, Fit] = {}
        self._taints: dict[str, list[tuple[Refusal, ...]]] = {}

    def of(self, spec: Mapping[str, Any]) -> Fit:
        """The nodes whose Node object was read, before a pod."""
        key = _key(spec.get("nodeSelector"), spec.get("affinity"), spec.get("tolerations"))
        if key not in self._known:
            self._known[key] = _fit(self._fits(spec))
        return self._known[key]

    def _fits(self, spec: Mapping[str, Any]) -> list[_Refusing]:
        """The nodes that refuse a pod for the same reasons, with the reasons."""
        tolerations, selection = _key(spec.get("tolerations")), selection_of(spec)
        if tolerations not in self._taints:
            self._taints[tolerations] = [taint_refusals(spec, each) for _, each in self._nodes]
        fits: dict[tuple[str, ...], tuple[list[GpuNode], tuple[Refusal, ...]]] = {}
        for (node, observed), taints in zip(self._nodes, self._taints[tolerations], strict=True):
            refused = (*taints, *_label_refusals(selection, observed))
            fits.setdefault(tuple(each.detail for each in refused), ([], refused))[0].append(node)
        return [(tuple(nodes), refused) for nodes, refused in fits.values()]


def _key(*parts: object) -> str:
    return json.dumps(parts, sort_keys=True, default=str)


def _fit(fits: Sequence[_Refusing]) -> Fit:
    refusing = [(nodes, refused) for nodes, refused in fits if refused]
    rank = min((_rank(refused) for _, refused in refusing), default=None)
    nearest = [(nodes, refused) for nodes, refused in refusing if _rank(refused) == rank]
    return Fit(
        willing=tuple(each for nodes, refused in fits if not refused for each in nodes),
        nearest=tuple(each for nodes, _ in nearest for each in nodes),
        obstacles=tuple(_obstacles(nearest, rank[0] if rank else 0)),
    )


def _rank(refused: Sequence[Refusal]) -> tuple[int, int]:
    return len(refused), max(_ORDER.index(each.obstacle) for each in refused)


def _obstacles(nearest: Sequence[_Refusing], of_a_node: int) -> list[tuple[Obstacle, tuple[Refused, ...]]]:
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
