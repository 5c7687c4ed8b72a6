"""The cards of nodes: the name in a label or a selector, and whether the nodes of a workload have several."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...upstream.nvidia.card_names import architecture
from ..model import Inputs, NodeConfig, at, is_unknown, known_items, question
from ..placement.selection import selection_of
from ..pods.workloads import Workload, whole_number, workloads
from .node import HOSTNAME
from .node_extensions import drivers
from .offers import offers

PRODUCT = "nvidia.com/gpu.product"
_COUNT = "nvidia.com/gpu.count"
_ABOUT_CARDS = ("gpu", "nvidia", "accelerator", "card")


class Card(NamedTuple):
    """A card: its name, and the place that names it, in words."""

    name: str
    source: str


def named_card(config: NodeConfig, inputs: Inputs) -> Card | None:
    """The card of a node, if the card's architecture is known."""
    for key, value in known_items(config.labels):
        if any(word in key.lower() for word in _ABOUT_CARDS) and _is_card(value):
            return Card(value, f"label {key}")
    selected = selected_card(inputs)
    return selected if selected and _one_kind(inputs) else None


def _is_card(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and architecture(value) is not None


@question
def selected_card(inputs: Inputs) -> Card | None:
    """The only card that workloads select; None if there are several, or if a selector can't be read."""
    cards = {}
    for each in inputs.objects:
        value = at(each.pod_spec, "nodeSelector", PRODUCT)
        if is_unknown(value):
            return None
        if _is_card(value):
            cards[value] = Card(value, f"{PRODUCT} in the nodeSelector of {each.label}")
    return next(iter(cards.values())) if len(cards) == 1 else None


@question
def _one_kind(inputs: Inputs) -> bool:
    """Whether all nodes with NVIDIA's modules have the same modules, so that the card can only be in such a node."""
    return len({tuple(each.name for each in drivers(config)) for config in inputs.node_configs if drivers(config)}) == 1


def hostname(workload: Workload) -> str | None:
    """The hostname that a workload selects, None if it selects no single one."""
    choices = (each.choices for each in selection_of(workload.spec).required if each.key == HOSTNAME)
    return next((next(iter(each)) for each in choices if each and len(each) == 1), None)


@question
def _hosts_with_several(inputs: Inputs) -> frozenset[str]:
    """Hostnames of nodes with several cards: a workload takes several GPUs, or pods are pinned to several cards."""
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
