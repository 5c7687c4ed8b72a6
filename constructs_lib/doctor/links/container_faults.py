"""The faults of a container that waits or has crashed: by its state, the words of the runtime, and the log."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from ...arguments.commands import command
from ...observed.model.evidence import Evidence, Log
from ...observed.pods.pod_templates import state_of
from ...symptoms.link import Link
from ...symptoms.log_search import Match
from ..fault import Advice, Fault
from ..live_pods import LivePod
from ..symptom_faults import message_fault, message_matches, symptom_fault, symptom_matches

SIGHT = (Link.SEEN, Link.PLUGIN)
"""The links of the symptoms by which a program that has started says that it sees no GPU."""

CRASH = "container-crashes"
"""The fault of a container that ends, and of which nothing that was read tells why."""

_IMAGE_REASONS = ("ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable")
_RUNTIME_REASONS = (
    "CreateContainerError",
    "RunContainerError",
    "StartError",
    "ContainerCannotRun",
    "PreStartHookError",
    "PostStartHookError",
)
_NOT_STARTED = "The container does not start"
_PREVIOUS = command("kubectl logs POD --namespace NAMESPACE --container CONTAINER --previous")
_DESCRIBE = command("kubectl describe pod POD --namespace NAMESPACE")
_DEBUG = "https://kubernetes.io/docs/tasks/debug/debug-application/debug-pods/"


def container_faults(pod: LivePod, logs: Sequence[Log], *, is_agent: bool = False) -> Iterator[Fault]:
    """The faults of a pod's containers, the init containers first. A log in which a workload says that it sees no GPU
    is left to the link `seen`."""
    for field, status in pod.statuses:
        fault = _waiting(pod, field, status) or _crashed(pod, field, status, logs, is_agent=is_agent)
        if fault is not None:
            yield fault


def ended(status: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    """The state in which a container has ended with an error, and its field: now, or before the back-off that it is
    in."""
    now = state_of(status, "terminated")
    if now and now.get("exitCode"):
        return "state.terminated", now
    if (state_of(status, "waiting") or {}).get("reason") == "CrashLoopBackOff":
        return "lastState.terminated", state_of(status, "terminated", "lastState") or {}
    return None


def _ended_before(status: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """How a container ended before that runs again and is not ready."""
    before = state_of(status, "terminated", "lastState")
    is_up = state_of(status, "running") is not None and status.get("ready") is not True
    return ("lastState.terminated", before) if is_up and before and before.get("exitCode") else ("", {})


def _waiting(pod: LivePod, field: str, status: Mapping[str, Any]) -> Fault | None:
    waiting = state_of(status, "waiting") or {}
    reason, message = str(waiting.get("reason", "")), str(waiting.get("message") or "")
    evidence = pod.about.evidence(f"{reason}: {message}" if message else reason, f"{field}.state.waiting")
    if reason in _IMAGE_REASONS:
        return message_fault(evidence) or _image(status, evidence)
    if reason == "CreateContainerConfigError":
        return _config(evidence, message)
    return _refused_by_runtime(evidence, message) if reason in _RUNTIME_REASONS else None


def _image(status: Mapping[str, Any], evidence: Evidence) -> Fault:
    return Fault(
        name="image-not-pulled",
        cause=f"The image {status.get('image', '')} can't be pulled",
        evidence=(evidence,),
        consequence=_NOT_STARTED,
        fix=Advice(
            f"Correct the name and the tag of the image, or give the pod the registry's imagePullSecrets: {status.get('image', '')}"
        ),
        verify=_DESCRIBE,
        source="https://kubernetes.io/docs/concepts/containers/images/",
        is_of_pod=True,
    )


def _config(evidence: Evidence, message: str) -> Fault:
    return Fault(
        name="container-configuration",
        cause=f"The kubelet can't configure the container: {message}".rstrip(": "),
        evidence=(evidence,),
        consequence=_NOT_STARTED,
        fix=command("kubectl get secrets,configmaps --namespace NAMESPACE   # create the object or the key that the container names"),
        verify=_DESCRIBE,
        source=_DEBUG,
        is_of_pod=True,
    )


def _refused_by_runtime(evidence: Evidence, message: str) -> Fault:
    is_of_gpu = any(word in message.lower() for word in ("nvidia", "cdi", "hook", "gpu"))
    return message_fault(evidence, is_of_pod=not is_of_gpu) or Fault(
        name="runtime-refuses-container",
        cause="The container runtime can't create the container",
        evidence=(evidence,),
        consequence=_NOT_STARTED,
        fix=Advice("Correct what the message names: a command, a path or a mount of the container")
        if not is_of_gpu
        else command("talosctl --nodes ADDRESS logs cri | grep -i -e nvidia -e cdi; talosctl --nodes ADDRESS get extensions"),
        verify=_DESCRIBE,
        source=_DEBUG,
        is_of_pod=not is_of_gpu,
    )


def _crashed(pod: LivePod, field: str, status: Mapping[str, Any], logs: Sequence[Log], *, is_agent: bool) -> Fault | None:
    end = ended(status)
    if end is None:
        return None
    at, state = end
    reason, message = str(state.get("reason") or "Error"), str(state.get("message") or "")
    text = f"exit code {state.get('exitCode', 'unknown')}, {reason}{f': {message}' if message else ''}"
    evidence = pod.about.evidence(f"{status.get('name', '')}: {text}", f"{field}.{at}")
    if reason == "OOMKilled":
        return _out_of_memory(evidence)
    if reason in _RUNTIME_REASONS:
        return _refused_by_runtime(evidence, message)
    if not is_agent and visibility_evidence(pod, logs):
        return None
    found = message_fault(evidence, is_of_pod=not is_agent) or next(log_faults(logs), None)
    return found or Fault(
        name=CRASH,
        cause=f"The container ends with exit code {state.get('exitCode', 'unknown')}",
        evidence=(evidence,),
        consequence="The kubelet starts the container again and again",
        fix=_PREVIOUS,
        verify=command("kubectl get pod POD --namespace NAMESPACE"),
        source=_DEBUG,
        is_of_pod=not is_agent,
    )


def _out_of_memory(evidence: Evidence) -> Fault:
    return Fault(
        name="out-of-memory",
        cause="The container used more memory (RAM) than its limit, and the kernel ended it (OOMKilled)",
        evidence=(evidence,),
        consequence="The kubelet starts the container again and again. The memory of the GPU has nothing to do with it",
        fix=Advice("Raise resources.limits.memory of the container"),
        verify=command("kubectl top pod POD --namespace NAMESPACE --containers"),
        source="https://kubernetes.io/docs/tasks/configure-pod-container/assign-memory-resource/",
        is_of_pod=True,
    )


def log_faults(logs: Sequence[Log]) -> Iterator[Fault]:
    """The faults in logs, those of the lowest links first."""
    return (symptom_fault(match, log) for match, log in symptom_matches(logs, *Link))


def visibility_matches(logs: Sequence[Log]) -> list[tuple[Match, Log]]:
    """The lines of a workload's logs that say that the program sees no GPU."""
    return list(symptom_matches(logs, *SIGHT))


def visibility_evidence(pod: LivePod, logs: Sequence[Log], seeing: Container[str] = ()) -> list[Evidence]:
    """The lines by which a program that has started says that it sees no GPU: of its log, or of the message with which
    it ended. A container that is `seeing` a GPU now has no past."""
    evidence = [log.evidence(match) for match, log in visibility_matches(logs)]
    for field, status in pod.statuses:
        at, state = ended(status) or (("", {}) if status.get("name") in seeing else _ended_before(status))
        message = str(state.get("message") or "")
        is_runtime = state.get("reason") in _RUNTIME_REASONS
        if message and not is_runtime and any(each.symptom.link in SIGHT for each in message_matches(message)):
            evidence.append(pod.about.evidence(message.strip(), f"{field}.{at}"))
    return evidence
