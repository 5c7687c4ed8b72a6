"""The link `started` of a GPU pod: its sandbox is made, its claims are prepared, and its containers run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...arguments.commands import Command, command
from ...observed.model.evidence import Evidence
from ...observed.model.live_object import LiveObject
from ...observed.pods.pod_templates import state_of
from ...symptoms.link import Link
from ...upstream.kubernetes.scheduler_words import DRIVER_UNREGISTERED, ENDED_BY_NODE, PULLING, SANDBOX_EVENTS, SANDBOX_USED
from ..fault import Broken, Fault, Follows, Healthy, NotSeen, State
from ..gpu_cluster import GpuCluster
from ..live_pods import LivePod
from ..scheduler_message import event_text, event_time, last_event
from ..symptom_faults import message_fault
from .container_faults import CRASH, container_faults, ended
from .injection_faults import certain_faults, hiding_faults

_DESCRIBE = command("kubectl describe pod POD --namespace NAMESPACE")


def started(cluster: GpuCluster, pod: LivePod, broken: Mapping[str, Link]) -> State:
    """The state of the link of a pod. `broken` has the GPU nodes whose own chain is broken, with the broken link."""
    if not pod.node:
        return NotSeen(command=_DESCRIBE)
    node = cluster.node(pod.node)
    if node is not None and node.is_lost and pod.node in broken:
        return Follows(nodes=(pod.node,), evidence=pod.about.evidence(f"phase: {pod.phase}, as last reported", "status"))
    running = _running(pod)
    if running is not None:
        return Healthy(evidence=running)
    reason = str(pod.about.at("status", "reason") or "")
    if pod.phase == "Failed" and reason in ENDED_BY_NODE:
        return Broken(faults=(_ended_by_node(pod, reason),))
    found = start_faults(cluster, pod)
    return (_explained_crash(cluster, pod, found) if found else None) or _unknown(cluster, pod)


def _explained_crash(cluster: GpuCluster, pod: LivePod, found: Broken) -> Broken | None:
    """The faults of the link. A crash without words is left to the link `seen` where the pod's own fields hide the GPU,
    and is told beside a variable that may hide it."""
    if any(each.name != CRASH for each in found.faults):
        return found
    if certain_faults(cluster, pod):
        return None
    hidden = next(hiding_faults(pod), None)
    if hidden is None:
        return found
    return Broken(faults=tuple(replace(each, evidence=(*each.evidence, *hidden.evidence), rules=hidden.rules) for each in found.faults))


def start_faults(cluster: GpuCluster, pod: LivePod, *, is_agent: bool = False) -> Broken | None:
    """The faults of a placed pod whose containers do not all run; None where nothing that was read names one."""
    faults = tuple(container_faults(pod, cluster.logs(pod), is_agent=is_agent))
    return Broken(faults=faults) if faults else _sandbox(cluster, pod)


def _running(pod: LivePod) -> Evidence | None:
    """The line that shows that all containers, without the init containers, run or have ended well; None if one does
    not."""
    shown = [(field, each) for field, each in pod.statuses if field.startswith("status.containerStatuses")]
    states = [(field, _text(status)) for field, status in shown]
    if not states or not all(text for _, text in states):
        return None
    field, text = states[0]
    return pod.about.evidence(text, field)


def _text(status: Mapping[str, object]) -> str:
    running, terminated = state_of(status, "running"), state_of(status, "terminated")
    if running is not None:
        is_again = status.get("ready") is not True and status.get("restartCount")
        again = f", restarts: {status['restartCount']}, not ready" if is_again else ""
        return f"running since {running.get('startedAt', 'an unknown time')}{again}"
    return "ended with exit code 0" if terminated and terminated.get("exitCode") == 0 else ""


def _unknown(cluster: GpuCluster, pod: LivePod) -> State:
    """The state of a pod without a known fault: a container that has run is healthy here, and its end is a matter of
    the link `seen`."""
    for field, status in pod.statuses:
        end = ended(status)
        if end is not None:
            return Healthy(
                evidence=pod.about.evidence(
                    f"{status.get('name', '')}: ran, exit code {end[1].get('exitCode', 'unknown')}", f"{field}.{end[0]}"
                )
            )
    event = last_event(cluster, pod.about, *SANDBOX_USED)
    if event is not None and event.at("reason") == PULLING:
        return NotSeen(command=_DESCRIBE.explained(f"its last event: {event_text(event)}"))
    return NotSeen(command=_DESCRIBE)


def _sandbox(cluster: GpuCluster, pod: LivePod) -> Broken | None:
    event = last_event(cluster, pod.about, *SANDBOX_EVENTS)
    if event is None or _is_past(cluster, pod, event):
        return None
    text, reason = event_text(event), str(event.at("reason"))
    evidence = event.evidence(text, "message")
    unregistered = DRIVER_UNREGISTERED.search(text)
    if unregistered:
        return Broken(faults=(_not_created(evidence, _unregistered(unregistered["name"])),))
    return Broken(faults=(message_fault(evidence) or _not_created(evidence, _ROWS[reason]),))


def _is_past(cluster: GpuCluster, pod: LivePod, event: LiveObject) -> bool:
    """Whether a container came further after an event about its sandbox. A sandbox that is made anew, as after a
    reboot, has newer events than the containers of the old one."""
    used = last_event(cluster, pod.about, *SANDBOX_USED)
    times = [event_time(used)] if used is not None else []
    for status, field in ((status, field) for _, status in pod.statuses for field in ("state", "lastState")):
        waiting, terminated = state_of(status, "waiting", field) or {}, state_of(status, "terminated", field)
        if state_of(status, "running", field) is not None or waiting.get("reason") == "CrashLoopBackOff":
            return True
        if terminated is not None:
            times.append(str(terminated.get("finishedAt") or ""))
    return any(not time or time[:_SECONDS] >= event_time(event)[:_SECONDS] for time in times)


_SECONDS = len("2026-11-22T08:00:00")
"""The part of a time that events of both APIs and containers write alike."""


_Row = tuple[str, str, Command, str, tuple[str, ...]]
"""The name, the cause, the fix, the source and the rules of a fault."""
_UNMOUNTED: _Row = (
    "volume-not-mounted",
    "The kubelet can't mount a volume of the pod; the GPUs are not the cause",
    command("kubectl get persistentvolumeclaims,secrets,configmaps --namespace NAMESPACE   # the event names the volume"),
    "https://kubernetes.io/docs/concepts/storage/volumes/",
    (),
)
_NO_SANDBOX: _Row = (
    "sandbox-not-created",
    "The container runtime can't create the sandbox of the pod, which comes before any container",
    command("talosctl --nodes ADDRESS logs cri"),
    "https://kubernetes.io/docs/tasks/debug/debug-application/debug-pods/",
    (),
)
_UNPREPARED: _Row = (
    "claim-not-prepared",
    "The DRA driver on the node can't prepare the claim of the pod",
    command("kubectl logs --namespace dra-driver-nvidia-gpu --selector dra-driver-nvidia-gpu-component=kubelet-plugin -c gpus"),
    "https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",
    ("TG031", "TG085"),
)
_ROWS = dict(zip(SANDBOX_EVENTS, (_NO_SANDBOX, _UNPREPARED, _UNMOUNTED, _UNMOUNTED), strict=True))


def _not_created(evidence: Evidence, row: _Row) -> Fault:
    name, cause, fix, source, rules = row
    return Fault(
        name=name,
        cause=cause,
        evidence=(evidence,),
        consequence="The containers of the pod are not created (ContainerCreating)",
        fix=fix,
        verify=_DESCRIBE,
        source=source,
        rules=rules,
        is_of_pod=row is _UNMOUNTED,
    )


def _unregistered(driver: str) -> _Row:
    return (
        "dra-driver-not-registered",
        f"The kubelet of the node has no DRA driver {driver}: its kubelet plugin does not run there",
        command("kubectl get pods --all-namespaces -o wide --field-selector spec.nodeName=NODE | grep -i dra"),
        "kubernetes/kubernetes pkg/kubelet/cm/dra/plugin/dra_plugin_manager.go",
        ("TG031",),
    )


def _ended_by_node(pod: LivePod, reason: str) -> Fault:
    message = str(pod.about.at("status", "message") or "")
    return Fault(
        name="ended-by-node",
        cause=f"The node ended the pod ({reason}), and nothing has started another one",
        evidence=(pod.about.evidence(f"{reason}: {message}", "status"),),
        consequence="A pod without a controller is not started again",
        fix=command("kubectl delete pod POD --namespace NAMESPACE   # then create it again, best by a Deployment or a Job"),
        verify=command("kubectl get pods --namespace NAMESPACE"),
        source="https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/",
        is_of_pod=True,
    )
