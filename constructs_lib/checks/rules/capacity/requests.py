"""GPU requests that exceed what the nodes offer: of one pod, and of all workloads together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ....observed.model import Answer, Inputs
from ....observed.placement.node_packing import can_starve, fit
from ....observed.pods.pod_counts import sum_of
from ....observed.usage.gpu_usage import Usage, name_of, offered, total_of, usage
from ....observed.usage.preemption import makes_room, preempts
from ....observed.usage.queues import is_queued
from ....observed.usage.sums import updates
from ....observed.usage.usage_placement import competing, fits_on_a_node, largest_for_one_pod, nodes_of, pods_of
from ....observed.usage.usage_rows import surely_runs
from ...report_words import count, listed
from ...rule import Example, Part, Rule, Severity, Violation, Witness, set_to
from .._shared import ONE_GPU, TWO_GPUS, pod

if TYPE_CHECKING:  # a check of files without described nodes loads no GpuNodes
    from ....nodes.gpu_nodes import GpuNodes

WHOLE = 'talos: "1.13"\nnodes:\n  gpu:\n    count: 1\n    cards: 1\n'
SHARED = WHOLE + "    sharing: {time_slicing: 5}\n"


@Rule(
    id="TG095",
    claim="A pod requests no more GPUs than one node offers",
    symptom="0/3 nodes are available: 3 Insufficient nvidia.com/gpu, for a pod that is too large for every node",
    fix="Lower limits nvidia.com/gpu, or split the work across several pods",
    source="https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",
    severity=Severity.ERROR,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(pod(TWO_GPUS), nodes_file=WHOLE),
    passing=Example(pod(TWO_GPUS), nodes_file=SHARED),
)
def _too_large(inputs: Inputs) -> Iterator[Violation]:
    for row in usage(inputs):
        largest = largest_for_one_pod(row)
        if largest is not None and row.gpus is not None and row.gpus > largest:
            names = " or ".join(name_of(nodes) for nodes in row.nodes)
            message = f"the pod requests {row.gpus} {row.requested}, but one node of {names} offers {largest}. The pod stays Pending"
            fix = _smaller(row, largest) if largest else None
            edits = set_to(largest, safe=False) if largest and not row.by_claim else ()
            yield Violation(Severity.ERROR, message, row.workload.about, row.path, fix=fix, edits=edits)
        elif row.workload.kind == "DaemonSet" and row.gpus and row.nodes:
            yield from _daemons_without_gpus(row, [each for each in inputs.nodes if surely_runs(row.workload, each)])


def _daemons_without_gpus(row: Usage, classes: Sequence[GpuNodes]) -> Iterator[Violation]:
    """The violation of a DaemonSet with pods on nodes that do not offer the resource, or on nodes without the GPU of
    the one claim."""
    lacking = [each for each in classes if each not in row.nodes]
    number = sum(each.count or 1 for each in classes)
    if row.shared and number > 1:
        message = (
            f"the DaemonSet has pods on {'' if all(each.count for each in classes) else 'at least '}{number} nodes, and all of them use {row.shared}, "
            "whose GPUs are on one node. The pods on the other nodes stay Pending"
        )
        fix = "Give each pod a claim of its own: make the ResourceClaim a ResourceClaimTemplate, and name it in resourceClaimTemplateName"
        yield Violation(Severity.ERROR, message, row.workload.about, row.path, fix=fix)
    elif lacking and not row.shared:
        message = (
            f"the DaemonSet has a pod on each node of {listed(map(name_of, lacking))} too, and these nodes offer no {row.requested}. The pods "
            "there stay Pending"
        )
        yield Violation(Severity.ERROR, message, row.workload.about, row.path, fix=_narrower(row.nodes, lacking))


def _narrower(offering: Sequence[GpuNodes], lacking: Sequence[GpuNodes]) -> str:
    """The fix of a selector that also matches nodes without the resource."""
    own = [(key, value) for key, value in offering[0].node_labels.items() if all(each.node_labels.get(key) != value for each in lacking)]
    if len(offering) > 1 or not own:
        return f"Set a required node affinity for the labels of {listed(map(name_of, offering), 'or')}"
    key, value = own[0]
    return f'Add nodeSelector: {{{key}: "{value}"}} to the pods of the DaemonSet'


def _smaller(row: Usage, largest: int) -> str:
    request = f"count: {largest} in the claim" if row.by_claim else f"limits: {{{row.resource}: {largest}}}"
    return f"Set {request}, or split the work across several pods"


_TWICE = pod(ONE_GPU) + "---\n" + pod(ONE_GPU).partition("---\n")[2].replace("name: ollama", "name: comfyui")


@Rule(
    id="TG096",
    claim="The GPUs that workloads request together fit on their nodes",
    symptom="0/3 nodes are available: 3 Insufficient nvidia.com/gpu, for the last workload",
    fix="Scale a workload down (kubectl scale deployment NAME --replicas=0), share the GPUs by time-slicing, or add nodes",
    source="https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",
    severity=Severity.ERROR,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_TWICE, nodes_file=WHOLE),
    passing=Example(_TWICE, nodes_file=SHARED),
)
def _too_many(inputs: Inputs) -> Iterator[Violation]:
    rows = usage(inputs)
    for resource in dict.fromkeys(row.resource for row in rows if row.resource):
        fitting = [
            row for row in rows if row.resource == resource and row.nodes and fits_on_a_node(row) and not _waits_in_queue(inputs, row)
        ]
        exceeded: dict[int, bool] = {}  # the rows of a sum that is too large, and whether it is without those that wait
        for classes, name in _groups(inputs.nodes, fitting):
            theirs = [row for row in fitting if all(each in classes for each in row.nodes)]
            has = total_of([offered(each, resource) for each in classes if any(each in row.nodes for row in theirs)])
            if has is not None and any(len(row.nodes) == len(classes) for row in theirs):
                violation = _beyond(theirs, has, name, inputs)
                if violation is None or violation.severity is Severity.INFO:
                    yield from _surging([row for row in theirs if not row.is_bounded], has, name)
                if violation is not None:
                    stays = sum(row.total.least for row in theirs if not row.passes) > has
                    exceeded |= {id(row): exceeded.get(id(row), False) or stays for row in theirs}
                    yield violation
        for group in competing([row for row in fitting if row.total.least]):
            sums = [exceeded[id(row)] for row in group if id(row) in exceeded]
            staying = [row for row in group if not row.passes]
            violation = None if any(sums) else _scattered(staying, inputs, "stay Pending")
            if violation is None and not sums and len(staying) < len(group):
                violation = _scattered(group, inputs, "wait until other pods end")
            if violation is not None:
                yield violation


def _waits_in_queue(inputs: Inputs, row: Usage) -> bool:
    """Whether Kueue starts the pods when there are GPUs, and others when these end: more jobs than GPUs are what a queue is for."""
    return row.passes and is_queued(row.workload, inputs).is_yes


def _groups(nodes: Sequence[GpuNodes], rows: Sequence[Usage]) -> Iterator[tuple[Sequence[GpuNodes], str]]:
    """Groups of node classes: every class alone, the classes of each workload for pods that fit nowhere else, and all
    classes together."""
    for each in nodes:
        yield (each,), name_of(each)
    for several in dict.fromkeys(row.nodes for row in rows if 1 < len(row.nodes) < len(nodes)):
        yield several, " and ".join(name_of(each) for each in several)
    if len(nodes) > 1:
        yield nodes, "all classes together"


def _beyond(rows: Sequence[Usage], has: int, name: str, inputs: Inputs) -> Violation | None:
    """The violation of one group of nodes: long-running pods have to fit at once; Jobs can wait, and one with a deadline
    is a remark: it gives its GPUs back in any case, such as a `CudaSmokeTest` that is applied first.

    Only known minimums are summed.
    """
    known = [row for row in rows if row.total.least]
    staying = [row for row in known if not row.passes]
    resource = _requested(rows)
    wanted, before = 0, []
    for row in (*staying, *sorted((row for row in known if row.passes), key=lambda row: row.is_bounded)):
        wanted += row.total.least
        before.append(row)
        if wanted > has:
            asking = before if row.passes else staying
            total = sum_of(each.total for each in asking)
            effect = "Pods stay Pending" if not row.passes else _BOUNDED if row.is_bounded else "The workload waits until other pods end"
            severity = _severity([row])
            if not row.is_bounded:
                room = makes_room(asking, lambda some: sum(each.total.least for each in some) > has, inputs)
                effect, severity = _preempted(room, effect, "it has" if row.passes else "they have", severity)
            message = (
                f"workloads on {name} request {'' if total.is_exact else 'at least '}{total.least} {resource}, but the nodes offer only {has}. "
                f"{effect} ({listed_requests(asking)})"
            )
            fix = _FIRST if row.is_bounded else None
            return Violation(severity, message, row.workload.about, row.path, fix=fix, related=related(asking))
    return None


def _preempted(room: Answer, effect: str, they_have: str, severity: Severity) -> tuple[str, Severity]:
    """The effect and the severity for pods that do not fit, where they may fit once some of them are preempted."""
    if room.is_no:
        return effect, severity
    known = "Pods of the lowest priority stay Pending, or are preempted"
    return known if room.is_yes else f"{effect}, if {they_have} no higher priority", Severity.WARNING


_BOUNDED = "The Job with a deadline has to run before the other pods, or waits until it fails"

_FIRST = "Apply the Job first, and the other workloads when it has ended; to run it again, scale one of them to 0 replicas"


def _severity(rows: Sequence[Usage]) -> Severity:
    """The severity for the last rows that do not fit."""
    if all(row.is_bounded for row in rows):
        return Severity.INFO
    return Severity.WARNING if any(row.passes for row in rows) else Severity.ERROR


def _surging(rows: Sequence[Usage], has: int, name: str) -> Iterator[Violation]:
    """Violations of rolling updates, for which the pods of the workloads leave too little. A Deployment with one pod is checked
    by TG048, whether the nodes are known or not."""
    wanted = sum(row.total.least for row in rows)
    for update in updates(rows, lambda row: row.gpus):
        workload = update.row.workload
        if wanted + update.added > has and (update.pods > 1 or workload.kind != "Deployment"):
            message = (
                f"a rolling update adds {update.extra} to {count(update.pods, 'pod')} before it removes one. The workloads need {wanted + update.added} "
                f"{_requested(rows)} on {name}, but the nodes offer only {has}"
            )
            or_rolling = ", or rollingUpdate: {maxSurge: 0, maxUnavailable: 1}" if workload.kind == "Deployment" else ""
            yield Violation(Severity.WARNING, message, workload.about, update.row.path, fix=f"Set {update.without_surge}{or_rolling}")


def _scattered(rows: Sequence[Usage], inputs: Inputs, effect: str) -> Violation | None:
    """The violation of pods for which the sum of the nodes is enough, but not the free GPUs of each node."""
    classes, passing = inputs.nodes, [row for row in rows if row.passes]
    if _fit(rows, classes) is False:
        row, severity, effect = (passing or rows)[-1], _severity(passing or rows), f"Pods {effect}"
        if severity is Severity.ERROR:
            effect, severity = _preempted(
                makes_room(rows, lambda some: _fit(some, classes) is False, inputs), effect, "they have", severity
            )
        reason = f"no placement of all pods exists. {effect}"
    else:
        starved = _starved(rows, classes)
        if starved is None:
            return None
        row, severity = starved, Severity.INFO if passing and all(each.is_bounded for each in passing) else Severity.WARNING
        if len(rows) > 1 and all(preempts(row, each, inputs).is_yes for each in rows if each is not row):
            effect, severity = "preempt some of them", Severity.INFO
        reason = f"a pod of {row.name} needs {row.gpus} on one node. If the scheduler places the other pods first, the pod can {effect}"
    message = f"the nodes offer as many {_requested(rows)} as the workloads request, but {reason} ({listed_requests(rows)})"
    return Violation(severity, message, row.workload.about, row.path, fix=_PLACED, related=related(rows))


def _fit(rows: Sequence[Usage], classes: Sequence[GpuNodes]) -> bool | None:
    return fit(nodes_of(rows, classes), [pods_of(row, classes) for row in rows])


def related(rows: Iterable[Usage]) -> tuple[Part, ...]:
    """The requests that a sum counts."""
    return tuple((each.workload.about, each.path) for each in rows)


def _starved(rows: Sequence[Usage], classes: Sequence[GpuNodes]) -> Usage | None:
    """The first workload with a pod that the other pods can leave without a node."""
    nodes, pods = nodes_of(rows, classes), [pods_of(row, classes) for row in rows]
    alike = {(each.gpus, each.classes, each.on_each_node): index for index, each in reversed(list(enumerate(pods)))}
    for index in sorted(alike.values()):
        siblings = [] if pods[index].on_each_node else [replace(pods[index], number=pods[index].number - 1)]
        others = [*pods[:index], *siblings, *pods[index + 1 :]]
        if can_starve(nodes, pods[index], others):
            return rows[index]
    return None


def _requested(rows: Sequence[Usage]) -> str:
    return " and ".join(dict.fromkeys(row.requested for row in rows))


def listed_requests(rows: Sequence[Usage]) -> str:
    """The workloads and their amounts, in an order that does not depend on the order of the files."""
    return ", ".join(sorted(f"{each.name} {each.total}" for each in rows))


_PLACED = "Give each workload nodes of its own by a nodeSelector, request fewer GPUs per pod, or add a node"
