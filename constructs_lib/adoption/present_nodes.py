"""The GPU nodes that a live cluster has now: a class for each kind of node, with its names, its addresses and its image."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..arguments.errors import Argument, Phrase, warn, wrong
from ..clusters.description import Stack
from ..doctor.gpu_cluster import GpuCluster
from ..doctor.gpu_node import GpuNode
from ..observed.model import KubernetesObject, known_items, known_str
from ..observed.model.live_object import internal_address, parsed
from ..observed.nodes.node import live_node
from ..observed.nodes.node_labels import SET_BY_PEOPLE
from ..observed.nodes.offers import card_name, live_offer
from ..upstream.charts.nfd_chart import FEATURE_PREFIX
from ..upstream.nvidia.agent_programs import AgentKind
from ..upstream.nvidia.gpu_resources import GPU_RESOURCE, MIG_RESOURCE, SHARED_SUFFIX
from ..upstream.nvidia.plugin_words import MigStrategy
from ..upstream.nvidia.written_cards import usual_name
from ..upstream.talos.extension_names import LABEL_PREFIX
from .node_classes import ABOUT_GPUS, common_items, sharing_of
from .present_image import PresentImage, image_of_nodes

_BY_OTHERS = (LABEL_PREFIX, "nvidia.com/", FEATURE_PREFIX, "node.kubernetes.io/", "node-role.kubernetes.io/")
_CARDS, _EXTENSIONS = "gpus_per_node", "extensions"
_OF_A_KIND = ("talos_version", "product", "taints", "sharing", "mig_strategy", _EXTENSIONS)
"""The values in which the nodes of a class agree."""
_HINT = f"no node has a label {LABEL_PREFIX}nvidia-… of Talos, the resource {GPU_RESOURCE} or a card that talosctl shows"


@dataclass(frozen=True, kw_only=True)
class PresentClass:
    """A class of nodes that a source has now."""

    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The arguments of `GpuNodes`, as a cluster file writes them."""
    image: PresentImage | None = None
    addresses: Mapping[str, str] = field(default_factory=dict)
    """The addresses of the nodes by their names; an empty one was not read."""
    cards: Sequence[str] = ()
    """The cards of each machine, where they are of several kinds: a class has no card then."""
    without_card: Sequence[str] = ()
    """The sentences that are true where no answer names the card."""


@dataclass(kw_only=True)
class Present:
    """What a source states about a cluster."""

    classes: list[PresentClass] = field(default_factory=lambda: [PresentClass()])
    notes: list[str] = field(default_factory=list)
    """A sentence for each part that was not read, or is not taken over."""
    stack: str | None = None
    gitops: str | None = None

    def states(self, argument: str) -> bool:
        """Whether the source answers a question: every class has the argument."""
        own = {"stack": self.stack, "gitops": self.gitops}
        return own.get(argument) is not None or all(argument in each.arguments for each in self.classes)


def present_live(machines: Sequence[GpuNode], others: Sequence[KubernetesObject] = ()) -> Present:
    """The classes of the GPU nodes of a cluster, by their Node objects and by what talosctl said about their machines. `others` are
    the Node objects without GPUs."""
    if not machines:
        raise wrong("from", "a source with GPU nodes", "nodes without GPUs", _HINT)
    classes = [_class(kind, others) for kind in _kinds(machines)]
    return Present(classes=classes if len(classes) == 1 else [*_named(classes)])


def present_cluster(cluster: GpuCluster) -> Present:
    """The classes of the GPU nodes of a running cluster, and the component that serves their cards."""
    if not cluster.nodes:
        raise wrong("live", "given for a cluster with GPU nodes", "nodes without GPUs", _HINT)
    others = [each.node for each in cluster.all_nodes if each.node is not None and each not in cluster.nodes]
    present = present_live(cluster.nodes, others)
    present.notes = [*map(_read, cluster.nodes)]
    kinds = {AgentKind.OPERATOR: Stack.OPERATOR, AgentKind.PLUGIN: Stack.STANDALONE}
    now = next(((agent, stack) for kind, stack in kinds.items() for agent in cluster.of_agent(kind)), None)
    if now is not None:
        present.stack = str(now[1])
        present.notes.append(replaced(now[0].title, now[1]))
    return present


def replaced(served_by: str, stack: Stack) -> str:
    """The sentence about the component that the file describes again."""
    return (
        f"{served_by} serves the cards now, so the file has stack: {stack}, which takes its place: remove it where you apply the new manifests. "
        "talos-gpu adopt, for a repository, also takes over its values and the GPU workloads"
    )


def _read(machine: GpuNode) -> str:
    """What was read of a node, in a line."""
    row, node = _of_devices(machine), machine.node
    kubelet = known_str(node.at("status", "nodeInfo", "kubeletVersion")) if node else None
    parts = (
        f"Talos {machine.talos_version.value}" if machine.talos_version else "",
        f"Kubernetes {kubelet.removeprefix('v')}" if kubelet else "",
        _address(machine),
        f"{row[_CARDS]} x {row.get('product', 'card')}" if _CARDS in row else "cards not read",
        "extensions not read" if machine.extensions is None else f"{len(machine.extensions)} extensions",
    )
    return f"{machine.name}: {', '.join(filter(None, parts))}"


_Row = dict[str, Any]


def _kinds(machines: Sequence[GpuNode]) -> list[list[tuple[GpuNode, _Row]]]:
    """The nodes by kind, each with its row. A value that a node does not state differs from none."""
    kinds: list[list[tuple[GpuNode, _Row]]] = []
    for machine in machines:
        row = _row(machine)
        kind = next((kind for kind in kinds if all(_agree(row, other) for _, other in kind)), None)
        if kind is None:
            kinds.append(kind := [])
        kind.append((machine, row))
    return kinds


