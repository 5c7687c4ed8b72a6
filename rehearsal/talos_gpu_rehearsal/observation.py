"""The observation of a running rehearsal: nodes, pods, refusals, and what the containers see."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from constructs_lib.upstream.kubernetes.api import KUBELET_LABELS

from .classes import RehearsedNode
from .errors import RehearsalError
from .outcome import NodeOutcome, PodOutcome, Seen
from .stand_ins import NAMESPACE

_NVIDIA = "nvidia.com/"
_LAST_LINES = 3
"""The lines of the log of a container that ended badly which the report shows."""


class Cluster(Protocol):
    """The part of the node's `Cluster` that a rehearsal uses."""

    def kubectl(self, *words: str) -> str:
        """The output of kubectl."""
        ...

    def apply(self, objects: Sequence[Mapping[str, Any]]) -> object:
        """Apply objects by the server."""
        ...

    def make_folders(self, paths: Iterable[str]) -> object:
        """Make empty folders on every node."""
        ...

    def list(self, kind: str, namespace: str | None = None) -> Sequence[Mapping[str, Any]]:
        """The objects of a kind."""
        ...


def nodes(cluster: Cluster, rehearsed: Iterable[RehearsedNode]) -> Iterator[NodeOutcome]:
    """The nodes of the classes, in their order."""
    found = {name_of(each): each for each in cluster.list("Node")}
    slices = [each.get("spec") or {} for each in cluster.list("ResourceSlice")]
    for each in rehearsed:
        node = found.get(each.name, {})
        status, metadata = node.get("status") or {}, node.get("metadata") or {}
        yield NodeOutcome(
            name=each.name,
            talos=each.talos,
            cards=each.cards,
            ready=_condition(status, "Ready"),
            allocatable={key: str(value) for key, value in (status.get("allocatable") or {}).items() if key.startswith(_NVIDIA)},
            labels={key: value for key, value in (metadata.get("labels") or {}).items() if key not in KUBELET_LABELS},
            taints=tuple(map(_taint, (node.get("spec") or {}).get("taints") or ())),
            claimable=tuple(sorted(name for spec in slices if spec.get("nodeName") == each.name for name in _devices(spec))),
        )


def pods(cluster: Cluster, *, with_words: bool = True) -> list[PodOutcome]:
    """Every pod, in the order of namespaces and names; with the words of the kubelet's events and of the containers that
    ended badly."""
    warnings = _warnings(cluster) if with_words else {}
    found = [_pod(cluster if with_words else None, each, warnings.get(full_name(each), ())) for each in cluster.list("Pod")]
    return sorted(found, key=lambda each: each.name)


def refusals(cluster: Cluster) -> list[str]:
    """The words of the API server with which a controller's pods were refused: Pod Security, quotas, webhooks. Each try
    names another pod, so the names are cut."""
    failed = [each for each in cluster.list("Event") if each.get("reason") == "FailedCreate"]
    return sorted({f"{_about(each)}: {_TRIES.sub(_untold, str(each.get('message', '')))}" for each in failed})


def idle(cluster: Cluster) -> list[str]:
    """Each DaemonSet that has no pod because no node is for it, with the labels that it selects."""
    sets = (each for each in cluster.list("DaemonSet") if (each.get("status") or {}).get("desiredNumberScheduled") == 0)
    return sorted(f"DaemonSet {full_name(each)}: no node for it (DESIRED 0){_selected(each)}" for each in sets)


def _selected(daemon_set: Mapping[str, Any]) -> str:
    """The labels that the pods of a DaemonSet ask of a node."""
    labels = ((daemon_set.get("spec") or {}).get("template") or {}).get("spec", {}).get("nodeSelector") or {}
    return "; it selects " + ", ".join(f"{key}={value}" for key, value in labels.items()) if labels else ""


_TRIES = re.compile(r'^(\(combined from similar events\): )|pods "[^"]*"')
"""The difference between the events of one refusal: the beginning of the later ones, and the name of the pod."""


def _untold(found: re.Match[str]) -> str:
    return "" if found[1] else "pods …"


