"""The link `scheduled` of a GPU pod: the scheduler's words, checked against the nodes, the other pods and the
claims."""

from __future__ import annotations

from collections.abc import Mapping

from ...arguments.commands import command
from ...symptoms.link import Link
from ...upstream.kubernetes.scheduler_words import INSUFFICIENT, UNALLOCATED
from ..gpu_cluster import GpuCluster
from ..link import Broken, Follows, Healthy, NotSeen, State
from ..live_pods import LivePod
from ..node_fit import Fit, Obstacle
from ..scheduler_message import SchedulerMessage, scheduler_message
from .claim_faults import allocation_faults, claim_faults
from .gpu_amounts import amount_faults, lasting_amount_faults
from .refusal_faults import refusal_faults
from .scheduler_faults import no_gpu_nodes, other_faults, word_faults


def scheduled(cluster: GpuCluster, pod: LivePod, broken: Mapping[str, Link]) -> State:
    """The state of the link of a pod. `broken` has the GPU nodes whose own chain is broken, with the broken link."""
    if pod.node:
        return Healthy(evidence=pod.about.evidence(f"nodeName: {pod.node}", "spec"))
    words = scheduler_message(cluster, pod)
    if words is None:
        return NotSeen(command=command("kubectl describe pod POD --namespace NAMESPACE"))
    own = claim_faults(cluster, pod, words) or word_faults(words)
    if not own and cluster.has_unread_claims(pod):
        return NotSeen(command=command("kubectl get resourceclaims,resourceclaimtemplates --namespace NAMESPACE -o yaml"))
    return Broken(faults=own) if own else _on_nodes(cluster, pod, words, broken)


def _on_nodes(cluster: GpuCluster, pod: LivePod, words: SchedulerMessage, broken: Mapping[str, Link]) -> State:
    fit = cluster.fits.of(pod.spec)
    willing = fit.willing
    lacks_gpus = words.names(f"{INSUFFICIENT}nvidia.com/") or words.names(UNALLOCATED)
    if not (willing or fit.nearest):
        if lacks_gpus and broken:
            return Follows(nodes=tuple(broken), evidence=words.evidence)
        has_none = "Node" in cluster.dump.listed and not cluster.nodes
        return Broken(faults=(no_gpu_nodes(cluster, pod, words),) if has_none else other_faults(words))
    if not willing and _is_only_unready(fit) and all(each.name in broken for each in fit.nearest):
        return Follows(nodes=tuple(each.name for each in fit.nearest), evidence=words.evidence)
    if not willing:
        mended = [each for each in fit.nearest if each.name not in broken]
        return Broken(faults=(*refusal_faults(fit, words), *lasting_amount_faults(cluster, pod, mended, words)))
    lacking = tuple(each for each in cluster.supplies.short(willing, pod) if each in broken)
    if lacking and lacks_gpus:
        return Follows(nodes=lacking, evidence=words.evidence)
    faults = amount_faults(cluster, pod, willing, words)
    if words.names(UNALLOCATED):
        faults = (*faults, *allocation_faults(cluster, pod, willing, words))
    return Broken(faults=faults or other_faults(words))


def _is_only_unready(fit: Fit) -> bool:
    """Whether the nearest nodes would take the pod if they were ready."""
    return all(obstacle is Obstacle.UNREADY for obstacle, _ in fit.obstacles)
