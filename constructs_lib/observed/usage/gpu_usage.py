"""GPU usage: the GPUs and the GPU memory that workloads request from each class of nodes, and the amounts that the
class offers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING

from ...arguments.quantities import amount_of, byte_quantity
from ...nodes import GPU_MEMORY_ANNOTATION
from ...upstream.nvidia.gpu_resources import MIG_RESOURCE
from ...upstream.nvidia.plugin_words import MigStrategy
from ..model import Answer, Inputs, KubernetesObject, Path, Read, at, known_str, mappings, question
from ..pods.claims import GPU_CLASS
from ..pods.pod_counts import Count
from ..pods.pod_templates import Workload
from ..pods.workloads import gpu_workloads, workloads
from .usage_rows import Usage, claim_usage, gibibytes, may_run, name_of

if TYPE_CHECKING:  # a check of files without described nodes loads no GpuNodes
    from ...nodes.gpu_nodes import GpuNodes

__all__ = ["Usage", "gibibytes", "name_of"]


@question
def usage(inputs: Inputs) -> tuple[Usage, ...]:
    """The requests of every GPU workload, by the described classes of nodes."""
    rows = [row for workload in _unowned(inputs, gpu_workloads(inputs)) for row in _by_limits(inputs, workload)]
    claims = [each for each in workloads(inputs) if at(each.spec, "resourceClaims") is not None]
    for row in claim_usage(inputs, _unowned(inputs, claims)):
        declared = declared_memory(row.workload)
        rows.append(replace(row, pods=_pods(row), memory=row.memory if declared is None else declared))
    last = {row.workload.about: row.workload.path for row in rows}
    several = {row.workload.about for row in rows if last[row.workload.about] != row.workload.path}
    return tuple(_told_apart(rows, several) if several else rows)


def _told_apart(rows: Sequence[Usage], several: set[Read]) -> Iterator[Usage]:
    """The rows, with the part of each object that has several groups of pods."""
    paths: dict[Read, set[Path]] = {}
    for row in rows:
        paths.setdefault(row.workload.about, set()).add(row.workload.path)
    for row in rows:
        about = row.workload.about
        yield replace(row, part=_part(row.workload.path, paths[about])) if about in several else row


def _part(path: Path, paths: set[Path]) -> str:
    """The keys of a path that the other paths of the same object lack, such as `(Worker)` in a PyTorchJob."""
    keys = [f"{key}" for key in path if not all(key in other for other in paths)]
    return f"({'.'.join(keys)})" if keys else ""


def _by_limits(inputs: Inputs, workload: Workload) -> Iterator[Usage]:
    for resource, gpus in workload.gpus.items():
        if gpus == 0:
            continue
        row = Usage(
            workload=workload,
            nodes=tuple(each for each in inputs.nodes if offers(each, resource) and may_run(workload, each, inputs.all_nodes)),
            resource=resource,
            requested=resource,
            pods=workload.pods,
            gpus=gpus,
            devices=gpus or 1,
            memory=declared_memory(workload),
            passes=workload.passes,
            reason=f"its limit of {resource} can't be read" if gpus is None else "",
        )
        yield replace(row, pods=_pods(row)) if workload.kind == "DaemonSet" else row


def _unowned(inputs: Inputs, among: Sequence[Workload]) -> list[Workload]:
    """The workloads without those that another read object made, as `kubectl get -o yaml` prints both."""
    owned = {id(each): names for each in among if (names := _owners(each))}
    if not owned:
        return list(among)
    read = {(each.kind, f"{each.name}", f"{each.namespace}") for each in inputs.objects}
    return [each for each in among if not any(name in read for name in owned.get(id(each), ()))]


def _owners(workload: Workload) -> list[tuple[str, str, str]]:
    about = workload.about
    if not isinstance(about, KubernetesObject) or (listed := at(about.body, "metadata", "ownerReferences")) is None:
        return []
    names = ((known_str(at(owner, "kind")) or "", known_str(at(owner, "name")) or "") for _, owner in mappings(listed))
    return [(kind, name, f"{about.namespace}") for kind, name in names]


def _pods(row: Usage) -> Count:
    """The number of pods; those of a DaemonSet by the number of nodes."""
    if row.workload.kind != "DaemonSet" or not row.pods.least:
        return row.pods
    counts = [nodes.count for nodes in row.nodes]
    known = sum(count or 0 for count in counts)
    return Count(known) if counts and None not in counts else Count(known, "the number of its nodes is not known")


def offers(nodes: GpuNodes, resource: str) -> bool:
    """Whether nodes of a class advertise a resource."""
    if resource == nodes.resource_name:
        return True
    if nodes.mig_strategy != MigStrategy.MIXED:
        return False
    return resource.startswith(MIG_RESOURCE) if nodes.mig_devices is None else resource in map(nodes.resource, nodes.mig_profiles)


def advertised(nodes: GpuNodes, resource: str) -> int | None:
    """The amount of a resource that one node of a class offers."""
    profile = next((each for each in nodes.mig_profiles if nodes.resource(each) == resource), None)
    return nodes.advertised(profile) if profile or resource == nodes.resource_name else None


def offered(nodes: GpuNodes, resource: str) -> int | None:
    """The amount of a resource that all nodes of a class offer."""
    each = advertised(nodes, resource)
    return None if each is None or nodes.count is None else each * nodes.count


def shown_name(nodes: GpuNodes, resource: str) -> str:
    """The name of a resource on a class: a class with claims offers whole GPUs by a DeviceClass."""
    return GPU_CLASS if nodes.by_claim and resource == nodes.resource_name else resource


def total_of(amounts: Sequence[int | None]) -> int | None:
    """The sum of the amounts, None if one is unknown."""
    return None if not amounts or None in amounts else sum(each or 0 for each in amounts)


def declared_memory(workload: Workload) -> Decimal | None:
    """The GPU memory that a workload declares, in bytes."""
    written = known_str(memory_annotation(workload))
    if written is None:
        return None
    try:
        return amount_of(byte_quantity(GPU_MEMORY_ANNOTATION, written))
    except (TypeError, ValueError):
        return None


def memory_annotation(workload: Workload) -> object:
    """The annotation as written, on the pod template or on the object."""
    own = at(workload.metadata, "annotations", GPU_MEMORY_ANNOTATION)
    return workload.about.at("metadata", "annotations", GPU_MEMORY_ANNOTATION) if own is None else own


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
        if total.most is None:
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