def containers(cluster: Cluster) -> Iterator[Seen]:
    """Each container that asks for a GPU, or that sees one without asking, with what its program sees."""
    for pod in sorted(cluster.list("Pod"), key=full_name):
        if (pod.get("metadata") or {}).get("namespace") == NAMESPACE:
            continue  # the smoke tests, which have a log of their own
        spec = pod.get("spec") or {}
        for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
            asked = _asked(container)
            report = _report(cluster, pod, container["name"])
            if asked or (report or {}).get("devices"):
                yield _seen(full_name(pod), container["name"], asked, report or {})


def name_of(item: Mapping[str, Any]) -> str:
    """The name of an object."""
    return str((item.get("metadata") or {}).get("name", ""))


def full_name(item: Mapping[str, Any]) -> str:
    """`namespace/name` of an object."""
    return f"{(item.get('metadata') or {}).get('namespace', 'default')}/{name_of(item)}"


def log(cluster: Cluster, pod: str, container: str, *more: str) -> str:
    """The log of a container; empty where it has none yet."""
    namespace, _, name = pod.partition("/")
    try:
        return cluster.kubectl("logs", "--namespace", namespace, name, "--container", container, *more)
    except RehearsalError:
        return ""


def _condition(status: Mapping[str, Any], kind: str) -> bool:
    return any(each.get("type") == kind and each.get("status") == "True" for each in status.get("conditions") or ())


def _taint(taint: Mapping[str, Any]) -> str:
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"{taint.get('key')}{value}:{taint.get('effect')}"


def _devices(spec: Mapping[str, Any]) -> Iterator[str]:
    """The devices of a ResourceSlice, with the product or the profile that the driver says."""
    for device in spec.get("devices") or ():
        attributes = device.get("attributes") or {}
        said = (value for key in ("profile", "productName") if (value := (attributes.get(key) or {}).get("string")))
        yield " ".join((str(device.get("name")), *(f"({each})" for each in [next(said, "")] if each)))


def _about(event: Mapping[str, Any]) -> str:
    about = event.get("involvedObject") or event.get("regarding") or {}
    return f"{about.get('kind')} {about.get('namespace')}/{about.get('name')}"


_REPEATED = ("BackOff", "FailedScheduling")
"""The events of pods whose words the status of the pod has too."""


def _warnings(cluster: Cluster) -> dict[str, list[str]]:
    """The last warning of each kind about each pod, which is where the kubelet says why a container is not created."""
    last: dict[str, dict[str, str]] = {}
    events = [each for each in cluster.list("Event") if each.get("type") == "Warning" and each.get("reason") not in _REPEATED]
    for each in sorted(events, key=lambda each: str(each.get("lastTimestamp") or each.get("eventTime") or "")):
        about = each.get("involvedObject") or {}
        if about.get("kind") == "Pod":
            of_pod = last.setdefault(f"{about.get('namespace')}/{about.get('name')}", {})
            of_pod[str(each.get("reason"))] = f"{each.get('reason')}: {each.get('message', '')}"
    return {name: list(words.values()) for name, words in last.items()}


def _pod(cluster: Cluster | None, pod: Mapping[str, Any], warnings: Sequence[str]) -> PodOutcome:
    status = pod.get("status") or {}
    name, node = full_name(pod), (pod.get("spec") or {}).get("nodeName", "")
    every = [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]
    restarts = sum(int(each.get("restartCount", 0)) for each in every)
    found = PodOutcome(name, node, status.get("phase", "Unknown"), _condition(status, "Ready"), (), restarts)
    if found.is_well:
        return found
    reasons = list(_reasons(cluster, name, status, every))
    further = (each for each in warnings if not any(each.removeprefix("Failed: Error: ") in reason for reason in reasons))
    return replace(found, reasons=(*reasons, *further))


