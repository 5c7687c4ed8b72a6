"""The card of a node, if a label of the node names it, or a selector of workloads in a cluster with one kind of GPU node."""

from __future__ import annotations

from typing import NamedTuple

from ...upstream.nvidia.card_names import architecture
from ..model import Inputs, NodeConfig, at, is_unknown, known_items, question
from .node_extensions import drivers

PRODUCT = "nvidia.com/gpu.product"
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
