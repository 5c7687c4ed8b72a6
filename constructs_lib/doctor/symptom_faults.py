"""Faults from the symptoms that a log shows: the link that each symptom breaks, and the fault in the symptom's own words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..checks.symptoms.log_search import Match
from ..observed.model.log import Log
from .advice import Advice, Fix
from .fault import Fault
from .link import Link

SYMPTOM_LINKS: Mapping[str, Link | None] = {
    "boot-partition-full": Link.IMAGE,
    "module-signature": Link.MODULES,
    "module-not-found": Link.MODULES,
    "card-of-another-driver": Link.MODULES,
    "wrong-kernel-modules": Link.MODULES,
    "no-card": Link.MODULES,
    "driver-not-loaded": Link.MODULES,
    "bar-invalid": Link.DRIVER,
    "power-cables": Link.DRIVER,
    "gsp-firmware": Link.DRIVER,
    "fallen-off-the-bus": Link.DRIVER,
    "xid-uncorrectable": Link.DRIVER,
    "xid-reset": Link.DRIVER,
    "card-needs-recovery": Link.DRIVER,
    "version-mismatch": Link.DRIVER,
    "adapter-not-initialized": Link.DRIVER,
    "device-filter": Link.RUNTIME,
    "fabric-manager-libz": Link.RUNTIME,
    "fabric-manager-nothing-to-do": Link.RUNTIME,
    "fabric-not-ready": Link.RUNTIME,
    "boot-timeout": Link.RUNTIME,
    "operator-waits": Link.PLUGIN,
    "plugin-strategy": Link.PLUGIN,
    "nvml-missing": Link.PLUGIN,
    "mps-daemon": Link.PLUGIN,
    "unified-memory": Link.PLUGIN,
    "driver-image": Link.PLUGIN,
    "device-node-major": Link.PLUGIN,
    "operator-read-only": Link.PLUGIN,
    "device-unhealthy": Link.ALLOCATABLE,
    "pod-security": Link.ADMITTED,
    "runtime-class-missing": Link.ADMITTED,
    "insufficient-gpus": Link.SCHEDULED,
    "untolerated-taint": Link.SCHEDULED,
    "node-affinity": Link.SCHEDULED,
    "admission-error": Link.STARTED,
    "request-of-shared-gpus": Link.STARTED,
    "runtime-not-configured": Link.STARTED,
    "cdi-hook": Link.STARTED,
    "cdi-unresolvable": Link.STARTED,
    "cdi-empty-edits": Link.STARTED,
    "post-start-hook": Link.STARTED,
    "driver-too-old": Link.SEEN,
    "cuda-803": Link.SEEN,
    "cuda-804": Link.SEEN,
    "no-kernel-image": Link.SEEN,
    "video-libraries": Link.SEEN,
    "video-encoder": Link.SEEN,
    "vulkan-on-cpu": Link.SEEN,
    "nvml-unknown-error": Link.SEEN,
    "cuda-out-of-memory": Link.SEEN,
    "shared-memory": Link.SEEN,
    "no-gpu-in-pod": Link.SEEN,
    # The card and the driver work on after these.
    "exporter-nvml": None,
    "peermem": None,
    "xid-application": None,
    "xid-contained": None,
    "xid-other": None,
}
"""The link that each symptom breaks, in the order in which the symptoms of one link explain each other: a symptom comes before those that follow from it.

None is a symptom beside the chain. A rule's own symptom is not here: `talos-gpu check` reports rules.
"""

_HARDWARE = {
    "bar-invalid",
    "power-cables",
    "gsp-firmware",
    "fallen-off-the-bus",
    "xid-reset",
    "xid-uncorrectable",
    "card-needs-recovery",
    "device-unhealthy",
}
"""The symptoms whose cause is the card or the machine."""

_CONSEQUENCES = {
    Link.IMAGE: "The node runs an image without a working driver, so Kubernetes sees no GPU",
    Link.MODULES: "Without the modules there is no /dev/nvidia0: NVIDIA's services wait, and the device plugin finds no GPU",
    Link.DRIVER: "The driver can't use the card, so the device plugin finds no GPU, or programs lose the GPU",
    Link.RUNTIME: "The container runtime can't give the card to containers",
    Link.PLUGIN: "The kubelet gets no GPUs to offer, so pods that ask for one stay Pending",
    Link.ALLOCATABLE: "The node offers fewer GPUs than it has, so pods stay Pending",
    Link.ADMITTED: "Kubernetes creates no pod",
    Link.SCHEDULED: "The pod stays Pending",
    Link.STARTED: "The container does not start",
    Link.SEEN: "The program runs without the GPU, or ends",
}


def symptom_link(match: Match) -> Link | None:
    """The link that a symptom breaks; None for a symptom beside the chain."""
    return SYMPTOM_LINKS.get(match.symptom.name)


def symptom_matches(logs: Iterable[Log | None], *links: Link) -> Iterator[tuple[Match, Log]]:
    """The matches of logs that break one of these links, each symptom once. A symptom comes before those that follow from it."""
    first: dict[str, tuple[Match, Log]] = {}
    for log in filter(None, logs):
        for match in log.matches:
            first.setdefault(match.symptom.name, (match, log))
    return (first[name] for name, link in SYMPTOM_LINKS.items() if link in links and name in first)


def symptom_fault(match: Match, log: Log, *, consequence: str = "", fix: Fix | None = None, is_of_pod: bool = False) -> Fault:
    """The fault of a symptom: its cause, remedy, first command and rules, with the line of the log as the evidence. A given fix replaces the remedy."""
    symptom = match.symptom
    link = symptom_link(match)
    return Fault(
        name=symptom.name,
        cause=f"{symptom.title}. {symptom.cause}" if symptom.cause else symptom.title,
        evidence=(log.evidence(match),),
        consequence=consequence or (_CONSEQUENCES[link] if link else ""),
        fix=fix or Advice(symptom.remedy),
        verify=symptom.commands[0],
        source=symptom.source,
        rules=symptom.rules,
        is_of_pod=is_of_pod,
        is_hardware=symptom.name in _HARDWARE,
    )
