"""Placement of GPU usage: the nodes of the described classes, and the pods of the workloads that compete for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..placement.node_packing import Node, Pods
from .gpu_usage import advertised
from .usage_rows import Usage

if TYPE_CHECKING:  # a check of files without described nodes loads no GpuNodes
    from ...nodes.gpu_nodes import GpuNodes

_MOST_NODES = 1000
"""The nodes of a class that are placed one by one."""


def most_for_one_pod(row: Usage, nodes: GpuNodes) -> int | None:
    """The largest amount that a pod of the row gets on one node: a claim takes its devices from different GPUs, also
    where claims share a GPU."""
    amount = advertised(nodes, row.resource)
    return amount if amount is None or row.devices <= amount // _shares(nodes) else amount // _shares(nodes)


def largest_for_one_pod(row: Usage) -> int | None:
    """The largest amount that a pod of the row gets on one node of any class; None if an amount is not known."""
    most = [most_for_one_pod(row, nodes) for nodes in row.nodes]
    return None if not most or None in most else max(each or 0 for each in most)


def fits_on_a_node(row: Usage) -> bool:
    """Whether one pod of the row fits on an empty node, as far as the amounts are known."""
    largest = largest_for_one_pod(row)
    return largest is None or row.gpus is None or row.gpus <= largest


def competing(rows: Sequence[Usage]) -> list[list[Usage]]:
    """The rows in groups without a common class of nodes. Groups with an unknown number of nodes or GPUs are left
    out."""
    groups: list[list[Usage]] = []
    for row in rows:
        joined = [group for group in groups if any(each in other.nodes for other in group for each in row.nodes)]
        groups = [group for group in groups if group not in joined]
        groups.append([row, *(each for group in joined for each in group)])
    return [[row for row in rows if row in group] for group in groups if all(_is_known(row) for row in group)]


def _is_known(row: Usage) -> bool:
    # A request for several shares of one GPU needs them on the same GPU. The search knows no such pods.
    counted = all(each.count is not None and each.count <= _MOST_NODES for each in row.nodes)
    return counted and row.gpus == row.devices and largest_for_one_pod(row) is not None


def nodes_of(rows: Sequence[Usage], classes: Sequence[GpuNodes]) -> list[Node]:
    """The empty nodes for which the rows compete."""
    return list(_nodes(rows, classes))


def _nodes(rows: Sequence[Usage], classes: Sequence[GpuNodes]) -> Iterator[Node]:
    for each in dict.fromkeys(nodes for row in rows for nodes in row.nodes):
        amount, shares = advertised(each, rows[0].resource) or 0, _shares(each)
        for _ in range(each.count or 0):
            yield Node(node_class=classes.index(each), gpus=amount // shares, shares=shares, free=amount)


def pods_of(row: Usage, classes: Sequence[GpuNodes]) -> Pods:
    """The pods of a row that surely exist."""
    daemons = row.workload.kind == "DaemonSet" and not row.shared
    return Pods(
        gpus=row.gpus or 0,
        number=row.pods.least,
        classes=frozenset(classes.index(each) for each in row.nodes),
        on_each_node=daemons,
    )


def _shares(nodes: GpuNodes) -> int:
    """The claims that one GPU serves."""
    return 1 if nodes.dra is None else nodes.dra.claims_per_gpu or 1
