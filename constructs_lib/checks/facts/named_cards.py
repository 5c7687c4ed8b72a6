"""Which card a node has, where somebody named it: in a label of the node, or in a selector of the only GPU nodes that there are."""

from __future__ import annotations

from typing import NamedTuple

from ...upstream.card_names import architecture
from ..model import Inputs, NodeConfig, at, is_unknown, known_items, question
from .node_extensions import drivers

PRODUCT = "nvidia.com/gpu.product"
_ABOUT_CARDS = ("gpu", "nvidia", "accelerator", "card")


class Card(NamedTuple):
    """A card by its name, and where it was named."""

    name: str
    said: str


def named_card(config: NodeConfig, inputs: Inputs) -> Card | None:
    """The card of a node whose name is that of a known architecture."""
    for key, value in known_items(config.labels):
        if any(word in key.lower() for word in _ABOUT_CARDS) and _is_card(value):
            return Card(value, f"label {key}")
    selected = _selected(inputs)
    return selected if selected and _one_kind(inputs) else None


def _is_card(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and architecture(value) is not None


@question
def _selected(inputs: Inputs) -> Card | None:
    """The one card that workloads select; none where one may select another that can't be read."""
    found = {}
    for each in inputs.objects:
        value = at(each.pod_spec, "nodeSelector", PRODUCT)
        if is_unknown(value):
            return None
        if _is_card(value):
            found[value] = Card(value, f"{PRODUCT} in the nodeSelector of {each.label}")
    return next(iter(found.values())) if len(found) == 1 else None


@question
def _one_kind(inputs: Inputs) -> bool:
    """Whether all nodes with NVIDIA's modules have the same ones, so that a card can't be of others."""
    return len({tuple(each.name for each in drivers(config)) for config in inputs.node_configs if drivers(config)}) == 1
