"""The faults of a pod that every GPU node refuses: a taint, a label, a cordon, a node that is not ready."""

from __future__ import annotations

from collections.abc import Sequence

from ..fault import Fault
from ..node_fit import Selection
from ..node_refusals import Obstacle, Refusal
from ..unplaced import Unplaced

_PENDING = "The scheduler finds no GPU node for the pod, so the pod stays Pending"
_MOST_SHOWN = 5


def refusal_faults(selection: Selection, words: Unplaced) -> tuple[Fault, ...]:
    """The faults of the nodes that are nearest to taking the pod."""
    return tuple(_fault(obstacle, refusals, words) for obstacle, refusals in selection.obstacles)


def _fault(obstacle: Obstacle, refusals: Sequence[Refusal], words: Unplaced) -> Fault:
    details = list(dict.fromkeys(each.detail for each in refusals))
    cause, fix, verify, source, rules = _TEXTS[obstacle](details)
    return Fault(
        name=_NAMES[obstacle],
        cause=cause,
        evidence=(words.evidence, *(each.evidence for each in refusals[:_MOST_SHOWN])),
        consequence=_PENDING,
        fix=fix,
        verify=verify,
        source=source,
        rules=rules,
        is_of_pod=True,
    )


_Texts = tuple[str, str, str, str, tuple[str, ...]]
_NODES = "kubectl get nodes"


def _cordon(details: list[str]) -> _Texts:
    return (
        "The GPU nodes that the pod may use are cordoned (spec.unschedulable: true)",
        "kubectl uncordon NODE",
        _NODES,
        "https://kubernetes.io/docs/concepts/nodes/node/#manual-node-administration",
        (),
    )


def _unready(details: list[str]) -> _Texts:
    return (
        "The GPU nodes that the pod may use are not ready: their kubelet does not report",
        "talosctl --nodes ADDRESS services; talosctl --nodes ADDRESS logs kubelet",
        _NODES,
        "https://kubernetes.io/docs/concepts/architecture/nodes/#condition",
        (),
    )


def _taint(details: list[str]) -> _Texts:
    return (
        f"The pod does not tolerate the taint {' or the taint '.join(details)} of the GPU nodes",
        f"Add to the pod spec:\n{tolerations_yaml(details)}",
        "kubectl get nodes -o custom-columns='NAME:.metadata.name,TAINTS:.spec.taints'",
        "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
        ("TG053",),
    )


def _label(details: list[str]) -> _Texts:
    return (
        f"No GPU node has the label that the pod selects: {'; '.join(details)}",
        label_fix(details),
        "kubectl get nodes --show-labels",
        "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/",
        ("TG007", "TG049"),
    )


def tolerations_yaml(taints: list[str]) -> str:
    """The tolerations of these taints, as they stand in a pod spec."""
    lines = ["tolerations:"]
    for taint in taints:
        name, _, effect = taint.rpartition(":")
        key, _, value = name.partition("=")
        operator = f"operator: Equal, value: {value}" if value else "operator: Exists"
        lines.append(f"  - {{key: {key}, {operator}, effect: {effect}}}")
    return "\n".join(lines)


def label_fix(details: list[str]) -> str:
    """The command that labels a node as `nodeSelector KEY=VALUE` asks for; a step where the affinity is not one label with one value."""
    if len(details) == 1 and details[0].startswith("nodeSelector "):
        return f"kubectl label node NODE {details[0].removeprefix('nodeSelector ')}   # to keep it: machine.nodeLabels of the machine configuration"
    return "Select a label that the GPU nodes have, such as the key extensions.talos.dev/nvidia-container-toolkit-lts, or set the label in machine.nodeLabels"


_TEXTS = {Obstacle.CORDON: _cordon, Obstacle.UNREADY: _unready, Obstacle.TAINT: _taint, Obstacle.LABEL: _label}
_NAMES = {
    Obstacle.CORDON: "gpu-nodes-cordoned",
    Obstacle.UNREADY: "gpu-nodes-not-ready",
    Obstacle.TAINT: "untolerated-taint",
    Obstacle.LABEL: "node-label-missing",
}
