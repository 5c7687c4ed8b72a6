"""The link `scheduled` of a GPU pod: the scheduler's words, checked against the nodes, the other pods and the
claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...arguments.commands import command, comment
from ...observed.model.evidence import Evidence
from ...symptoms.link import Link
from ...upstream.kubernetes.scheduler_words import INSUFFICIENT, UNALLOCATED, UNMATCHED, UNTOLERATED, VOLUME_REASONS
from ..fault import Broken, Fault, Follows, Healthy, NotSeen, State
from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode
from ..live_pods import LivePod
from ..node_commands import EXTENSIONS, first_image
from ..node_fit import Fit, NodeFits, Obstacle
from ..report_names import names
from ..scheduler_message import SchedulerMessage, scheduler_message
from .claim_faults import allocation_faults, claim_faults
from .gpu_amounts import amount_faults, lasting_amount_faults
from .refusal_faults import refusal_faults

_DESCRIBE = command("kubectl describe pod POD --namespace NAMESPACE")
_PENDING = "The pod stays Pending"


def word_faults(words: SchedulerMessage) -> tuple[Fault, ...]:
    """The faults that concern the pod alone, whatever its nodes are: its volumes."""
    reasons = [each for each in words.reasons if VOLUME_REASONS.search(each)]
    return (_volumes(words, reasons),) if reasons and len(reasons) == len(words.reasons) else ()


def _volumes(words: SchedulerMessage, reasons: list[str]) -> Fault:
    return Fault(
        name="volume-not-available",
        cause="A volume of the pod is not available on a GPU node; the GPUs are not the cause",
        evidence=(words.evidence,),
        consequence=f"{_PENDING}: {'; '.join(reasons)}",
        fix=command("kubectl get persistentvolumeclaims --namespace NAMESPACE; kubectl get storageclasses"),
        verify=_DESCRIBE,
        source="https://kubernetes.io/docs/concepts/storage/persistent-volumes/#binding",
        is_of_pod=True,
    )


def no_gpu_nodes(cluster: GpuCluster, pod: LivePod, words: SchedulerMessage) -> Fault:
    """The fault of a cluster without any GPU node. Where images were not read, the fault says only what the Node
    objects show."""
    asks = ", ".join(f"{name}: {amount}" for name, amount in pod.counted_gpus.items()) or "a claim of a GPU"
    unread = cluster.suspects
    candidates = (NodeFits(unread).of(pod.spec).willing or unread) if unread else []
    new_image = first_image(_talos(candidates))
    fault = Fault(
        name="no-gpu-node",
        cause="The cluster has no GPU node: no node has NVIDIA's extensions in its image, a label of a card, or nvidia.com/gpu",
        evidence=(words.evidence, pod.about.evidence(asks, "spec")),
        consequence=_PENDING,
        fix=new_image,
        verify=EXTENSIONS,
        source="https://docs.siderolabs.com/talos/v1.13/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu",
        rules=("TG123",),
    )
    if not unread:
        return fault
    return replace(
        fault,
        name="no-gpu-node-seen",
        cause="No node shows NVIDIA's extensions in its labels, a label of a card, or nvidia.com/gpu. "
        f"The images of these nodes were not read: {names([each.name for each in unread])}. "
        "A node may lack the labels though its image has the extensions",
        evidence=(*fault.evidence, *_driver_lines(cluster)),
        fix=EXTENSIONS.explained("give the output to talos-gpu doctor")
        .followed_by(comment("only if the node with the card has no extension of NVIDIA's:"))
        .followed_by(new_image),
        about=tuple(each.node for each in candidates if each.node),
        rules=("TG110", "TG123"),
    )


def _driver_lines(cluster: GpuCluster) -> Iterator[Evidence]:
    """The first line of NVIDIA's driver in each log that does not name its machine."""
    for log in cluster.dump.logs:
        match = next((each for each in log.matches if "NVRM:" in each.text), None)
        if match is not None and not log.pod:
            yield log.evidence(match)


def _talos(nodes: Sequence[GpuNode]) -> str:
    """The Talos of the nodes, if all run the same."""
    versions = {each.talos_version.value if each.talos_version else "" for each in nodes}
    return (versions.pop() if len(versions) == 1 else "") or "VERSION"


def other_faults(words: SchedulerMessage) -> tuple[Fault, ...]:
    """The faults by the scheduler's words alone: what is neither a GPU, a taint nor a label, else the GPUs. Taints and
    labels may be those of other nodes."""
    beside = [each for each in words.reasons if not each.startswith((f"{INSUFFICIENT}nvidia.com/", UNTOLERATED, UNMATCHED))]
    lacking = [each for each in words.reasons if each.startswith(f"{INSUFFICIENT}nvidia.com/")]
    return tuple(_of_reasons(words, beside or lacking or list(words.reasons)))


def _of_reasons(words: SchedulerMessage, reasons: list[str]) -> Iterator[Fault]:
    volumes = [each for each in reasons if VOLUME_REASONS.search(each)]
    if volumes:
        yield _volumes(words, volumes)
    amounts = [each.removeprefix(INSUFFICIENT) for each in reasons if each.startswith(INSUFFICIENT)]
    if amounts:
        is_of_gpus = all(each.startswith("nvidia.com/") for each in amounts)
        yield Fault(
            name="insufficient-gpus" if is_of_gpus else "insufficient-resources",
            cause=f"No node that the pod may use has enough {', '.join(amounts)} left"
            + ("" if is_of_gpus else "; the GPUs are not the cause"),
            evidence=(words.evidence,),
            consequence=_PENDING,
            fix=command("kubectl describe node NODE   # lower resources.requests of the pod, or free a node"),
            verify=_DESCRIBE,
            source="https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#my-pods-are-pending-with-event-message-failedscheduling",
            rules=("TG095", "TG096") if is_of_gpus else (),
            is_of_pod=True,
        )
    rest = [each for each in reasons if each not in volumes and not each.startswith(INSUFFICIENT)]
    if rest:
        yield Fault(
            name="no-node-takes-the-pod",
            cause=f"No node takes the pod: {'; '.join(rest)}",
            evidence=(words.evidence,),
            consequence=_PENDING,
            fix=command("kubectl get nodes -o custom-columns='NAME:.metadata.name,TAINTS:.spec.taints'; kubectl get nodes --show-labels"),
            verify=_DESCRIBE,
            source="https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/",
            rules=("TG053", "TG007") if any(each.startswith((UNTOLERATED, UNMATCHED)) for each in rest) else (),
            is_of_pod=True,
        )


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
