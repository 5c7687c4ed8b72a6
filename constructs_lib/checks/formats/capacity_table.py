"""The capacity of the nodes and the requests of the workloads: a table for people, and the same as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...arguments.printable import printable
from ...nodes.gpu_nodes import GpuNodes
from ...observed.model import Inputs
from ...observed.usage.gpu_usage import Gap, Kind, offered, shown_name, usage, usage_gaps
from ...observed.usage.usage_rows import Usage, gibibytes, name_of

# A line of a report names so many workloads. The JSON has all.
_NAMED = 10


def capacity_text(inputs: Inputs) -> str:
    """Each class with the amounts that it offers and the requests of the workloads, and below what is not counted, and
    why."""
    rows = usage(inputs)
    lines: list[tuple[str, str, str, str]] = [("CLASS", "WORKLOAD", "GPUS", "MEMORY")]
    for each in inputs.nodes:
        memory = f"{each.memory_per_gpu} a GPU" if each.memory_per_gpu else ""
        for resource, has in offers_of(each, rows):
            lines.append((name_of(each), "(offers)", f"{'?' if has is None else has} {shown_name(each, resource)}", memory))
        lines += [_line(name_of(each), row) for row in rows if each in row.nodes]
    lines += [_line("-", row) for row in rows if not row.nodes]
    widths = [max(len(line[column]) for line in lines) for column in range(3)]
    table = ["  ".join((*(cell.ljust(width) for cell, width in zip(line, widths, strict=False)), line[3])).rstrip() for line in lines]
    return "\n".join([*table, *gap_lines(usage_gaps(inputs))]) + "\n"


def offers_of(nodes: GpuNodes, rows: Sequence[Usage]) -> Iterator[tuple[str, int | None]]:
    """The resources that the nodes of a class have or are asked for, each with the amount that they offer."""
    for resource in dict.fromkeys([nodes.resource_name, *(row.resource for row in rows if row.resource and nodes in row.nodes)]):
        yield resource, offered(nodes, resource)


def _line(name: str, row: Usage) -> tuple[str, str, str, str]:
    memory = "" if row.memory is None else f"{gibibytes(row.memory)} a pod"
    return name, printable(row.name), printable(f"{row.total} {row.requested}"), memory


def gap_lines(gaps: Sequence[Gap]) -> Iterator[str]:
    """A line for each reason why workloads are not counted completely."""
    groups: dict[tuple[Kind, str], list[str]] = {}
    for gap in gaps:
        groups.setdefault((gap.kind, gap.reason), []).append(gap.name)
    for (kind, reason), names in groups.items():
        more = [f"and {len(names) - _NAMED} more"] if len(names) > _NAMED else []
        yield printable(f"{kind.value}: {', '.join([*names[:_NAMED], *more])}, because {reason}")


def capacity_json(inputs: Inputs) -> dict[str, Any]:
    """The table and the gaps for programs. An amount that is not known is null; `minimum` is its known minimum."""
    rows = usage(inputs)
    classes = [
        {
            "name": name_of(each),
            "offers": [{"resource": shown_name(each, resource), "amount": has} for resource, has in offers_of(each, rows)],
            "memory_per_gpu": each.memory_per_gpu,
        }
        for each in inputs.nodes
    ]
    return {
        "classes": classes,
        "requests": [_request(row) for row in rows],
        "gaps": [{"kind": gap.kind.value, "workload": gap.name, "reason": gap.reason} for gap in usage_gaps(inputs)],
    }


def _request(row: Usage) -> dict[str, Any]:
    total = row.total
    return {
        "workload": row.name,
        "classes": [name_of(each) for each in row.nodes],
        "resource": row.requested,
        "amount": total.least if total.is_exact else None,
        "minimum": total.least,
        "memory_bytes_per_pod": None if row.memory is None else int(row.memory),
        "may_wait": row.passes,
    }
