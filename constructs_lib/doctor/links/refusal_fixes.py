"""Fixes of what keeps pods from a node: the condition behind a taint that Kubernetes or a controller sets, and a label
that no node has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...arguments.commands import Command, command
from ...observed.model.live_object import LiveObject
from ...observed.nodes.node_labels import SET_BY_PEOPLE, label_setter
from ...upstream.kubernetes.controlled_taints import (
    AGENT_UNREADY,
    DISAPPEARING,
    DISK_PRESSURE,
    MEMORY_PRESSURE,
    NETWORK_UNAVAILABLE,
    NOT_READY,
    PID_PRESSURE,
    UNINITIALIZED,
    UNREACHABLE,
)
from ..fault import Advice, Fix, quoted

_DESCRIBE = command("kubectl describe node NODE")
_PODS = command("kubectl get pods --all-namespaces -o wide --field-selector spec.nodeName=NODE")
_LABELS_PAGE = "https://kubernetes.io/docs/reference/labels-annotations-taints/"
_CONDITIONS_PAGE = "https://kubernetes.io/docs/concepts/architecture/nodes/#condition"


@dataclass(frozen=True, kw_only=True, slots=True)
class TaintCondition:
    """The condition of nodes: `text` follows `The GPU nodes …`, and `fix` ends the condition or shows what does."""

    text: str
    fix: Command
    source: str


def taint_condition(key: str) -> TaintCondition:
    """The condition behind a taint that Kubernetes or a controller sets."""
    if key.endswith(AGENT_UNREADY):
        agent = key.removesuffix(AGENT_UNREADY)
        fix = _PODS.explained("the pod of the agent: it takes the taint away once it is ready")
        return TaintCondition(
            text=f"wait for the agent of {agent}", fix=fix, source="https://docs.cilium.io/en/stable/installation/taints/"
        )
    return _KNOWN.get(key) or TaintCondition(
        text="can't serve pods now, as Kubernetes or a controller says", fix=_DESCRIBE, source=_LABELS_PAGE
    )


def conditions_text(keys: Sequence[str]) -> str:
    """The conditions in words: `are unreachable (taint node.kubernetes.io/unreachable): their kubelet does not
    report`."""
    return ", or ".join(map(_text, keys))


def _text(key: str) -> str:
    condition, colon, reason = taint_condition(key).text.partition(":")
    return f"{condition} (taint {key}){colon}{reason}"


_NEW = TaintCondition(
    text="are new, and their controller has not taken them up yet",
    fix=command(
        "kubectl get pods --all-namespaces -o wide   # the cloud controller manager, the Cluster API or Karpenter: it takes the taint away once the node is known"
    ),
    source=_LABELS_PAGE,
)
_GOING = TaintCondition(
    text="are on their way out: an autoscaler removes them, or their cloud has shut them down",
    fix=command("kubectl get nodes --watch   # the pod needs another GPU node, or the node once it is back"),
    source="https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md",
)
_KNOWN = {
    UNREACHABLE: TaintCondition(
        text="are unreachable: their kubelet does not report",
        fix=command("talosctl --nodes ADDRESS services && talosctl --nodes ADDRESS logs kubelet"),
        source=_CONDITIONS_PAGE,
    ),
    NOT_READY: TaintCondition(
        text="are not ready: their kubelet reports, and can't run pods, most often for want of a network plugin (CNI)",
        fix=_DESCRIBE.explained("the message of the condition Ready").followed_by(_PODS.explained("the pods of the CNI")),
        source=_CONDITIONS_PAGE,
    ),
    NETWORK_UNAVAILABLE: TaintCondition(
        text="have no network yet",
        fix=_PODS.explained("the pod of the CNI, or the cloud's controller of routes, ends the condition NetworkUnavailable"),
        source=_CONDITIONS_PAGE,
    ),
    DISK_PRESSURE: TaintCondition(
        text="are short of disk space",
        fix=command(
            "talosctl --nodes ADDRESS usage /var --depth 3 --humanize   # free space, or enlarge the volume EPHEMERAL; the kubelet takes the taint away"
        ),
        source=_CONDITIONS_PAGE,
    ),
    MEMORY_PRESSURE: TaintCondition(
        text="are short of memory",
        fix=command(
            "talosctl --nodes ADDRESS processes --sort rss   # end or limit what needs the memory; the kubelet takes the taint away"
        ),
        source=_CONDITIONS_PAGE,
    ),
    PID_PRESSURE: TaintCondition(
        text="are short of process ids",
        fix=command("talosctl --nodes ADDRESS processes   # end what makes so many; the kubelet takes the taint away"),
        source=_CONDITIONS_PAGE,
    ),
    **dict.fromkeys(UNINITIALIZED, _NEW),
    **dict.fromkeys(DISAPPEARING, _GOING),
}


_SET_BY_PEOPLE = (*SET_BY_PEOPLE, "node-role.kubernetes.io/", "node-restriction.kubernetes.io/")
_MOST_SHOWN = 4
_SELECTOR = "nodeSelector "


def label_fix(details: Sequence[str], keys: Sequence[str], nodes: Iterable[LiveObject], where: str = "the pod spec") -> Fix:
    """The fix of the selections `nodeSelector KEY=VALUE` or `node affinity …`. `where` has the selection."""
    labels = [each.labels for each in nodes]
    has = {key: sorted({str(each[key]) for each in labels if key in each}) for key in keys}
    is_selector = len(details) == 1 and details[0].startswith(_SELECTOR)
    changeable = [key for key in keys if has[key] or is_set_by_agents(key)]
    if is_selector and not changeable:
        return label_command(details[0].removeprefix(_SELECTOR))
    if not changeable:
        return Advice(
            "Select a label that the GPU nodes have, such as the key extensions.talos.dev/nvidia-container-toolkit-lts, or set the label in machine.nodeLabels"
        )
    return _change(changeable[0], has[changeable[0]], where, is_selector=is_selector)


def label_command(label: str) -> Command:
    """The command that gives a node a label: `KEY=VALUE`."""
    return command("kubectl label node NODE {label}   # to keep it: machine.nodeLabels of the machine configuration", label=label)


def is_set_by_agents(key: str) -> bool:
    """Whether Kubernetes, a cloud, Talos or an agent of the GPU stack sets a label: a value that a person writes there
    is wrong, or does not last."""
    return label_setter(key) is not None and not key.startswith(_SET_BY_PEOPLE)


def _change(key: str, values: Sequence[str], where: str, *, is_selector: bool) -> Fix:
    if not values:
        part = "nodeSelector" if is_selector else "node affinity"
        return Advice(f"Remove {key} from the {part} of {where}, or run the agent that sets the label: no GPU node has it")
    shown = ", ".join(values[:_MOST_SHOWN]) + (", …" if len(values) > _MOST_SHOWN else "")
    if not is_selector:
        return Advice(f"Set in the node affinity of {where} a value of {key} that the GPU nodes have: {shown}")
    others = f" (the GPU nodes have: {shown})" if len(values) > 1 else ""
    return Advice(f"Set in {where}{others}", f"nodeSelector:\n  {quoted(key)}: {quoted(values[0])}")
