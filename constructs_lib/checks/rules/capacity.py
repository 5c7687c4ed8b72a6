"""GPU requests that exceed what the nodes offer: of one pod, and of all workloads together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...nodes.gpu_nodes import GpuNodes
from ...nodes.sharing import TimeSlicing
from ..edit import set_to
from ..facts.gpu_usage import Usage, advertised, name_of, offered, total_of, usage
from ..facts.pod_counts import sum_of
from ..facts.rolling_updates import surge
from ..finding import Severity
from ..model import Inputs
from ..rule import Example, Rule, Violation
from ._pods import ONE_GPU, TWO_GPUS, pod


def _too_large(inputs: Inputs) -> Iterator[Violation]:
    for row in usage(inputs):
        most = [advertised(nodes, row.resource) for nodes in row.nodes]
        largest = None if not most or None in most else max(each for each in most if each is not None)
        if largest is not None and row.gpus is not None and row.gpus > largest:
            names = " or ".join(name_of(nodes) for nodes in row.nodes)
            yield Violation(
                severity=Severity.ERROR,
                message=f"the pod requests {row.gpus} {row.requested}, but one node of {names} offers {largest}. The pod stays Pending",
                about=row.workload.about,
                path=row.path,
                fix=_smaller(row, largest) if largest else None,
                edits=set_to(largest, safe=False) if largest and not row.by_claim else (),
            )


def _smaller(row: Usage, largest: int) -> str:
    request = f"count: {largest} in the claim" if row.by_claim else f"limits: {{{row.resource}: {largest}}}"
    return f"Set {request}, or split the work across several pods"


def _too_many(inputs: Inputs) -> Iterator[Violation]:
    rows = usage(inputs)
    for resource in dict.fromkeys(row.resource for row in rows if row.resource):
        for classes, name in _groups(inputs.nodes):
            theirs = [row for row in rows if row.resource == resource and row.nodes and all(each in classes for each in row.nodes)]
            has = total_of([offered(each, resource) for each in classes if any(each in row.nodes for row in theirs)])
            if has is not None and any(len(row.nodes) == len(classes) for row in theirs):
                yield from _beyond(theirs, has, name)


def _groups(nodes: Sequence[GpuNodes]) -> Iterator[tuple[Sequence[GpuNodes], str]]:
    """Groups of node classes: every class alone, for pods that fit nowhere else, and all classes together."""
    for each in nodes:
        yield (each,), name_of(each)
    if len(nodes) > 1:
        yield nodes, "all classes together"


def _beyond(rows: Sequence[Usage], has: int, name: str) -> Iterator[Violation]:
    """Violations of one group of nodes: long-running pods have to fit at once; Jobs and rolling updates can wait.

    Only known minimums are summed.
    """
    known = [row for row in rows if row.total.least and (row.gpus or 0) <= has]
    staying = [row for row in known if not row.passes]
    resource = " and ".join(dict.fromkeys(row.requested for row in rows))
    wanted, before = 0, []
    for row in (*staying, *(row for row in known if row.passes)):
        wanted += row.total.least
        before.append(row)
        if wanted > has:
            asking = before if row.passes else staying
            total = sum_of(each.total for each in asking)
            listed = ", ".join(f"{each.name} {each.total}" for each in asking)
            effect = "The workload waits until other pods end" if row.passes else "Pods stay Pending"
            yield Violation(
                severity=Severity.WARNING if row.passes else Severity.ERROR,
                message=f"workloads on {name} request {'' if total.is_exact else 'at least '}{total.least} {resource}, but the nodes offer only {has}. "
                f"{effect} ({listed})",
                about=row.workload.about,
                path=row.path,
            )
            return
    for row in rows:
        if row.gpus is not None and (extra := _surge(row)) and wanted + extra * row.gpus > has:
            yield Violation(
                severity=Severity.WARNING,
                message=f"a rolling update adds {extra} to {row.pods.least} pods before it removes one. The workloads need {wanted + extra * row.gpus} {resource} on "
                f"{name}, but the nodes offer only {has}",
                about=row.workload.about,
                path=row.path,
                fix="Set strategy: {type: Recreate}, or rollingUpdate: {maxSurge: 0, maxUnavailable: 1}",
            )


def _surge(row: Usage) -> int:
    """The extra pods of a rolling update. A Deployment with one pod is checked by TG048, whether the nodes are known or not."""
    return surge(row.workload, row.pods.least) if row.pods.least > 1 else 0


_TWICE = pod(ONE_GPU) + "---\n" + pod(ONE_GPU).partition("---\n")[2].replace("name: ollama", "name: comfyui")


def _nodes(**given: Any) -> tuple[GpuNodes, ...]:
    return (GpuNodes(talos_version="1.13", count=1, gpus_per_node=1, **given),)


_WHOLE = _nodes()
_SHARED = _nodes(sharing=TimeSlicing(replicas=5))

RULES = (
    Rule(
        id="TG095",
        claim="A pod requests no more GPUs than one node offers",
        symptom="0/3 nodes are available: 3 Insufficient nvidia.com/gpu, for a pod that fits on no node",
        severity=Severity.ERROR,
        fix="Lower limits nvidia.com/gpu, or split the work across several pods",
        source="https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",
        check=_too_large,
        failing=Example(yaml=pod(TWO_GPUS), nodes=_WHOLE),
        passing=Example(yaml=pod(TWO_GPUS), nodes=_SHARED),
    ),
    Rule(
        id="TG096",
        claim="Workloads together request no more GPUs than their nodes offer",
        symptom="0/3 nodes are available: 3 Insufficient nvidia.com/gpu, for the last workload",
        severity=Severity.ERROR,
        fix="Scale a workload down (kubectl scale deployment NAME --replicas=0), share the GPUs by time-slicing, or add nodes",
        source="https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",
        check=_too_many,
        failing=Example(yaml=_TWICE, nodes=_WHOLE),
        passing=Example(yaml=_TWICE, nodes=_SHARED),
    ),
)