def _agree(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one[name] == other[name] for name in _OF_A_KIND if name in one and name in other)


def _class(kind: Sequence[tuple[GpuNode, _Row]], others: Sequence[KubernetesObject]) -> PresentClass:
    """The values that all nodes of a kind state. A number of cards that differs is left out with a warning."""
    machines, rows = [machine for machine, _ in kind], [row for _, row in kind]
    cards = {machine.name: row[_CARDS] for machine, row in kind if _CARDS in row}
    if len(set(cards.values())) > 1:
        told = ", ".join(f"{name}: {number}" for name, number in cards.items())
        warn(Phrase("the nodes differ in ", Argument(_CARDS), f" ({told}), so none is taken from them"))
    stated = {name: value for name, value in common_items(rows).items() if value and name != _EXTENSIONS}
    nodes = [each.node for each in machines if each.node is not None]
    return PresentClass(
        arguments={**stated, "count": len(machines), **(_live_labels(nodes, others) if nodes else {})},
        image=image_of_nodes(machines),
        addresses={each.name: _address(each) for each in machines},
        cards=next((each for each in (_cards(machine) for machine in machines) if len(set(each)) > 1), ()),
    )


def _address(machine: GpuNode) -> str:
    if machine.node is not None:
        return internal_address(machine.node)
    return next(filter(None, map(parsed, sorted(machine.machine.names if machine.machine else ()))), "")


def _named(classes: Iterable[PresentClass]) -> Iterable[PresentClass]:
    """The classes of several kinds, each named by its first node."""
    for each in classes:
        yield replace(each, arguments={**each.arguments, "name": file_key(next(iter(each.addresses)))})


def file_key(name: str) -> str:
    """The name of a node, or of a card, as a key of `nodes` in a cluster file."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower())[:36].strip("-")


def _row(machine: GpuNode) -> _Row:
    """The arguments of a class of nodes that a node and its machine state, and the extensions of NVIDIA."""
    row, node = _of_devices(machine), machine.node
    if (seen := machine.talos_version) and re.fullmatch(r"\d+\.\d+\.\d+(?:-\w+\.\d+)?", seen.value):
        row["talos_version"] = seen.value
    if extensions := sorted(each for each in machine.extensions or () if "nvidia" in each):
        row[_EXTENSIONS] = extensions
    if node is None:
        return row
    if (product := known_str(node.labels.get(f"{GPU_RESOURCE}.product"))) and len(set(_cards(machine))) <= 1:
        row["product"] = card_name(product)
    row |= _division(node)
    is_whole = row.get("mig_strategy") != MigStrategy.SINGLE  # else the label counts partitions
    if (count := known_str(node.labels.get(f"{GPU_RESOURCE}.count"))) and count.isdigit() and is_whole:
        row[_CARDS] = int(count)
    row["taints"] = sorted(str(each) for each in live_node(node.body).taints if each.stays)
    return row


def _cards(machine: GpuNode) -> list[str]:
    return [usual_name(each) for each in machine.products]


def _of_devices(machine: GpuNode) -> dict[str, Any]:
    """The card, and the number of cards, by the PCI devices of a machine: also one without a driver shows them."""
    names = set(_cards(machine))
    return {**({"product": names.pop()} if len(names) == 1 else {}), **({_CARDS: len(machine.cards)} if machine.cards else {})}


def _division(node: KubernetesObject) -> dict[str, Any]:
    """The sharing and the MIG strategy of a node. A warning names a part that its labels do not tell."""
    offer, row = live_offer(live_node(node.body)), dict[str, Any]()
    strategy = known_str(node.labels.get("nvidia.com/mig.strategy")) or ""
    partitions = any(each.startswith(MIG_RESOURCE) for each in offer.names)
    if partitions or strategy in (MigStrategy.SINGLE, MigStrategy.MIXED):
        row["mig_strategy"] = str(MigStrategy.MIXED) if partitions else strategy
        made = "the tool that makes them stays, or 'mig_devices' of the class says them"
        warn(f"{node.name}: the partitions of MIG are not taken over: {made}")
    if offer.shared:
        is_renamed = any(each.endswith(SHARED_SUFFIX) for each in offer.names)
        sharing = sharing_of(f"{GPU_RESOURCE}{SHARED_SUFFIX if is_renamed else ''}", next(iter(offer.shared.values())))
        row |= {"sharing": sharing} if sharing else {}
        if not sharing:
            unknown = "no label says by how many pods; the file has whole GPUs, unless --sharing says the number"
            warn(f"{node.name}: its GPUs are shared, and {unknown}")
    return row


def _live_labels(nodes: Sequence[KubernetesObject], others: Sequence[KubernetesObject]) -> dict[str, Any]:
    """The labels about GPUs that all nodes have: `labels`, by which pods select them, unless another node has such a
    label too."""
    every = [dict(known_items(each.labels)) for each in nodes]
    common = {key: value for key, value in common_items(every).items() if isinstance(value, str)}
    own = {key: value for key, value in common.items() if _is_own(key)}
    elsewhere = {key for key, value in own.items() if any(dict(known_items(each.labels)).get(key) == value for each in others)}
    lost = {key for each in every for key in each if key.startswith(SET_BY_PEOPLE) or (_is_own(key) and key not in common)}
    if lost:
        warn(f"labels of the nodes that the file does not have: {', '.join(sorted(lost))}")
    parts = {"labels": own.keys() - elsewhere, "extra_labels": elsewhere}
    return {name: {key: own[key] for key in sorted(keys)} for name, keys in parts.items() if keys}


def _is_own(key: str) -> bool:
    """Whether a label about GPUs is one that people set."""
    return bool(ABOUT_GPUS.search(key)) and not key.startswith(_BY_OTHERS)
