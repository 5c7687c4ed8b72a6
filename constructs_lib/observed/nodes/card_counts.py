"""Cards per node: whether the nodes of a workload are known to have several."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..model import Inputs, question
from ..placement.selection import selection_of
from ..pods.workloads import Workload, whole_number, workloads
from .node import HOSTNAME
from .offers import offers

_COUNT = "nvidia.com/gpu.count"


def hostname(workload: Workload) -> str | None:
    """The hostname that a workload selects, None if it selects no single one."""
    choices = (each.choices for each in selection_of(workload.spec).required if each.key == HOSTNAME)
    return next((next(iter(each)) for each in choices if each and len(each) == 1), None)


@question
def _hosts_with_several(inputs: Inputs) -> frozenset[str]:
    """Hostnames of nodes with several cards: a workload there takes several whole GPUs, or pods are pinned to several cards."""
    cards: dict[str, set[str]] = {}
    shared = any(each.shared for each in offers(inputs) or ())
    hosts: set[str] = set()
    for workload in workloads(inputs):
        host = hostname(workload)
        if host is None:
            continue
        if not shared and any((number or 0) > 1 for number in workload.gpus.values()):
            hosts.add(host)
        cards.setdefault(host, set()).update(_pinned(workload))
    return frozenset(hosts | {host for host, uuids in cards.items() if len(uuids) > 1})


def _pinned(workload: Workload) -> Iterator[str]:
    for container in workload.containers:
        yield from re.findall(r"GPU-[0-9A-Za-z-]+", container.visible_devices)


def have_one_card(inputs: Inputs) -> bool:
    """Whether every GPU node is described, and has one card."""
    return bool(inputs.nodes) and all(nodes.gpus_per_node == 1 for nodes in inputs.nodes)


def has_several_cards(inputs: Inputs, workload: Workload) -> bool:
    """Whether the nodes of a workload are known to have several cards."""
    counts = [whole_number(value) for each in selection_of(workload.spec).required if each.key == _COUNT for value in each.choices or ()]
    if any((count or 0) > 1 for count in counts):
        return True
    described = [nodes.gpus_per_node for nodes in inputs.nodes if nodes.passthrough is None]
    if described and all((count or 0) > 1 for count in described):
        return True
    host = hostname(workload)
    return host is not None and host in _hosts_with_several(inputs)
