"""The faults of a pod that asks for more GPUs than its nodes have, offer, or have left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from ...arguments.commands import command
from ...observed.model.evidence import Evidence
from ...upstream.kubernetes.scheduler_words import INSUFFICIENT
from ..fault import Advice, Fault, quoted
from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode
from ..live_pods import LivePod
from ..scheduler_message import SchedulerMessage

_PENDING = "The pod stays Pending"
_MOST_SHOWN = 4
_OFFERS = command("kubectl get nodes -o custom-columns='NAME:.metadata.name,GPUS:.status.allocatable.nvidia\\.com/gpu'")
_SCHEDULING = "https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/"


def amount_faults(cluster: GpuCluster, pod: LivePod, nodes: Sequence[GpuNode], words: SchedulerMessage) -> tuple[Fault, ...]:
    """The faults of the GPUs that a pod asks for, on the nodes that it may use."""
    lasting = lasting_amount_faults(cluster, pod, nodes, words)
    if lasting:
        return lasting
    left = cluster.supplies.of(nodes).left
    scarce = ((name, amount) for name, amount in pod.counted_gpus.items() if words.names(f"{INSUFFICIENT}{name}"))
    return tuple(_held(cluster, pod, nodes, words, name, amount) for name, amount in scarce if left.get(name, amount) < amount)


def lasting_amount_faults(cluster: GpuCluster, pod: LivePod, nodes: Sequence[GpuNode], words: SchedulerMessage) -> tuple[Fault, ...]:
    """The faults that stay when every other pod is gone: a resource that no node offers, and more GPUs than one node
    has."""
    return tuple(_lasting(cluster, pod, nodes, words)) if nodes else ()


def _lasting(cluster: GpuCluster, pod: LivePod, nodes: Sequence[GpuNode], words: SchedulerMessage) -> Iterator[Fault]:
    supply = cluster.supplies.of(nodes)
    if supply.has_devices:
        return  # the DRA driver may serve the resource, and no Node says how many it has
    for name, amount in pod.counted_gpus.items():
        most = supply.offered.get(name, 0)
        others = sorted(other for other, amount in supply.offered.items() if amount)
        evidence = (words.evidence, *_offers(nodes))
        if most == 0 and others:
            yield Fault(
                name="resource-not-offered",
                cause=f"The pod asks for {name}, and the GPU nodes that it may use offer {', '.join(others)}",
                evidence=evidence,
                consequence=_PENDING,
                fix=_limit(others[0], amount),
                verify=command("kubectl describe node NODE"),
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
                fix=command(
                    "kubectl get pods --all-namespaces -o wide --field-selector spec.nodeName=NODE   # the pod of the device plugin on the node"
                ),
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
                fix=_limit(name, most, ", or spread the program over several pods"),
                verify=_OFFERS,
                source=_SCHEDULING,
                rules=("TG095",),
                is_of_pod=True,
            )


def _limit(name: str, amount: int, otherwise: str = "") -> Advice:
    return Advice(f"Set in the container{otherwise}", f"resources: {{limits: {{{quoted(name)}: {amount}}}}}")


def _offers(nodes: Sequence[GpuNode]) -> Iterator[Evidence]:
    for each in nodes[:_MOST_SHOWN]:
        if each.node is not None:
            offered = ", ".join(f"{name}: {amount}" for name, amount in each.offered.items()) or "no nvidia.com/gpu"
            yield each.node.evidence(offered, "status.allocatable")


def _held(cluster: GpuCluster, pod: LivePod, nodes: Sequence[GpuNode], words: SchedulerMessage, name: str, amount: int) -> Fault:
    holders = ((each, holder) for each in nodes for holder in cluster.holders.get(each.name, ()) if name in holder.counted_gpus)
    rollout = cluster.rollouts.get((pod.about.namespace, pod.deployment), ()) if pod.deployment else ()
    predecessor = next((each for each in rollout if each.maker != pod.maker and name in each.gpus), None)
    shown = tuple(
        holder.about.evidence(f"holds {name}: {holder.counted_gpus[name]} of {node.name}", "spec")
        for node, holder in islice(holders, _MOST_SHOWN)
    )
    evidence = (words.evidence, *_offers(nodes), *shown)
    if predecessor is not None:
        return Fault(
            name="rolling-update-deadlock",
            cause=f"RollingUpdate deadlock: the new pod needs {name}, and the old pod of the same Deployment keeps it until the new pod is ready",
            evidence=(
                words.evidence,
                predecessor.about.evidence(f"holds {name}: {predecessor.counted_gpus[name]} of {predecessor.node}", "spec"),
            ),
            consequence=f"{_PENDING}, and the rollout does not end",
            fix=command(
                """kubectl patch deployment {name} --namespace {namespace} --patch '{"spec": {"strategy": {"type": "Recreate", "rollingUpdate": null}}}'""",
                name=pod.deployment,
                namespace=pod.about.namespace or "default",
            ),
            verify=command(
                "kubectl rollout status deployment {name} --namespace {namespace}",
                name=pod.deployment,
                namespace=pod.about.namespace or "default",
            ),
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
        fix=Advice("End a pod that holds a GPU, add a GPU node, or share the GPUs by time-slicing"),
        verify=_OFFERS,
        source="NVIDIA/k8s-device-plugin#430",
        rules=("TG096", "TG098"),
        is_of_pod=True,
    )
