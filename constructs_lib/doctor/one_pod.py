"""The view of one pod for `--pod`: its chain and that of its node, its request, its neighbours on the cards, its reason to wait."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from ..arguments.commands import Command, command
from ..arguments.errors import wrong
from ..observed.images.cuda_drivers import cuda_major
from ..observed.model import known_str
from ..observed.pods.pod_templates import Container, state_of
from ..upstream.kubernetes.scheduler_words import PROBED, PULLING
from ..upstream.nvidia.driver_branches import CUDA_FLOORS
from .diagnosis import Diagnosis
from .gpu_cluster import GpuCluster
from .links.injection_faults import driver_of_node
from .live_pods import LivePod
from .report_names import names
from .scheduler_message import event_text, event_time, last_event


def pods_named(cluster: GpuCluster, name: str) -> list[LivePod]:
    """The GPU pods of a name NAMESPACE/NAME, which is that of a pod or of the controller that made it."""
    known: dict[str, list[LivePod]] = {}
    for pod in cluster.pods:
        for each in dict.fromkeys((pod.about.name, pod.deployment, pod.maker[1])):
            if each:
                known.setdefault(f"{pod.about.namespace}/{each}", []).append(pod)
    if name not in known:
        near = get_close_matches(name, known, 1)
        hint = (
            f"did you mean {near[0]!r}?" if near else "a pod without a limit nvidia.com/gpu, a claim or NVIDIA's RuntimeClass gets no GPU"
        )
        raise wrong("pod", "NAMESPACE/NAME of a pod that asks for a GPU and was read, or of its controller", name, hint)
    return known[name]


def of_pods(diagnosis: Diagnosis, pods: list[LivePod]) -> Diagnosis:
    """The part of a diagnosis that is about these pods and their nodes."""
    subjects = {each.title for each in pods} | {each.node for each in pods}
    chains = tuple(each for each in diagnosis.chains if each.subject in subjects)
    unseen = (replace(each, subjects=[name for name in each.subjects if name in subjects]) for each in diagnosis.unseen)
    return replace(
        diagnosis,
        chains=chains,
        causes=tuple(each for each in diagnosis.causes if subjects.intersection([*each.subjects, *each.followers])),
        unseen=tuple(each for each in unseen if each.subjects),
        healthy=sum(each.healthy for each in chains),
    )


def pod_lines(cluster: GpuCluster, pod: LivePod) -> Iterator[str]:
    """The lines about a pod: its request and its node, the CUDA of its images, its neighbours on the cards, its reason to wait."""
    amounts = [f"{name}: {amount}" for name, amount in pod.counted_gpus.items()] + (["a claim"] if pod.claims else [])
    handler = f"RuntimeClass {pod.runtime_class}" if pod.runtime_class else "no RuntimeClass"
    yield f"{pod.title} asks for {', '.join(amounts) or 'no GPU by a limit'}, with {handler}, on {pod.node or 'no node yet'}"
    for container in pod.containers:
        yield from _cuda(cluster, pod, container)
    others = [each.title for each in cluster.holders.get(pod.node, ()) if each.title != pod.title] if pod.node else []
    if others:
        yield f"other pods with GPUs of {pod.node}: {names(others)}"
    yield from waits(cluster, pod)


def _cuda(cluster: GpuCluster, pod: LivePod, container: Container) -> Iterator[str]:
    cuda, driver = cuda_major(container.image), driver_of_node(cluster.node(pod.node))
    if cuda is not None:
        least = f", which needs the driver {CUDA_FLOORS[cuda]} or newer" if cuda in CUDA_FLOORS else ""
        runs = f"the node runs {driver.value}" if driver else "the driver of the node was not read"
        yield f"the image {container.image} has CUDA {cuda}{least}; {runs}"


def waits(cluster: GpuCluster, pod: LivePod) -> Iterator[str]:
    """What keeps a pod from being ready: an init container that works, an image that is pulled, a container that waits, a model that is
    loaded, or a probe that fails meanwhile."""
    ready = pod.condition("Ready")
    if ready is not None and ready.get("status") == "True":
        return
    initial = {known_str(each.body.get("name")) for each in pod.containers if each.init and not each.is_sidecar}
    working = [name for name, status in _statuses(pod) if name in initial and state_of(status, "running") is not None]
    for name in working:
        yield f"the pod waits for its init container {name}, which runs: {_log_of(pod, name)}"
    pulling = last_event(cluster, pod.about, PULLING, "Pulled", "Failed")
    is_pulling = pulling is not None and pulling.at("reason") == PULLING
    if pulling is not None and is_pulling:
        since = f" since {event_time(pulling)}" if event_time(pulling) else ""
        yield f"the node pulls an image{since}: {event_text(pulling)}"
    for name, status in _statuses(pod):
        waiting = state_of(status, "waiting")
        if waiting is not None and not ((working or is_pulling) and waiting.get("reason") in _BEFORE_START):
            yield f"the container {name} waits: {waiting.get('reason', 'no reason')} {waiting.get('message', '')}".rstrip()
    for log in cluster.logs(pod):
        if log.loading is not None and not log.is_previous:
            yield f"the program{f' of {log.name}' if log.name else ''} fetches or loads its model: {log.loading.text}"
    probed = last_event(cluster, pod.about, *PROBED)
    if probed is not None:
        yield f"the kubelet says: {event_text(probed)}"


_BEFORE_START = ("PodInitializing", "ContainerCreating")
"""The reasons to wait of a container before which an init container or an image comes."""


def _statuses(pod: LivePod) -> list[tuple[str, Mapping[str, Any]]]:
    return [(str(status.get("name", "")), status) for _, status in pod.statuses]


def _log_of(pod: LivePod, container: str) -> Command:
    return command(
        "kubectl logs --namespace {namespace} {pod} -c {container}", namespace=pod.about.namespace, pod=pod.about.name, container=container
    )
