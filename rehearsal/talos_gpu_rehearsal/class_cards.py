"""The mock card that stands for the card of a class."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from constructs_lib.arguments.quantities import amount_of
from constructs_lib.nodes.gpu_nodes import GpuNodes
from constructs_lib.nodes.mig import layouts_of
from constructs_lib.upstream.nvidia.card_names import architecture, plain_name

from .cards import PRESETS, RTX_4090, Card
from .mig_profiles import place

Layout = Mapping[str, int]
_SHOWN = 0.96
"""The part of a card's nominal memory that the driver shows: an RTX 4090 with 24 GiB has 24564 MiB, an H100 with 80 GiB
81559 MiB."""
_NEAR = 0.1
"""The difference in memory up to which a preset is the card of a class."""


def class_cards(nodes: GpuNodes) -> tuple[tuple[Card, ...], list[str]]:
    """The cards of a node of a class, and a sentence about each thing that the class does not say."""
    layouts = layouts_of(nodes.mig_devices)
    card, chosen = _card(nodes, layouts)
    several = len(layouts) > 1
    number = len(layouts) if several else nodes.gpus_per_node or 1
    if not several and nodes.gpus_per_node is None:
        chosen.append("the class says no number of cards: one")
    every = layouts if several else (layouts or ({},)) * number
    return tuple(replace(card, mig=_instances(each) if layouts else None) for each in every), chosen


def in_words(cards: Sequence[Card]) -> str:
    """The cards in words, such as `2 x NVIDIA A100-SXM4-40GB (MIG 1g.5gb x 7)`."""
    numbers: dict[str, int] = {}
    for each in cards:
        parts = ", ".join(f"{name} x {each.mig.count(name)}" for name in dict.fromkeys(each.mig)) if each.mig else ""
        name = f"{each.name} ({each.memory_mib} MiB{f', MIG {parts}' if parts else ''})"
        numbers[name] = numbers.get(name, 0) + 1
    return ", ".join(f"{number} x {name}" for name, number in numbers.items())


def _instances(layout: Layout) -> tuple[str, ...] | None:
    """The profiles of the instances on a card; None for a whole card, on which MIG is off."""
    return tuple(profile for profile, number in layout.items() for _ in range(number)) or None


def _card(nodes: GpuNodes, layouts: Sequence[Layout]) -> tuple[Card, list[str]]:
    memory = None if nodes.memory_per_gpu is None else int(amount_of(nodes.memory_per_gpu)) // 2**20
    known = [each for each in PRESETS if _holds(each, layouts)]
    if nodes.product is None:
        near = [each for each in known if memory is None or _is_near(each, memory)]
        card = near[0] if near else replace(known[0] if known else RTX_4090, memory_mib=int((memory or 0) * _SHOWN))
        return card, [f"the class names no card: {card.name} with {card.memory_mib} MiB"]
    same = [each for each in known if _words(nodes.product) <= _words(each.name)]
    if found := next((each for each in same if memory is None or _is_near(each, memory)), None):
        return found, []
    kind = architecture(nodes.product)
    base = next((each for each in known if architecture(each.name) is kind), known[0] if known else RTX_4090)
    name = nodes.product if "NVIDIA" in nodes.product.upper() else f"NVIDIA {nodes.product}"
    card = replace(base, name=name, memory_mib=base.memory_mib if memory is None else int(memory * _SHOWN))
    return card, [f"what is not known of {nodes.product} is that of {base.name}"]


_FORM = re.compile(r"RTX|TESLA|GPU|PCIE|NVL|HBM\d\w*|SXM\d?|\d+ ?GB")
"""The words of a card's name that several models have."""


def _words(product: str) -> set[str]:
    """The words of a name that tell the model: those of `H100 80GB HBM3` and of `H100 SXM5` are the same."""
    return {each for each in plain_name(product).split() if not _FORM.fullmatch(each)}


def _holds(card: Card, layouts: Sequence[Layout]) -> bool:
    """Whether the partitions of all layouts have room on a card."""
    try:
        for each in layouts:
            place(card.profiles, _instances(each) or ())
    except ValueError:
        return False
    return True


def _is_near(card: Card, memory: int) -> bool:
    return abs(card.memory_mib - memory) <= _NEAR * memory
