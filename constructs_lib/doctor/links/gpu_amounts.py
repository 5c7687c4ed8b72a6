"""The faults of a pod that asks for more GPUs than its nodes have, offer, or have left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...upstream.scheduler_words import INSUFFICIENT
from ..evidence import Evidence
from ..fault import Fault
from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode
from ..live_pod import LivePod
from ..unplaced import Unplaced
from .claim_faults import is_offered_devices

_PENDING = "The pod stays Pending"
_MOST_SHOWN = 8
_OFFERS = "kubectl get nodes -o custom-columns='NAME:.metadata.name,GPUS:.status.allocatable.nvidia\\.com/gpu'"
_SCHEDULING = "https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/"


def amount_faults(cluster: GpuCluster, pod: LivePod, nodes: Sequence[GpuNode], words: Unplaced) -> tuple[Fault, ...]:
    """The faults of the GPUs that a pod asks for, on the nodes that it may use."""
    lasting = lasting_amount_faults(cluster, pod, nodes, words)
    if lasting:
        return lasting
    scarce = ((name, amount) for name, amount in pod.gpus.items() if words.names(f"{INSUFFICIENT}{name}"))
    return tuple(_held(cluster, pod, nodes, words, name, amount) for name, amount in scarce if _is_held(cluster, nodes, name, amount))


def _is_held(cluster: GpuCluster, nodes: Sequence[GpuNode], name: str, amount: int) -> bool:
    """Whether the nodes offer enough GPUs, and none has enough left beside the pods that it runs."""
    left = [each.offered[name] - _held_on(cluster, each, name) for each in nodes if each.offered.get(name, 0) >= amount]
    return bool(left) and max(left) < amount


def _held_on(cluster: GpuCluster, node: GpuNode, name: str) -> int:
    return sum(each.gpus.get(name, 0) for each in cluster.holders.get(node.name, ()))


def lasting_amount_faults(cluster: GpuCluster, pod: LivePod, nodes: Sequence[GpuNode], words: Unplaced) -> tuple[Fault, ...]:
    """The faults that stay when every other pod is gone: a resource that no node offers, and more GPUs than one node has."""
    return tuple(_lasting(cluster, pod, nodes, words)) if nodes else ()


def _lasting(cluster: GpuCluster, pod: LivePod, nodes: Sequence[GpuNode], words: Unplaced) -> Iterator[Fault]:
    if any(is_offered_devices(cluster, each.name) for each in nodes):
        return  # the DRA driver may serve the resource, and no Node says how many it has
    for name, amount in pod.gpus.items():
        most = max(each.offered.get(name, 0) for each in nodes)
        others = sorted({other for each in nodes for other, offered in each.offered.items() if offered})
        evidence = (words.evidence, *_offers(nodes))
        if most == 0 and others:
            yield Fault(
                name="resource-not-offered",
                cause=f"The pod asks for {name}, and the GPU nodes that it may use offer {', '.join(others)}",
                evidence=evidence,
                consequence=_PENDING,
                fix=f"Set in the pod spec: resources: {{limits: {{{others[0]}: {amount}}}}}",
                verify="kubectl describe node NODE",
                source="NVIDIA/k8s-device-plugin internal/rm/rm.go, api/config/v1/sharing.go",
                rules=("TG047",),
                is_of_pod=True,
            )
        elif most == 0:
            yield Fault(
                name="no-gpus-on-offer",
                cause=f"No GPU node that the pod may use offers {name}",
                evidence=evidence,
                consequence=_PENDING,
                fix="See the pod of the device plugin on the node: kubectl get pods --all-namespaces -o wide --field-selector spec.nodeName=NODE",
                verify=_OFFERS,
                source=_SCHEDULING,
                rules=("TG123",),
            )
        elif most < amount:
            yield Fault(
                name="more-gpus-than-a-node-has",
                cause=f"The pod asks for {amount} {name} on one node, and no node that it may use offers more than {most}",
                evidence=evidence,
                consequence=f"{_PENDING}: a pod runs on one node",
                fix=f"Set in the pod spec: resources: {{limits: {{{name}: {most}}}}}   # or spread the program over several pods",
                verify=_OFFERS,
                source=_SCHEDULING,
                rules=("TG095",),
                is_of_pod=True,
            )


def _offers(nodes: Sequence[GpuNode]) -> Iterator[Evidence]:
    for each in nodes[:_MOST_SHOWN]:
        if each.node is not None:
            offered = ", ".join(f"{name}: {amount}" for name, amount in each.offered.items()) or "no nvidia.com/gpu"
            yield each.node.evidence(offered, "status.allocatable")


def _held(cluster: GpuCluster, pod: LivePod, nodes: Sequence[GpuNode], words: Unplaced, name: str, amount: int) -> Fault:
    holders = [(each, holder) for each in nodes for holder in cluster.holders.get(each.name, ()) if name in holder.gpus]
    predecessor = next((holder for _, holder in holders if _is_predecessor(holder, pod)), None)
    shown = tuple(
        holder.object.evidence(f"holds {name}: {holder.gpus[name]} of {node.name}", "spec") for node, holder in holders[:_MOST_SHOWN]
    )
    evidence = (words.evidence, *_offers(nodes), *shown)
    if predecessor is not None:
        return Fault(
            name="rolling-update-deadlock",
            cause=f"RollingUpdate deadlock: the new pod needs {name}, and the old pod of the same Deployment keeps it until the new pod is ready",
            evidence=(words.evidence, predecessor.object.evidence(f"holds {name}: {predecessor.gpus[name]} of {predecessor.node}", "spec")),
            consequence=f"{_PENDING}, and the rollout does not end",
            fix=f"kubectl patch deployment {_deployment(pod)} --namespace {pod.object.namespace or 'default'} "
            """--patch '{"spec": {"strategy": {"type": "Recreate", "rollingUpdate": null}}}'""",
            verify=f"kubectl rollout status deployment {_deployment(pod)} --namespace {pod.object.namespace or 'default'}",
            source="https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#strategy",
            rules=("TG048",),
            is_of_pod=True,
        )
    return Fault(
        name="all-gpus-held",
        cause=f"Other pods hold the {name} of the nodes that the pod may use"
        + ("" if amount == 1 else f"; fewer than {amount} are free on each node"),
        evidence=evidence,
        consequence=f"{_PENDING} until one of these pods ends",
        fix="End a pod that holds a GPU, add a GPU node, or share the GPUs by time-slicing",
        verify=_OFFERS,
        source="NVIDIA/k8s-device-plugin#430",
        rules=("TG096", "TG098"),
        is_of_pod=True,
    )


def _is_predecessor(holder: LivePod, pod: LivePod) -> bool:
    """Whether both pods belong to one Deployment, by different ReplicaSets."""
    own, other = pod.controller, holder.controller
    is_one = own[0] == other[0] == "ReplicaSet" and own[1] != other[1] and holder.object.namespace == pod.object.namespace
    return is_one and _deployment(holder) == _deployment(pod)


def _deployment(pod: LivePod) -> str:
    return pod.controller[1].rpartition("-")[0]
