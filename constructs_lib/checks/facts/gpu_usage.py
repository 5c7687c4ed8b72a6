"""GPU usage: the GPUs and the GPU memory that workloads request from each class of nodes, and the amounts that the class offers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from ..._arguments.quantities import amount_of, byte_quantity
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.pod_annotations import GPU_MEMORY_ANNOTATION
from ...upstream.gpu_resources import MIG_RESOURCE
from ...upstream.plugin_words import MigStrategy
from ..model import Inputs, KubernetesObject, at, known_str, mappings, question
from .claim_requests import GPU_CLASS
from .claim_usage import claim_usage
from .pod_counts import Count
from .pod_templates import Workload
from .usage_rows import Usage, gibibytes, may_run, name_of
from .workloads import workloads

__all__ = ["Usage", "gibibytes", "name_of"]


@question
def usage(inputs: Inputs) -> tuple[Usage, ...]:
    """The requests of every GPU workload, by the described classes of nodes."""
    counted = _without_owned(inputs)
    rows = [row for workload in counted if workload.asks_for_gpus for row in _by_limits(inputs, workload)]
    claims = [each for each in counted if at(each.spec, "resourceClaims") is not None]
    for row in claim_usage(inputs, claims):
        declared = declared_memory(row.workload)
        rows.append(replace(row, pods=_pods(row), memory=row.memory if declared is None else declared))
    return tuple(rows)


def _by_limits(inputs: Inputs, workload: Workload) -> Iterator[Usage]:
    for resource, gpus in workload.gpus.items():
        if gpus == 0:
            continue
        asking = next(each for each in workload.containers if resource in each.gpus)
        row = Usage(
            workload=workload,
            name=workload.name,
            nodes=tuple(each for each in inputs.nodes if offers(each, resource) and may_run(workload, each, inputs.nodes)),
            resource=resource,
            requested=resource,
            pods=workload.pods,
            gpus=gpus,
            memory=declared_memory(workload),
            passes=workload.passes,
            path=(*asking.path, "resources", "limits", resource),
            reason=f"its limit of {resource} can't be read",
        )
        yield replace(row, pods=_pods(row))


def _without_owned(inputs: Inputs) -> list[Workload]:
    """The workloads without those that another counted object made, as `kubectl get -o yaml` prints both."""
    names = {(each.kind, f"{each.name}", f"{each.namespace}") for each in inputs.objects}
    return [each for each in workloads(inputs) if not any(owner in names for owner in _owners(each))]


def _owners(workload: Workload) -> Iterator[tuple[str, str, str]]:
    about = workload.about
    if isinstance(about, KubernetesObject):
        for _, owner in mappings(about.at("metadata", "ownerReferences")):
            yield known_str(at(owner, "kind")) or "", known_str(at(owner, "name")) or "", f"{about.namespace}"


def _pods(row: Usage) -> Count:
    """The number of pods; those of a DaemonSet by the number of nodes."""
    if row.workload.kind != "DaemonSet" or not row.pods.least:
        return row.pods
    counts = [nodes.count for nodes in row.nodes]
    known = sum(count or 0 for count in counts)
    return Count(known) if counts and None not in counts else Count(known, "the number of its nodes is not known")


def offers(nodes: GpuNodes, resource: str) -> bool:
    """Whether nodes of a class advertise a resource."""
    if resource in {nodes.resource_name, *(nodes.resource(profile) for profile in nodes.mig_profiles)}:
        return True
    return nodes.mig_strategy == MigStrategy.MIXED and nodes.mig_devices is None and resource.startswith(MIG_RESOURCE)


def advertised(nodes: GpuNodes, resource: str) -> int | None:
    """The amount of a resource that one node of a class offers."""
    profile = next((each for each in nodes.mig_profiles if nodes.resource(each) == resource), None)
    return nodes.advertised(profile) if profile or resource == nodes.resource_name else None


def offered(nodes: GpuNodes, resource: str) -> int | None:
    """The amount of a resource that all nodes of a class offer."""
    each = advertised(nodes, resource)
    return None if each is None or nodes.count is None else each * nodes.count


def shown_name(nodes: GpuNodes, resource: str) -> str:
    """The name of a resource on a class: a class with `dra` offers whole GPUs by a DeviceClass."""
    return GPU_CLASS if nodes.dra is not None and resource == nodes.resource_name else resource


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
