"""The refusals of a pod by a node: taints that the pod does not tolerate, and labels that the node lacks, as the scheduler judges them."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..upstream.kubernetes.controlled_taints import CORDONED, NETWORK_UNAVAILABLE, NOT_READY, OF_KUBERNETES, UNREACHABLE, is_controlled
from .evidence import Evidence
from .live_object import LiveObject

_AFFINITY = ("nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
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


def refusals(spec: Mapping[str, Any], node: LiveObject, *, is_daemon: bool = False) -> tuple[Refusal, ...]:
    """The refusals of a pod by a node. The pods of a DaemonSet (`is_daemon`) tolerate the taints that Kubernetes itself sets."""
    return (*taint_refusals(spec, node, is_daemon=is_daemon), *LabelSelection(spec).refusals(node, node.labels))


def taint_refusals(spec: Mapping[str, Any], node: LiveObject, *, is_daemon: bool = False) -> tuple[Refusal, ...]:
    """The taints of a node that the pod does not tolerate."""
    tolerations = spec.get("tolerations")
    listed = [each for each in tolerations if isinstance(each, Mapping)] if isinstance(tolerations, list) else []
    taints = [each for each in node.mappings("spec", "taints") if each.get("effect") in ("NoSchedule", "NoExecute")]
    if node.at("spec", "unschedulable") is True and not any(each.get("key") == CORDONED for each in taints):
        taints.append({"key": CORDONED, "effect": "NoSchedule"})
    refused = [each for each in taints if not any(_tolerates(toleration, each) for toleration in listed)]
    keys = [str(each.get("key", "")) for each in refused]
    unready = next((each for each in _UNREADY if each in keys), "")
    found: dict[str, Refusal] = {}
    for key, taint in zip(keys, refused, strict=True):
        if (is_daemon and key.startswith(OF_KUBERNETES)) or (key in _UNREADY and key != unready):
            continue
        obstacle = _obstacle(key)
        detail = taint_text(taint)
        found.setdefault(detail if obstacle is Obstacle.TAINT else key, Refusal(obstacle=obstacle, detail=detail))
    return tuple(found.values())


def _obstacle(key: str) -> Obstacle:
    if key == CORDONED:
        return Obstacle.CORDON
    if key in _UNREADY:
        return Obstacle.UNREADY
    return Obstacle.CONDITION if is_controlled(key) else Obstacle.TAINT


def taint_text(taint: Mapping[str, Any]) -> str:
    """A taint as kubectl writes it: `dedicated=ai:NoSchedule`."""
    value = taint.get("value")
    return f"{taint.get('key', '')}{f'={value}' if value else ''}:{taint.get('effect', '')}"


def _tolerates(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    key, effect = toleration.get("key") or "", toleration.get("effect") or ""
    if effect not in ("", taint.get("effect")) or key not in ("", taint.get("key")):
        return False
    if toleration.get("operator", "Equal") in ("", "Equal"):
        return bool(key) and (toleration.get("value") or "") == (taint.get("value") or "")
    return True


class LabelSelection:
    """The labels that a pod selects, read once for many nodes."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        selector = spec.get("nodeSelector")
        self._wanted = [
            (key, str(value), Refusal(obstacle=Obstacle.LABEL, detail=f"nodeSelector {key}={value}", labels=(key,)))
            for key, value in (selector if isinstance(selector, Mapping) else {}).items()
        ]
        self._terms = _terms(spec)

    def refusals(self, node: LiveObject, labels: Mapping[str, str]) -> tuple[Refusal, ...]:
        """The labels that a node lacks."""
        lacking = tuple(refusal for key, value, refusal in self._wanted if key not in labels or str(labels[key]) != value)
        return (*lacking, *self._unmatched(node)) if self._terms else lacking

    def _unmatched(self, node: LiveObject) -> Iterator[Refusal]:
        failing = [_failing(each, node) for each in self._terms]
        if all(each is not None for each in failing):
            shown = list(dict.fromkeys(each for each in failing if each))
            if shown != [_OTHER_NODE]:
                keys = tuple(each.split(" ", 1)[0] for each in shown)
                yield Refusal(obstacle=Obstacle.LABEL, detail=f"node affinity {', or '.join(shown)}", labels=keys)
            else:
                yield Refusal(obstacle=Obstacle.LABEL, detail=_OTHER_NODE)


def _terms(spec: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The terms of the required node affinity."""
    value = spec.get("affinity")
    for step in _AFFINITY:
        value = value.get(step) if isinstance(value, Mapping) else None
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _failing(term: Mapping[str, Any], node: LiveObject) -> str | None:
    """The first requirement of a term that the node does not satisfy; None if it satisfies the term."""
    fields = _requirements(term, "matchFields")
    expressions = _requirements(term, "matchExpressions")
    if not fields and not expressions:
        return "no label at all"
    if not all(_holds(each, {"metadata.name": node.name}) for each in fields):
        return _OTHER_NODE
    failing = next((each for each in expressions if not _holds(each, node.labels)), None)
    return None if failing is None else _requirement_text(failing)


def _requirements(term: Mapping[str, Any], field: str) -> list[Mapping[str, Any]]:
    listed = term.get(field)
    return [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []


def _requirement_text(requirement: Mapping[str, Any]) -> str:
    values = requirement.get("values")
    shown = f" [{', '.join(map(str, values))}]" if isinstance(values, list) and values else ""
    return f"{requirement.get('key')} {requirement.get('operator')}{shown}"


def _holds(requirement: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, operator = str(requirement.get("key")), requirement.get("operator")
    listed = requirement.get("values")
    values = [str(each) for each in listed] if isinstance(listed, list) else []
    value = str(labels[key]) if key in labels else None
    holds = {
        "In": value in values,
        "NotIn": value not in values,
        "Exists": value is not None,
        "DoesNotExist": value is None,
        "Gt": _is_greater(value, next(iter(values), None)),
        "Lt": _is_greater(next(iter(values), None), value),
    }
    return holds.get(str(operator), True)


def _is_greater(more: str | None, less: str | None) -> bool:
    try:
        return more is not None and less is not None and int(more) > int(less)
    except ValueError:
        return False


def named_node(spec: Mapping[str, Any]) -> str:
    """The node that a pod of a DaemonSet is made for, by the field `metadata.name` of its affinity; empty without one."""
    for term in _terms(spec):
        for each in _requirements(term, "matchFields"):
            values = each.get("values")
            if each.get("key") == "metadata.name" and isinstance(values, list) and len(values) == 1:
                return str(values[0])
    return ""
