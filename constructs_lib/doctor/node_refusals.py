"""The refusals of a pod by a node: taints that the pod does not tolerate, and labels that the node lacks, as the scheduler judges them."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .evidence import Evidence
from .live_object import LiveObject

_AFFINITY = ("nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
_CORDON = "node.kubernetes.io/unschedulable"
_UNREADY = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_OF_KUBERNETES = "node.kubernetes.io/"


class Obstacle(enum.StrEnum):
    """A reason for which a node does not take a pod, the most passing one first."""

    CORDON = "cordon"
    UNREADY = "unready"
    TAINT = "taint"
    LABEL = "label"


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """An obstacle between a pod and a node. `detail` is the taint or the label: `dedicated=ai:NoSchedule`."""

    obstacle: Obstacle
    detail: str
    evidence: Evidence


def refusals(spec: Mapping[str, Any], node: LiveObject, *, is_daemon: bool = False) -> tuple[Refusal, ...]:
    """The refusals of a pod by a node. The pods of a DaemonSet (`is_daemon`) tolerate the taints that Kubernetes itself sets."""
    return (*_taints(spec, node, is_daemon), *_labels(spec, node))


def _taints(spec: Mapping[str, Any], node: LiveObject, is_daemon: bool) -> Iterator[Refusal]:
    tolerations = spec.get("tolerations")
    listed = [each for each in tolerations if isinstance(each, Mapping)] if isinstance(tolerations, list) else []
    taints = [each for each in node.mappings("spec", "taints") if each.get("effect") in ("NoSchedule", "NoExecute")]
    if node.at("spec", "unschedulable") is True and not any(each.get("key") == _CORDON for each in taints):
        taints.append({"key": _CORDON, "effect": "NoSchedule"})
    is_unready = False
    for taint in taints:
        key = str(taint.get("key", ""))
        if any(_tolerates(each, taint) for each in listed) or (is_daemon and key.startswith(_OF_KUBERNETES)):
            continue
        if key in _UNREADY and is_unready:
            continue
        is_unready = is_unready or key in _UNREADY
        obstacle = Obstacle.CORDON if key == _CORDON else Obstacle.UNREADY if key in _UNREADY else Obstacle.TAINT
        text = taint_text(taint)
        yield Refusal(obstacle=obstacle, detail=text, evidence=node.evidence(f"taint {text}", "spec.taints"))


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


def _labels(spec: Mapping[str, Any], node: LiveObject) -> Iterator[Refusal]:
    selector = spec.get("nodeSelector")
    for key, value in (selector if isinstance(selector, Mapping) else {}).items():
        if str(node.labels.get(key)) != str(value) or key not in node.labels:
            yield _lacking(node, f"nodeSelector {key}={value}", [key])
    value = spec.get("affinity")
    for step in _AFFINITY:
        value = value.get(step) if isinstance(value, Mapping) else None
    terms = [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
    failing = [_failing(each, node) for each in terms]
    if failing and all(each is not None for each in failing):
        shown = list(dict.fromkeys(each for each in failing if each))
        if shown != [_OTHER_NODE]:
            keys = [each.split(" ", 1)[0] for each in shown]
            yield _lacking(node, f"node affinity {', or '.join(shown)}", keys)
        else:
            yield Refusal(obstacle=Obstacle.LABEL, detail=_OTHER_NODE, evidence=node.evidence(node.name, "metadata.name"))


_OTHER_NODE = "another node by name"


def _lacking(node: LiveObject, wanted: str, keys: list[str]) -> Refusal:
    has = ", ".join(f"{key}={node.labels[key]}" for key in keys if key in node.labels)
    text = f"has {has}" if has else f"has no label {' and no label '.join(keys)}"
    return Refusal(obstacle=Obstacle.LABEL, detail=wanted, evidence=node.evidence(text, "metadata.labels"))


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
    value = spec.get("affinity")
    for step in _AFFINITY:
        value = value.get(step) if isinstance(value, Mapping) else None
    for term in value if isinstance(value, list) else []:
        for each in _requirements(term, "matchFields") if isinstance(term, Mapping) else []:
            values = each.get("values")
            if each.get("key") == "metadata.name" and isinstance(values, list) and len(values) == 1:
                return str(values[0])
    return ""
