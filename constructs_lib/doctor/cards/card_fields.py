"""The fields of a node's cards, as nvidia-smi and DCGM print them, and the faults about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...arguments.commands import Command
from ...arguments.patterns import pattern
from ...observed.model.talos_machine import Seen
from ...observed.nodes.cards import PRODUCT
from ..fault import Fault, Fix
from ..gpu_node import GpuNode
from ..node_commands import SMI

_KEY = pattern(r"(?P<card>GPU \d+(?: MIG \d+)?): (?P<field>.*)$")
_NUMBER = pattern(r"\d+")
SMI_PAGE = "https://docs.nvidia.com/deploy/nvidia-smi/"

Card = Mapping[str, Seen]
"""The fields of a card by their paths in lower case."""
Cards = Mapping[str, Card]
"""The cards by their names, `GPU 0`; MIG instances that have fields of their own, `GPU 0 MIG 7`; the fields of no card by
the empty name."""


def cards_of(node: GpuNode) -> Cards:
    """The fields of each card of a node."""
    cards: dict[str, dict[str, Seen]] = {}
    for key, seen in (node.machine.smi if node.machine and node.machine.smi else {}).items():
        found = _KEY.match(key)
        card, field = (found["card"], found["field"]) if found else ("", key)
        evidence = replace(seen.evidence, source=f"{seen.evidence.source}, {card}") if card else seen.evidence
        cards.setdefault(card, {})[field.lower()] = Seen(value=seen.value, evidence=evidence)
    return cards


def whole_cards(cards: Cards) -> Cards:
    """The cards without their MIG instances."""
    return {name: card for name, card in cards.items() if name and "MIG" not in name}


def first(card: Card, *fields: str) -> Seen | None:
    """The first of the fields that the card has."""
    return next((card[each] for each in fields if each in card), None)


def number(seen: Seen | None) -> int | None:
    """The whole number at the start of a value."""
    found = _NUMBER.match(seen.value) if seen else None
    return int(found[0]) if found else None


def mig_mode(card: Card) -> Seen | None:
    """The MIG mode in force."""
    return first(card, "mig mode current", "mig mode current mig")


def product_of(node: GpuNode, card: Card) -> str:
    """The name of a card; empty if none was read."""
    name = first(card, "product name")
    return name.value if name else f"{node.node.labels.get(PRODUCT, '')}" if node.node else ""


def card_fault(name: str, cause: str, lines: Sequence[Seen], consequence: str, source: str, fix: Fix, verify: Command = SMI) -> Fault:
    """A fault of the hardware."""
    return Fault(
        name=name, cause=cause, evidence=tuple(each.evidence for each in lines), consequence=consequence, fix=fix, verify=verify,
        source=source, is_hardware=True,
    )  # fmt: skip
