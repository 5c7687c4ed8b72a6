"""Rows of GPU usage: the request of one workload for one resource, and the classes of nodes that its pods may run
on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from ...nodes.gpu_nodes import GpuNodes
from ..model import Path
from ..nodes.node import described_node
from ..placement.placements import runs_on
from ..pods.pod_counts import Count
from ..pods.pod_templates import Workload


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Usage:
    """The GPU request of one workload for one resource, by a limit or by a claim.

    `nodes` are the classes that the pods may run on. `shared` names the claim that several pods share, `part` the pods
    of an object that has several groups of pods. `requested` is the DeviceClass of a claim, else the resource. `gpus`
    is the amount of `resource` for one pod, None for an unknown amount with its `reason`; `devices` is the number of
    different GPUs that the pod needs of a node whose claims share GPUs. `memory` is the declared GPU memory of one pod
    in bytes, `claimed` the memory that a claim takes of each GPU; None stands for an unknown number.
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
        """The name of the workload, with its part of an object that has several, or of the claim that several pods
        share."""
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
    return not runs_on(workload.spec, described_node(nodes, all_nodes), is_whole=workload.complete).is_no


def surely_runs(workload: Workload, nodes: GpuNodes) -> bool:
    """Whether labels and taints surely let a workload's pods onto the nodes of a class."""
    return workload.complete and runs_on(workload.spec, described_node(nodes)).is_yes


def name_of(nodes: GpuNodes) -> str:
    """The name of a class, or its labels."""
    return nodes.name or ",".join(f"{key}={value}" for key, value in nodes.labels.items()) or "the GPU nodes"


def gibibytes(amount: Decimal) -> str:
    """An amount of bytes in GiB, as cards are sold."""
    return f"{amount / 2**30:.1f}".removesuffix(".0") + "Gi"
