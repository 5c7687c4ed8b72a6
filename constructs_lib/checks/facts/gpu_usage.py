"""GPU usage: the GPUs and the GPU memory that workloads request from each class of nodes, and the amounts that the class offers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ..._arguments.printable import printable
from ..._arguments.quantities import amount_of, byte_quantity
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.pod_annotations import GPU_MEMORY_ANNOTATION
from ...upstream.gpu_resources import MIG_RESOURCE
from ...upstream.plugin_words import MigStrategy
from ..model import Inputs, at, known_str, question
from .node_selection import LabelRequirement, may_tolerate, selected, terms_of
from .workloads import Workload, gpu_workloads

_PASSING = ("Job", "CronJob", "JobSet")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Usage:
    """The GPU request of one workload for one resource.

    `nodes` are the classes that the pods may run on. `pods` is the number of pods at once, `gpus` the amount of `resource` for one pod, `memory`
    the declared GPU memory of one pod in bytes; None stands for an unknown number. `passes` says that the workload ends, as a Job does.
    """

    workload: Workload
    nodes: tuple[GpuNodes, ...]
    resource: str
    pods: int | None
    gpus: int | None
    memory: Decimal | None
    passes: bool

    @property
    def total(self) -> int | None:
        """The amount of the resource that all pods request."""
        return None if self.pods is None or self.gpus is None else self.pods * self.gpus


@question
def usage(inputs: Inputs) -> tuple[Usage, ...]:
    """The requests of every GPU workload, by the described classes of nodes."""
    return tuple(
        Usage(
            workload=workload,
            nodes=(
                classes := tuple(nodes for nodes in inputs.nodes if offers(nodes, resource) and _may_run(workload, nodes, inputs.nodes))
            ),
            resource=resource,
            pods=_pods(workload, classes),
            gpus=gpus,
            memory=declared_memory(workload),
            passes=workload.kind in _PASSING,
        )
        for workload in gpu_workloads(inputs)
        for resource, gpus in workload.gpus.items()
        if gpus != 0
    )


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


def _pods(workload: Workload, classes: Sequence[GpuNodes]) -> int | None:
    if workload.kind != "DaemonSet":
        return workload.pods
    counts = [nodes.count for nodes in classes]
    return None if not counts or None in counts else sum(count for count in counts if count is not None)


def _may_run(workload: Workload, nodes: GpuNodes, all_nodes: Sequence[GpuNodes]) -> bool:
    """Whether a workload's pods can run on the nodes of a class, as far as labels and taints are known."""
    terms = terms_of(workload.spec)
    fits = _fit(selected(workload.spec), nodes, all_nodes) and (terms is None or any(_fit(term, nodes, all_nodes) for term in terms))
    keeps_off = [(each.key, each.value or "", str(each.effect)) for each in nodes.taints if str(each.effect) != "PreferNoSchedule"]
    return fits and (not workload.complete or all(may_tolerate(at(workload.spec, "tolerations"), *each) for each in keeps_off))


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


def table_text(rows: Sequence[Usage], nodes: Sequence[GpuNodes] = ()) -> str:
    """The table for people: each class with the amounts that it offers, and below the requests of the workloads."""
    lines: list[tuple[str, str, str, str]] = [("CLASS", "WORKLOAD", "GPUS", "MEMORY")]
    for each in nodes:
        theirs = [row for row in rows if each in row.nodes]
        resources = dict.fromkeys([each.resource_name, *(row.resource for row in theirs)])
        for resource in resources:
            has = offered(each, resource)
            memory = f"{each.memory_per_gpu} a GPU" if each.memory_per_gpu else ""
            lines.append((name_of(each), "(offers)", f"{'?' if has is None else has} {resource}", memory))
        lines += [_line(name_of(each), row) for row in theirs]
    lines += [_line("-", row) for row in rows if not row.nodes]
    widths = [max(len(line[column]) for line in lines) for column in range(3)]
    return (
        "\n".join("  ".join((*(cell.ljust(width) for cell, width in zip(line, widths, strict=False)), line[3])).rstrip() for line in lines)
        + "\n"
    )


def name_of(nodes: GpuNodes) -> str:
    """The name of a class, or its labels."""
    return nodes.name or ",".join(f"{key}={value}" for key, value in nodes.labels.items()) or "the GPU nodes"


def _line(name: str, row: Usage) -> tuple[str, str, str, str]:
    total = "?" if row.total is None else str(row.total)
    memory = "" if row.memory is None else f"{gibibytes(row.memory)} a pod"
    return name, printable(row.workload.name), printable(f"{total} {row.resource}"), memory


def gibibytes(amount: Decimal) -> str:
    """An amount of bytes in GiB, as cards are sold."""
    return f"{amount / 2**30:.1f}".removesuffix(".0") + "Gi"
