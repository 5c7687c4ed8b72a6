"""The sums on a cluster's page: what each class of nodes offers, who takes of it, at most and what is left; and the limits
of quotas, queues and autoscalers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal

from ...arguments.quantities import amount_of, byte_quantity
from ...nodes.gpu_nodes import GpuNodes
from ...observed.model import Inputs, KubernetesObject, Path
from ...observed.pods.pod_counts import HPA, SCALED_OBJECT, Count, autoscaler_of, maximum_field, sum_of, whole_number
from ...observed.usage.gpu_usage import shown_name, usage
from ...observed.usage.queues import capacity, cluster_queue, flavor_quotas
from ...observed.usage.quotas import charged, quotas
from ...observed.usage.sums import Sum, most_of, sums
from ...observed.usage.usage_rows import Usage, gibibytes
from ..report_words import place
from .markdown_text import code, table

_HEAD = ("class", "offers", "servers", "queues hand out", "jobs", "at most", "left", "GPU memory")
_LIMITS = ("limit", "place", "allows", "requested", "at most")


def sum_lines(inputs: Inputs, label: Callable[[GpuNodes], str]) -> Iterator[str]:
    """The sum of each class, by its label, and resource; and below the limits that others set."""
    yield from table(_HEAD, (_row(each, label(each.nodes)) for each in sums(inputs)))
    if inputs.nodes:
        yield ""
    if limits := table(_LIMITS, _limits(inputs)):
        yield from (*limits, "")


def _row(each: Sum, label: str) -> tuple[str, ...]:
    offered = "a number not given" if each.offered is None else f"{each.offered}"
    jobs = sum_of(row.total for row in each.jobs)
    return (
        code(label),
        f"{offered} of {code(shown_name(each.nodes, each.resource))}",
        f"{_amount(each.held)}{f', of which {each.preempted} can be preempted' if each.preempted else ''}",
        _amount(each.handed_out) if each.quotas else "none",
        _amount(jobs),
        _known(each.most),
        _left(each.left),
        _memory(each.nodes, each.servers),
    )


def _amount(count: Count) -> str:
    """A number, with what is known of one that is not exact."""
    if count.is_exact:
        return f"{count.least}"
    return f"{count.least} or another number" if count.most is None else f"{count.least} to {count.most}"


def _left(numbers: tuple[int, int] | None) -> str:
    if numbers is None or numbers[0] == numbers[1]:
        return _known(numbers[0] if numbers else None)
    return f"{numbers[0]} to {numbers[1]}"


def _known(number: int | None) -> str:
    return "not known" if number is None else f"{number}"


def _memory(nodes: GpuNodes, rows: tuple[Usage, ...]) -> str:
    """The memory that workloads declare, of the memory of all GPUs of the class."""
    if nodes.memory_per_gpu is None:
        return "not given"
    if nodes.gpus_per_node is None or nodes.count is None:
        return f"{nodes.memory_per_gpu} each"
    whole = amount_of(byte_quantity("memory_per_gpu", nodes.memory_per_gpu)) * nodes.gpus_per_node * nodes.count
    declared = [row.memory * row.pods.least for row in rows if row.memory is not None]
    return f"{gibibytes(sum(declared, Decimal()))} declared of {gibibytes(whole)}" if declared else f"{gibibytes(whole)}, none declared"


def _limits(inputs: Inputs) -> Iterator[tuple[str, ...]]:
    rows = usage(inputs)
    for quota in quotas(inputs):
        yield _limit(quota.about, quota.path, f"{quota.most} of {code(quota.requested)}", sum_of(map(charged, quota.counted)))
    for each in flavor_quotas(inputs):
        most = capacity(each, inputs)
        lent = f", {most} with its cohort" if most is not None and most != each.nominal else ""
        mine = [row for row in rows if row.resource == each.resource and _queue(row, inputs) is each.queue]
        yield _limit(
            each.queue,
            each.path,
            f"{each.nominal} of {code(each.resource)} of flavor {code(each.flavor)}{lent}",
            sum_of(row.total for row in mine),
        )
    for scaler in inputs.of_kind(HPA, SCALED_OBJECT):
        scaled = [
            row for row in rows if isinstance(row.workload.about, KubernetesObject) and autoscaler_of(inputs, row.workload.about) is scaler
        ]
        number = whole_number(scaler.at("spec", maximum_field(scaler)))
        if scaled:
            allows = f"{_known(number)} pods" if number != 1 else "1 pod"
            yield _limit(
                scaler, ("spec", maximum_field(scaler)), allows, sum_of(Count(row.total.least, "scaled", most_of(row)) for row in scaled)
            )


def _queue(row: Usage, inputs: Inputs) -> KubernetesObject | None:
    found = cluster_queue(row.workload, inputs)
    return found[1] if found else None


def _limit(about: KubernetesObject, path: Path, allows: str, asked: Count) -> tuple[str, ...]:
    # A patch or a layer of values in another file may have set the number.
    is_own = (about.file_of(path) or about.file).endswith(about.file)
    where = place(about.file, about.line_of(path) if is_own else about.line_of(()))
    return code(about.label), code(where), allows, _least(asked), _known(asked.most)


def _least(asked: Count) -> str:
    return f"{asked.least}" if asked.is_exact else f"{asked.least} or more"
