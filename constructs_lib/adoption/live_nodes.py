"""The class of GPU nodes in a repository, or in the nodes of a live cluster.

How their GPUs are divided, and the labels that people gave them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..arguments.commands import command
from ..arguments.errors import Argument, Phrase, warn, wrong
from ..observed.model import Inputs, KubernetesObject, known_items, known_str
from ..observed.nodes.node import live_node
from ..observed.nodes.node_labels import SET_BY_PEOPLE
from ..observed.nodes.offers import MPS, card_name, live_offer
from ..upstream.charts.nfd_chart import FEATURE_PREFIX
from ..upstream.nvidia.gpu_resources import GPU_RESOURCE, MIG_RESOURCE, SHARED_SUFFIX
from ..upstream.nvidia.plugin_words import MigStrategy
from ..upstream.talos.extension_names import LABEL_PREFIX
from .node_classes import ABOUT_GPUS, common_class, node_classes

_BY_OTHERS = (LABEL_PREFIX, "nvidia.com/", FEATURE_PREFIX, "node.kubernetes.io/", "node-role.kubernetes.io/")


def live_division(node: KubernetesObject) -> dict[str, Any]:
    """The sharing and the MIG strategy of a node. A warning names a part that its labels do not tell."""
    offer = live_offer(live_node(node.body))
    row: dict[str, Any] = {}
    strategy = known_str(node.labels.get("nvidia.com/mig.strategy")) or ""
    partitions = any(each.startswith(MIG_RESOURCE) for each in offer.names)
    if partitions or strategy in (MigStrategy.SINGLE, MigStrategy.MIXED):
        row["mig_strategy"] = str(MigStrategy.MIXED) if partitions else strategy
        warn(
            f"{node.name}: the partitions of MIG are not taken over: the tool that makes them stays, or 'mig_devices' of the class says them"
        )
    shared = next(iter(offer.shared.values()), None)
    if shared is not None and shared.replicas:
        is_renamed = any(each.endswith(SHARED_SUFFIX) for each in offer.names)
        renamed = {"rename_by_default": True} if is_renamed else {}
        row["sharing"] = {"mps" if shared.strategy == MPS else "time_slicing": {"replicas": shared.replicas, **renamed}}
    elif shared is not None:
        warn(
            f"{node.name}: its GPUs are shared, and no label says by how many pods; the file has whole GPUs, unless --sharing says the number"
        )
    return row


def live_labels(nodes: list[KubernetesObject], others: list[KubernetesObject]) -> dict[str, Any]:
    """The labels about GPUs that all nodes have: `labels`, by which pods select them, unless another node has such a
    label too."""
    every = [dict(known_items(each.labels)) for each in nodes]
    common = {key: value for key, value in every[0].items() if isinstance(value, str) and all(each.get(key) == value for each in every)}
    own = {key: value for key, value in common.items() if ABOUT_GPUS.search(key) and not key.startswith(_BY_OTHERS)}
    elsewhere = {key for key, value in own.items() if any(dict(known_items(each.labels)).get(key) == value for each in others)}
    if unlike := sorted({key for each in every for key in each if key.startswith(SET_BY_PEOPLE) or _is_lost(key, common)}):
        warn(f"labels of the nodes that the file does not have: {', '.join(unlike)}")
    parts = {"labels": own.keys() - elsewhere, "extra_labels": elsewhere}
    return {name: {key: own[key] for key in sorted(keys)} for name, keys in parts.items() if keys}


def _is_lost(key: str, common: Mapping[str, str]) -> bool:
    """Whether a label about GPUs is not that of all nodes."""
    return bool(ABOUT_GPUS.search(key)) and not key.startswith(_BY_OTHERS) and key not in common


_CARDS, _EXTENSIONS = "gpus_per_node", "extensions"
_PRODUCT, _COUNT = f"{GPU_RESOURCE}.product", f"{GPU_RESOURCE}.count"


def known_nodes(inputs: Inputs, talos: str | None) -> Mapping[str, Any]:
    """The arguments of the class of nodes that the inputs state. Refuses nodes that differ in them."""
    live = [each for each in inputs.of_kind("Node") if _has_gpus(each)]
    if live:
        return {**_of_live(live), **live_labels(live, [each for each in inputs.of_kind("Node") if each not in live])}
    if inputs.of_kind("Node"):
        hint = f"no node has a label {LABEL_PREFIX}nvidia-… of Talos, or the resource {GPU_RESOURCE}"
        raise wrong("from", "a source with GPU nodes", "nodes without GPUs", hint)
    classes = node_classes(inputs, talos).classes
    return classes[0] if len(classes) == 1 else common_class(classes)


def _has_gpus(node: KubernetesObject) -> bool:
    return any(map(_is_nvidia_extension, node.labels)) or bool(live_node(node.body).capacity)


def _of_live(nodes: list[KubernetesObject]) -> dict[str, Any]:
    """The values that all GPU nodes state.

    Nodes of several kinds are refused, and another value that differs is left out with a warning.
    """
    rows = {str(each.name): _row(each) for each in nodes}
    versions = {row.get("talos_version") for row in rows.values()} - {None}
    if len(versions) > 1:
        hint = "a file has a class for each Talos; give the nodes of one"
        raise wrong("from", "a source with nodes of one Talos version", ", ".join(sorted(map(str, versions))), hint)
    _check_one_kind(rows)
    first = next(iter(rows.values()))
    common = {name: value for name, value in first.items() if value and all(row.get(name) == value for row in rows.values())}
    cards = {name: row[_CARDS] for name, row in rows.items() if _CARDS in row}
    if len(set(cards.values())) > 1:
        told = ", ".join(f"{name}: {number}" for name, number in cards.items())
        warn(Phrase("the nodes differ in ", Argument(_CARDS), f" ({told}), so none is taken from them"))
    return {**{name: value for name, value in common.items() if name != _EXTENSIONS}, "count": len(nodes)}


def _check_one_kind(rows: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse nodes that need several classes: the first cluster file has one."""
    for name in ("product", "taints", "sharing", "mig_strategy", _EXTENSIONS):
        stated = {node: _text(row[name]) for node, row in rows.items() if name in row}
        alike = [node for node, text in stated.items() if text == next(iter(stated.values()))]
        if other := next((node for node in stated if node not in alike), None):
            those = command("kubectl get node {*nodes} -o yaml | talos-gpu init --from -", nodes=alike)
            hint = f"the nodes differ in '{name}', and the file has one class: {those}"
            got = "; ".join(f"{node}: {stated[node]}" for node in (alike[0], other))
            raise wrong("from", "a source with GPU nodes of one kind", got, hint)


