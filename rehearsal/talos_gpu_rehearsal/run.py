"""The run of a rehearsal on a cluster that is up: apply, wait until the pods settle, and look."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import observation, stand_ins
from .classes import RehearsedNode
from .discovery import definitions
from .errors import RehearsalError
from .manifests import CRD, Manifest, label, steps
from .observation import Cluster, full_name
from .outcome import Outcome, SmokeTest
from .plan import Plan

_EVERY, _QUIET_WELL, _QUIET = 2.0, 10.0, 40.0
"""The seconds between two looks; the seconds for which the state of pods that are all well does not change before it counts as
the last one, and of others: the kubelet tries again after 10 and 20 seconds."""
Say = Callable[[str], None]


def rehearsed(
    plan: Plan,
    cluster: Cluster,
    *,
    wait: float,
    say: Say,
    pause: Callable[[float], object] = time.sleep,
    now: Callable[[], float] = time.monotonic,
) -> Outcome:
    """The outcome of a plan on a running cluster. `wait` is the longest time in seconds until the pods settle."""
    for node in plan.nodes:
        if node.labels:
            cluster.kubectl("label", "node", node.name, "--overwrite", *(f"{key}={value}" for key, value in node.labels.items()))
    say(f"applying {len(plan.scene.objects)} objects")
    refused = list(_applied(cluster, [*(definitions() if plan.scene.with_discovery else ()), *plan.scene.objects]))
    say("waiting until the pods settle")
    settled = _settled(cluster, wait, pause, now)
    return Outcome(
        nodes=tuple(observation.nodes(cluster, plan.nodes)),
        pods=tuple(observation.pods(cluster)),
        containers=tuple(observation.containers(cluster)),
        refusals=(*refused, *observation.refusals(cluster)),
        idle=tuple(observation.idle(cluster)),
        smoke_tests=tuple(smoke_tests(cluster, plan.nodes)),
        left_out=plan.left_out,
        mocked=plan.mocked,
        settled=settled,
    )


def smoke_tests(cluster: Cluster, nodes: Iterable[RehearsedNode]) -> list[SmokeTest]:
    """The smoke test of each node, from the last pod of its Job."""
    pods = sorted(cluster.list("Pod", stand_ins.NAMESPACE), key=lambda each: str(each["metadata"].get("creationTimestamp", "")))
    found = []
    for node in nodes:
        labels = node.nodes.pod_labels.items()
        own = [each for each in pods if labels <= (each["metadata"].get("labels") or {}).items()]
        if not own:
            found.append(SmokeTest(node.name, passed=False, lines=("no pod was made",)))
            continue
        passed = any((each.get("status") or {}).get("phase") == "Succeeded" for each in own)
        last = own[-1]
        lines = observation.log(cluster, full_name(last), last["spec"]["containers"][0]["name"]).splitlines()
        found.append(SmokeTest(node.name, passed, tuple(lines) or ("it has not started",)))
    return found


def _applied(cluster: Cluster, objects: Sequence[Manifest]) -> Iterable[str]:
    """Apply all objects in an order that works. The objects that the API server refuses come back with its words."""
    for step in steps(objects):
        try:
            cluster.apply(step)
        except RehearsalError:
            yield from _one_by_one(cluster, step)
        if step[0].get("kind") == CRD:
            cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")


def _one_by_one(cluster: Cluster, objects: Sequence[Manifest]) -> Iterable[str]:
    for each in objects:
        try:
            cluster.apply([each])
        except RehearsalError as error:
            words = "the API server refuses it; its words may have a value of the Secret" if each.get("kind") == "Secret" else error
            yield f"{label(each)}: {words}"


def _settled(cluster: Cluster, wait: float, pause: Callable[[float], object], now: Callable[[], float]) -> bool:
    """Whether the state of nodes and pods stays the same for a while before the time is over."""
    volumes = set[str]()
    start = since = now()
    last: Any = None
    while now() - start < wait:
        give_volumes(cluster, volumes)
        state, is_well = _state(cluster)
        if state != last:
            last, since = state, now()
        elif now() - since >= (_QUIET_WELL if is_well else _QUIET):
            return True
        pause(_EVERY)
    return False


def _state(cluster: Cluster) -> tuple[Any, bool]:
    """A value that changes as long as something goes on, and whether all pods are well. The words of a container that
    restarts again and again change, and mean the same."""
    pods = [
        (
            each.name,
            each.phase,
            each.ready,
            each.restarts > 1 or tuple(reason.partition(":")[2].strip().partition(":")[0] for reason in each.reasons),
        )
        for each in observation.pods(cluster, with_words=False)
    ]
    unfinished = [
        full_name(each) for kind in ("DaemonSet", "Deployment", "StatefulSet", "Job") for each in cluster.list(kind) if _is_unfinished(each)
    ]
    allocatable = [each.get("status", {}).get("allocatable") for each in cluster.list("Node")]
    is_well = not unfinished and all(ready or phase == "Succeeded" for _, phase, ready, _ in pods)
    return (pods, unfinished, allocatable), is_well


def _is_unfinished(item: Manifest) -> bool:
    """Whether a controller has yet to make pods, or its pods to be ready."""
    status, spec = item.get("status") or {}, item.get("spec") or {}
    if item.get("kind") == "Job":
        return spec.get("suspend") is not True and not any(each.get("status") == "True" for each in status.get("conditions") or ())
    if item.get("kind") == "DaemonSet":
        return "observedGeneration" not in status or int(status.get("numberReady", 0)) < int(status.get("desiredNumberScheduled", 0))
    return int(status.get("readyReplicas") or 0) < int(spec.get("replicas", 1))


def give_volumes(cluster: Cluster, given: set[str]) -> None:
    """A volume for each claim that has none: no storage of the cluster is here to make one."""
    waiting = [each for each in cluster.list("PersistentVolumeClaim") if (each.get("status") or {}).get("phase") != "Bound"]
    new = [each for each in waiting if not each["spec"].get("volumeName") and full_name(each) not in given]
    if new:
        volumes = [stand_ins.volume(each) for each in new]
        cluster.make_folders([each["spec"]["local"]["path"] for each in volumes])
        cluster.apply(volumes)
        given.update(map(full_name, new))
