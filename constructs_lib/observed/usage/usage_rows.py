"""Rows of GPU usage: the request of one workload for one resource, and the classes of nodes that its pods may run on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ...nodes.gpu_nodes import GpuNodes
from ..model import Path, at
from ..placement.node_selection import LabelRequirement, may_tolerate, selected, surely_selects, surely_tolerates, terms_of
from ..pods.pod_counts import Count
from ..pods.pod_templates import Workload


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Usage:
    """The GPU request of one workload for one resource, by a limit or by a claim.

    `nodes` are the classes that the pods may run on. `shared` names the claim that several pods share, `part` the pods of an object that has
    several groups of pods. `requested` is the DeviceClass of a claim, else the resource. `gpus` is the amount of `resource` for one pod, None for an
    unknown amount with its `reason`; `devices` is the number of different GPUs that the pod needs of a node whose claims share GPUs. `memory` is the
    declared GPU memory of one pod in bytes, `claimed` the memory that a claim takes of each GPU; None stands for an unknown number.
    """

    workload: Workload
    nodes: tuple[GpuNodes, ...]
    resource: str
    requested: str
    pods: Count
    gpus: int | None
    devices: int = 1
    memory: Decimal | None
    passes: bool
    claim_path: Path = ()
    by_claim: bool = False
    claimed: Decimal | None = None
    reason: str = ""
    shared: str = ""
    part: str = ""

    @property
    def name(self) -> str:
        """The name of the workload, with its part of an object that has several, or of the claim that several pods share."""
        return self.shared or f"{self.workload.name} {self.part}".rstrip()

    @property
    def path(self) -> Path:
        """The path of the limit or of the claim."""
        if self.by_claim:
            return self.claim_path
        asking = next(each for each in self.workload.containers if self.resource in each.gpus)
        return (*asking.path, "resources", "limits", self.resource)

    @property
    def total(self) -> Count:
        """The amount of the resource that all pods request."""
        return self.pods.times(Count(0, self.reason) if self.gpus is None else Count(self.gpus))


def may_run(workload: Workload, nodes: GpuNodes, all_nodes: Sequence[GpuNodes]) -> bool:
    """Whether a workload's pods can run on the nodes of a class, as far as labels and taints are known."""
    terms = terms_of(workload.spec)
    fits = _fit(selected(workload.spec), nodes, all_nodes) and (terms is None or any(_fit(term, nodes, all_nodes) for term in terms))
    return fits and (not workload.complete or all(may_tolerate(at(workload.spec, "tolerations"), *each) for each in _keeping_off(nodes)))


def surely_runs(workload: Workload, nodes: GpuNodes) -> bool:
    """Whether labels and taints surely let a workload's pods onto the nodes of a class."""
    tolerates = all(surely_tolerates(at(workload.spec, "tolerations"), *each) for each in _keeping_off(nodes))
    return workload.complete and tolerates and surely_selects(workload.spec, nodes.node_labels)


def _keeping_off(nodes: GpuNodes) -> list[tuple[str, str, str]]:
    """The taints that keep pods off the nodes: key, value and effect."""
    return [(each.key, each.value or "", str(each.effect)) for each in nodes.taints if str(each.effect) != "PreferNoSchedule"]


def _fit(requirements: Iterable[LabelRequirement], nodes: GpuNodes, all_nodes: Sequence[GpuNodes]) -> bool:
    """Whether the labels fit a class: the class lacks a label that describes another class; other labels are unknown."""
    described = {key for each in all_nodes for key in each.node_labels}
    for key, values in requirements:
        if key in nodes.node_labels:
            if values is not None and nodes.node_labels[key] not in values:
                return False
        elif key in described:
            return False
    return True


def name_of(nodes: GpuNodes) -> str:
    """The name of a class, or its labels."""
    return nodes.name or ",".join(f"{key}={value}" for key, value in nodes.labels.items()) or "the GPU nodes"


def gibibytes(amount: Decimal) -> str:
    """An amount of bytes in GiB, as cards are sold."""
    return f"{amount / 2**30:.1f}".removesuffix(".0") + "Gi"
