"""The fault of a GPU node that is not ready: by the words of its kubelet, or because the kubelet has stopped
reporting."""

from __future__ import annotations

from ...arguments.commands import command
from ..fault import Fault
from ..gpu_node import GpuNode

_LOST = (
    "The node is not ready; Kubernetes has no news of it. The machine is off or out of reach, or its kubelet does not run",
    "What Kubernetes shows of the node, its GPUs and its pods is old. Pods that ask for a GPU of the node stay Pending",
    command(
        "talosctl --nodes ADDRESS service kubelet && talosctl --nodes ADDRESS logs kubelet   # no answer: the machine is off or out of reach"
    ),
)
_UNREADY = (
    "The kubelet reports that the node is not ready",
    "Kubernetes places no pods on the node, so pods that ask for a GPU of the node stay Pending",
    command(
        "kubectl get pods --all-namespaces -o wide --field-selector spec.nodeName=NODE   # the evidence names the part that is not ready, often the network plugin (CNI)"
    ),
)


def unready_fault(node: GpuNode) -> Fault | None:
    """The fault of a node whose condition Ready is not True. None where the condition was not read."""
    ready = node.readiness
    if node.node is None or ready is None or ready.get("status") == "True":
        return None
    words = " ".join(f"{each}" for each in (ready.get("reason"), ready.get("message")) if each)
    cause, consequence, fix = _LOST if node.is_lost else _UNREADY
    return Fault(
        name="node-not-ready",
        cause=cause,
        evidence=(node.node.evidence(f"Ready: {ready.get('status')}{f', {words}' if words else ''}", "status.conditions"),),
        consequence=consequence,
        fix=fix,
        verify=command("kubectl get node NODE"),
        source="https://kubernetes.io/docs/reference/node/node-status/#condition",
    )
