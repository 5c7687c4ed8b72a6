"""The state of the cards of a node, as nvidia-smi and DCGM print it."""

from __future__ import annotations

from collections.abc import Iterator

from ..observed.model.talos_machine import Seen
from ..upstream.nvidia.card_signs import CARD_SIGNS, CardSign
from .cards.card_fields import Card, card_fault, cards_of
from .cards.card_links import link_remarks
from .cards.card_partitions import mig_remarks
from .cards.card_use import use_remarks
from .fault import Advice, Fault
from .gpu_cluster import GpuCluster
from .gpu_node import GpuNode
from .node_commands import REBOOT


def stopped_cards(node: GpuNode) -> Iterator[Fault]:
    """The faults of cards on which no program can start."""
    return _of_signs(node, stops_programs=True)


def card_remarks(cluster: GpuCluster, node: GpuNode) -> list[Fault]:
    """The faults of cards that run programs: slower, with errors, or with less memory than they have.

    They break no link: what runs on the node goes on.
    """
    cards = cards_of(node)
    found = [
        *_of_signs(node, stops_programs=False),
        *link_remarks(node, cards),
        *mig_remarks(cluster, node, cards),
        *use_remarks(cluster, node, cards),
    ]
    return list({each.cause: each for each in reversed(found)}.values())[::-1]


MINOR_SIGNS = frozenset(
    {
        "gpu-idle",
        "gpu-not-opened",
        "memory-full",
        "mig-layout-partly",
        "mig-layout-pending",
        "nvlink-partly-inactive",
        *(each.name for each in CARD_SIGNS if each.is_minor),
    }
)
"""The signs of many cards that are in order. The alerts about the same are off by default."""


OF_THE_MOMENT = frozenset({"gpu-idle", "gpu-not-opened", "memory-full"})
"""The remarks about the use of cards, which change with each reading."""


def _of_signs(node: GpuNode, *, stops_programs: bool) -> Iterator[Fault]:
    """The signs in their order, each once for all cards that show it."""
    cards = cards_of(node)
    for sign in CARD_SIGNS:
        lines = [seen for card in cards.values() for seen in _bad(sign, card)] if sign.stops_programs is stops_programs else []
        if lines:
            worst = max(lines, key=lambda each: int(each.value) if each.value.isdecimal() else 0)
            yield card_fault(
                sign.name, sign.cause.format(value=worst.value, line=worst.evidence.text), [worst], sign.consequence, sign.source,
                REBOOT if sign.action == "reboot" else Advice(sign.action),
            )  # fmt: skip


def _bad(sign: CardSign, card: Card) -> Iterator[Seen]:
    return (seen for field, seen in card.items() if sign.matches(field, seen.value))
