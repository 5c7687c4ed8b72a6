"""The message of the scheduler about a pod that it has not placed."""

from __future__ import annotations

from dataclasses import dataclass

from ..arguments.patterns import pattern
from ..observed.model.evidence import Evidence
from ..observed.model.live_object import LiveObject
from ..upstream.kubernetes.scheduler_words import GATED, NODES_REFUSED
from .gpu_cluster import GpuCluster
from .live_pods import LivePod

_NEXT = pattern(r",\s+(?=\d+ )")
_COUNTED = pattern(r"^\d+ (?=\D)")


@dataclass(frozen=True, kw_only=True, slots=True)
class SchedulerMessage:
    """The message of the scheduler, and its reasons without the numbers of nodes."""

    evidence: Evidence
    reasons: tuple[str, ...]

    def names(self, words: str) -> bool:
        """Whether a reason begins with these words."""
        return any(each.startswith(words) for each in self.reasons)


def scheduler_message(cluster: GpuCluster, pod: LivePod) -> SchedulerMessage | None:
    """The words of the condition `PodScheduled`, else those of the last event; None where neither was read."""
    condition = pod.condition("PodScheduled")
    if condition is not None and condition.get("status") == "False" and condition.get("message") and condition.get("reason") != GATED:
        message = str(condition["message"])
        return SchedulerMessage(evidence=pod.about.evidence(message, "status.conditions"), reasons=_reasons(message))
    event = last_event(cluster, pod.about, "FailedScheduling")
    if event is None:
        return None
    message = event_text(event)
    return SchedulerMessage(evidence=event.evidence(message, "message"), reasons=_reasons(message))


def _reasons(message: str) -> tuple[str, ...]:
    found = NODES_REFUSED.search(message)
    parts = _NEXT.split(found["reasons"] if found else message)
    return tuple(_COUNTED.sub("", each).strip().rstrip(".") for each in parts)


def last_event(cluster: GpuCluster, about: LiveObject, *reasons: str) -> LiveObject | None:
    """The newest event about an object with one of these reasons."""
    return max((each for each in cluster.events(about) if each.at("reason") in reasons), key=event_time, default=None)


def event_text(event: LiveObject) -> str:
    """The message of an event, in either of its two forms."""
    return str(event.at("message") or event.at("note") or "")


def event_time(event: LiveObject) -> str:
    """The time at which an event was last seen; empty where it has none."""
    times = (
        event.at("lastTimestamp"),
        event.at("series", "lastObservedTime"),
        event.at("eventTime"),
        event.at("metadata", "creationTimestamp"),
    )
    return str(next((each for each in times if each), ""))
