"""The faults of a pod that every GPU node refuses: a taint, a label, a cordon, a node that can't serve pods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import islice

from ...arguments.commands import Command, command
from ..fault import Advice, Fault, Fix, quoted
from ..node_fit import Fit, Obstacle, Refused
from ..scheduler_message import SchedulerMessage
from .refusal_fixes import conditions_text, label_fix, taint_condition

_PENDING = "The scheduler finds no GPU node for the pod, so the pod stays Pending"
_MOST_SHOWN = 5
_NODES = command("kubectl get nodes")
_Texts = tuple[str, Fix, Command, str, tuple[str, ...]]


def refusal_faults(fit: Fit, words: SchedulerMessage) -> tuple[Fault, ...]:
    """The faults of the nodes that are nearest to taking the pod."""
    return tuple(_fault(obstacle, refused, words) for obstacle, refused in fit.obstacles)


def _fault(obstacle: Obstacle, refused: Sequence[Refused], words: SchedulerMessage) -> Fault:
    cause, fix, verify, source, rules = _TEXTS[obstacle](refused)
    lines = ((refusal, each.node) for refusal, nodes in refused for each in nodes if each.node is not None)
    fault = Fault(
        name=_NAMES[obstacle],
        cause=cause,
        evidence=(words.evidence, *(refusal.evidence(node) for refusal, node in islice(lines, _MOST_SHOWN))),
        consequence=_PENDING,
        fix=fix,
        verify=verify,
        source=source,
        rules=rules,
        about=tuple(each.node for _, nodes in refused for each in nodes if each.node is not None),
        is_of_pod=True,
    )
    return replace(fault, general=_general(fault, keys)) if (keys := _keys(refused)) else fault


def _general(fault: Fault, keys: Sequence[str]) -> Fault:
    """The fault of pods that select the same labels in different values."""
    cause = f"No GPU node has the value that the pod selects of the label {' or of the label '.join(keys)}"
    columns = ",".join(keys)
    return replace(
        fault,
        cause=cause,
        fix=command(
            "kubectl get nodes --label-columns {columns}   # the values that nodes have, for the selectors of the pods", columns=columns
        ),
    )


def _cordon(refused: Sequence[Refused]) -> _Texts:
    return (
        "The GPU nodes that the pod may use are cordoned (spec.unschedulable: true)",
        command("kubectl uncordon NODE"),
        _NODES,
        "https://kubernetes.io/docs/concepts/nodes/node/#manual-node-administration",
        (),
    )


def _condition(refused: Sequence[Refused]) -> _Texts:
    keys = list(dict.fromkeys(refusal.taint for refusal, _ in refused))
    conditions = [taint_condition(each) for each in keys]
    return (
        f"The GPU nodes that the pod may use {conditions_text(keys)}",
        reduce(Command.followed_by, dict.fromkeys(each.fix for each in conditions)),
        _NODES,
        "; ".join(dict.fromkeys(each.source for each in conditions)),
        (),
    )


def _taint(refused: Sequence[Refused]) -> _Texts:
    details = _details(refused)
    return (
        f"The pod does not tolerate the taint {' or the taint '.join(details)} of the GPU nodes",
        Advice("Add to the pod spec", tolerations_yaml(details)),
        command("kubectl get nodes -o custom-columns='NAME:.metadata.name,TAINTS:.spec.taints'"),
        "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
        ("TG053",),
    )


def _label(refused: Sequence[Refused]) -> _Texts:
    details, keys = _details(refused), _keys(refused)
    return (
        f"No GPU node has the label that the pod selects: {'; '.join(details)}",
        label_fix(details, keys, [each.node for _, nodes in refused for each in nodes if each.node is not None]),
        command("kubectl get nodes --show-labels"),
        "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/",
        ("TG007", "TG049"),
    )


def _keys(refused: Sequence[Refused]) -> list[str]:
    return list(dict.fromkeys(key for refusal, _ in refused for key in refusal.labels))


def _details(refused: Sequence[Refused]) -> list[str]:
    return list(dict.fromkeys(refusal.detail for refusal, _ in refused))


def tolerations_yaml(taints: Sequence[str]) -> str:
    """The tolerations of these taints, as they stand in a pod spec. Values are quoted: YAML reads a bare `true` or `1`
    as no string."""
    lines = ["tolerations:"]
    for taint in taints:
        name, _, effect = taint.rpartition(":")
        key, _, value = name.partition("=")
        operator = f"operator: Equal, value: {quoted(value)}" if value else "operator: Exists"
        lines.append(f"  - {{key: {quoted(key)}, {operator}, effect: {quoted(effect)}}}")
    return "\n".join(lines)


_TEXTS = {
    Obstacle.CORDON: _cordon,
    Obstacle.UNREADY: _condition,
    Obstacle.CONDITION: _condition,
    Obstacle.TAINT: _taint,
    Obstacle.LABEL: _label,
}
_NAMES = {
    Obstacle.CORDON: "gpu-nodes-cordoned",
    Obstacle.UNREADY: "gpu-nodes-not-ready",
    Obstacle.CONDITION: "gpu-nodes-not-in-service",
    Obstacle.TAINT: "untolerated-taint",
    Obstacle.LABEL: "node-label-missing",
}