def _reasons(cluster: Cluster | None, name: str, status: Mapping[str, Any], every: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The reasons why a pod is not well: of the pod, of its scheduling and of its containers."""
    if status.get("reason"):
        yield f"{status['reason']}: {status.get('message', '')}"
    for each in status.get("conditions") or ():
        if each.get("type") == "PodScheduled" and each.get("status") == "False":
            yield f"{each.get('reason')}: {each.get('message', '')}"
    for each in every:
        yield from _of_container(cluster, name, each)


def _of_container(cluster: Cluster | None, pod: str, status: Mapping[str, Any]) -> Iterator[str]:
    name, state, last = status.get("name", ""), status.get("state") or {}, status.get("lastState") or {}
    waiting, ended = state.get("waiting"), state.get("terminated") or last.get("terminated")
    if waiting and waiting.get("reason") != "PodInitializing":
        yield f"{name}: {': '.join(filter(None, (waiting.get('reason'), waiting.get('message'))))}"
    if ended and ended.get("exitCode"):
        message = f": {ended['message']}" if ended.get("message") else ""
        yield f"{name}: ended with {ended['exitCode']} ({ended.get('reason', 'Error')}){message}"
        lines = (
            () if cluster is None else log(cluster, pod, name, f"--tail={_LAST_LINES}", *(["--previous"] if waiting else [])).splitlines()
        )
        # The report of the stand-in has the words of its command, with the values of variables in them.
        yield from (f"{name} says: {line}" for line in lines if '"stand-in":"started"' not in line)
    if not waiting and "running" in state and not status.get("ready"):
        yield f"{name}: runs, and is not ready"


def _asked(container: Mapping[str, Any]) -> dict[str, str]:
    resources = container.get("resources") or {}
    found = {key: str(value) for key, value in (resources.get("limits") or {}).items() if key.startswith(_NVIDIA)}
    return found | {f"claim {each.get('name')}": str(each.get("request", "")) for each in resources.get("claims") or ()}


def _report(cluster: Cluster, pod: Mapping[str, Any], container: str) -> Mapping[str, Any] | None:
    """The line of JSON that a stand-in prints at its start; None where another program runs."""
    first = next(iter(log(cluster, full_name(pod), container, "--limit-bytes=200000").splitlines()), "")
    if not first.startswith('{"'):
        return None
    try:
        value = json.loads(first)
    except ValueError:
        return None
    return value if isinstance(value, dict) and value.get("stand-in") == "started" else None


_OF_INTEREST = ("NVIDIA_", "CUDA_")
_OF_EVERY_CONTAINER = {
    "/",
    "/dev",
    "/dev/mqueue",
    "/dev/shm",  # noqa: S108  # a mount, and no file of ours
    "/dev/termination-log",
    "/etc/hostname",
    "/etc/hosts",
    "/etc/resolv.conf",
    "/var/run/secrets/kubernetes.io/serviceaccount",
}
_NO_DRIVER = "no such device or address"
"""The answer of the kernel to a program that opens the file of a device which it may open, and whose driver is not loaded."""


def _seen(pod: str, container: str, asked: Mapping[str, str], report: Mapping[str, Any]) -> Seen:
    environment = {key: value for key, value in (report.get("environment") or {}).items() if key.startswith(_OF_INTEREST)}
    mounts = (each for each in report.get("mounts") or () if each.get("path") not in _OF_EVERY_CONTAINER)
    return Seen(
        pod,
        container,
        asked,
        environment,
        tuple(map(_device, report.get("devices") or ())),
        tuple(f"{each.get('path')}{' (read-only)' if each.get('read_only') else ''}" for each in mounts),
        report.get("shm_bytes"),
        _smi(report.get("nvidia_smi")),
        report,
    )


def _device(device: Mapping[str, Any]) -> str:
    """The path of a device, with the kernel's words where the container may not open it."""
    refused = device.get("open") not in ("yes", _NO_DRIVER)
    return f"{device.get('path')} ({device.get('open')})" if refused else str(device.get("path"))


def _smi(answer: Mapping[str, Any] | None) -> str:
    """The answer of nvidia-smi -L in a container."""
    if answer is None:
        return "not in the container"
    status = f" (status {answer['status']})" if answer.get("status") else ""
    return f"{answer.get('output') or 'no card'}{status}"
