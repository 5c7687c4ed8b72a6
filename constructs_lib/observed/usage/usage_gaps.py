"""Gaps of GPU usage: the workloads that the sums leave out, or count only in part, each with the reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from ..model import Answer, Inputs, at, question
from ..pods.workloads import workloads
from .gpu_usage import usage


class Kind(Enum):
    """The part of a workload that is counted."""

    NOTHING = "not counted"
    MINIMUM = "counted as a minimum"
    NO_CLASS = "not compared"


@dataclass(frozen=True, slots=True)
class Gap:
    """A workload that is not counted completely."""

    kind: Kind
    name: str
    reason: str


@question
def usage_gaps(inputs: Inputs) -> tuple[Gap, ...]:
    """The gaps, without repetition."""
    return tuple(dict.fromkeys(_gaps(inputs)))


def _gaps(inputs: Inputs) -> Iterator[Gap]:
    for row in usage(inputs):
        total = row.total
        if not total.is_exact:
            yield Gap(Kind.MINIMUM if total.least else Kind.NOTHING, row.name, total.reason)
        if inputs.nodes and not row.nodes:
            reason = "no described class of nodes has dra" if row.by_claim and not any(each.dra for each in inputs.nodes) else ""
            yield Gap(Kind.NO_CLASS, row.name, reason or f"no described class of nodes offers {row.requested} to its pods")
    for workload in workloads(inputs):
        if any(container.asks_for_gpus is Answer.UNKNOWN for container in workload.containers):
            yield Gap(Kind.NOTHING, workload.name, "the resources of a container can't be read")
    for job in inputs.of_kind("TrainJob"):
        if job.at("spec", "runtimeRef") is not None and at(job.at("spec", "trainer"), "resourcesPerNode") is None:
            yield Gap(Kind.NOTHING, job.label, "its resources come from its training runtime")
