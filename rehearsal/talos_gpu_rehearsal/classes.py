"""The nodes of a rehearsal: one for each class, with mock cards of the described kind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from constructs_lib.arguments.quantities import amount_of
from constructs_lib.nodes.gpu_nodes import GpuNodes
from constructs_lib.nodes.mig import layouts_of
from constructs_lib.talos.config.machine_config import MachineConfigPatch
from constructs_lib.upstream.nvidia.gpu_resources import MIG_CARDS, PRESENT_LABEL
from constructs_lib.upstream.talos.extension_names import LABEL_PREFIX, TOOLKIT

from .manifests import Manifest
from .subject import Subject

_ANY_CARD, _ANY_MEMORY = "RTX 4090", 24
"""The card of a class that names none, and its memory in GiB."""
_ANY_MIG_CARD, _ANY_MIG_MEMORY = "A100", 40


@dataclass(frozen=True)
class RehearsedNode:
    """A node that stands for a class."""

    name: str
    nodes: GpuNodes
    talos: str
    """The release of Talos."""
    product: str
    memory_mib: int
    """The memory of each card."""
    layouts: tuple[Mapping[str, int], ...]
    """The MIG partitions of each card; empty for a whole card."""
    machine_config: tuple[Manifest, ...]
    labels: Mapping[str, str]
    """The labels that a program sets which does not run here: Talos for its extensions, the operator, discovery."""
    assumed: tuple[str, ...] = ()
    """What the class does not say, and the rehearsal has chosen."""

    @property
    def cards(self) -> str:
        """The cards in words, such as `2 x RTX 4090 (24 GiB)`."""
        size = f"{self.memory_mib // 1024} GiB"
        partitions = next((each for each in self.layouts if each), {})
        parts = f", MIG {' '.join(f'{number} x {profile}' for profile, number in partitions.items())}" if partitions else ""
        return f"{len(self.layouts)} x {self.product} ({size}{parts})"


def rehearsed_nodes(subject: Subject) -> list[RehearsedNode]:
    """A node for each class. Classes whose cards belong to virtual machines have none, as no container sees the cards."""
    return [_node(each, subject) for each in subject.classes if each.passthrough is None]


def _node(nodes: GpuNodes, subject: Subject) -> RehearsedNode:
    config = subject.machine_configs.get(nodes.name)
    if config is None:
        config = tuple(MachineConfigPatch(nodes=nodes, operator=subject.with_operator).documents)
    product, memory, assumed = _card(nodes)
    layouts = layouts_of(nodes.mig_devices)
    number = nodes.gpus_per_node or max(len(layouts), 1)
    if nodes.gpus_per_node is None and len(layouts) < 2:  # noqa: PLR2004  # a list says how many cards there are
        assumed.append("the class says no number of cards: one")
    each = layouts if len(layouts) > 1 else tuple(layouts or ({},)) * number
    talos = str(nodes.talos_version) if nodes.talos_version.patch is not None else nodes.talos_version.release.newest
    return RehearsedNode(
        _name(nodes), nodes, talos.removeprefix("v"), product, memory * 1024, each, config, _labels(nodes, subject), tuple(assumed)
    )


def _name(nodes: GpuNodes) -> str:
    return f"{nodes.name or 'gpu'}-1"


def _card(nodes: GpuNodes) -> tuple[str, int, list[str]]:
    """The card of a class, its memory in GiB, and what was chosen."""
    given = None if nodes.memory_per_gpu is None else round(amount_of(nodes.memory_per_gpu) / 2**30)
    if nodes.product is not None:
        sizes = _sizes(nodes.product)
        if given is not None:
            return nodes.product, given, []
        chosen = min(sizes) if sizes else _ANY_MEMORY
        return nodes.product, chosen, [f"the memory of the card is not known: {chosen} GiB"]
    if nodes.mig_profiles:
        return _mig_card(layouts_of(nodes.mig_devices), given)
    memory = given or _ANY_MEMORY
    return _ANY_CARD, memory, [f"the class names no card: {_ANY_CARD} with {memory} GiB"]


def _sizes(product: str) -> Sequence[int]:
    name = product.upper()
    return next((list(rows) for card, rows in MIG_CARDS.items() if re.search(rf"\b{card}\b", name)), [])


def _mig_card(layouts: Sequence[Mapping[str, int]], given: int | None) -> tuple[str, int, list[str]]:
    """The first card that holds all partitions."""
    for card, rows in MIG_CARDS.items():
        for memory, known in rows.items():
            fits = all(known.get(profile, 0) >= number for layout in layouts for profile, number in layout.items())
            if fits and given in (None, memory):
                name = card.replace("[18]", "1")
                return name, memory, [f"the class names no card: {name} with {memory} GiB, which holds the partitions"]
    memory = given or _ANY_MIG_MEMORY
    return _ANY_MIG_CARD, memory, [f"no known card holds the partitions: {_ANY_MIG_CARD} with {memory} GiB"]


def _labels(nodes: GpuNodes, subject: Subject) -> dict[str, str]:
    """The labels of a node whose setter does not run here, as far as pods of the class select nodes by them."""
    toolkit = {f"{LABEL_PREFIX}{TOOLKIT}-{nodes.track}": nodes.talos_version.release.toolkit}
    present = {PRESENT_LABEL: "true"} if subject.with_operator and PRESENT_LABEL in nodes.node_labels else {}
    return {**toolkit, **present}