def _text(value: Any) -> str:
    return (", ".join(value) or "none") if isinstance(value, list) else f"{value}"


def _row(node: KubernetesObject) -> dict[str, Any]:
    row: dict[str, Any] = {}
    image = known_str(node.at("status", "nodeInfo", "osImage")) or ""
    if match := re.fullmatch(r"Talos \(v(\d+\.\d+\.\d+(?:-\w+\.\d+)?)\)", image):
        row["talos_version"] = match[1]
    if product := known_str(node.labels.get(_PRODUCT)):
        row["product"] = card_name(product)
    row |= live_division(node)
    is_whole = row.get("mig_strategy") != MigStrategy.SINGLE  # else the label counts partitions
    if (count := known_str(node.labels.get(_COUNT))) and count.isdigit() and is_whole:
        row[_CARDS] = int(count)
    taints = sorted(str(each) for each in live_node(node.body).taints if each.stays)
    extensions = sorted(key.removeprefix(LABEL_PREFIX) for key in node.labels if _is_nvidia_extension(key))
    return {**row, "taints": taints, **({_EXTENSIONS: extensions} if extensions else {})}


def _is_nvidia_extension(label: object) -> bool:
    return isinstance(label, str) and label.startswith(LABEL_PREFIX) and "nvidia" in label
