"""How the GPUs of a live node are divided, and the labels that people gave it, by the labels and the capacity of its Node object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arguments.talos_warnings import warn
from ..observed.model import KubernetesObject, known_items, known_str
from ..observed.nodes.node import live_node
from ..observed.nodes.node_labels import SET_BY_PEOPLE
from ..observed.nodes.offers import MPS, live_offer
from ..upstream.charts.nfd_chart import FEATURE_PREFIX
from ..upstream.nvidia.gpu_resources import MIG_RESOURCE, SHARED_SUFFIX
from ..upstream.nvidia.plugin_words import MigStrategy
from ..upstream.talos.extension_names import LABEL_PREFIX
from .node_classes import ABOUT_GPUS

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
    """The labels about GPUs that all nodes have: `labels`, by which pods select them, unless another node has such a label too."""
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
