"""The class of GPU nodes in a repository, or in the nodes of a live cluster."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .._arguments.errors import wrong
from ..checks.model import Inputs, KubernetesObject, at, known_str
from ..upstream.extension_names import LABEL_PREFIX
from ..upstream.gpu_resources import GPU_RESOURCE
from .node_classes import common_class, node_classes

_PRODUCT, _COUNT = f"{GPU_RESOURCE}.product", f"{GPU_RESOURCE}.count"


def known_nodes(inputs: Inputs, talos: str | None) -> Mapping[str, Any]:
    """The arguments of the class of nodes that the inputs state. Refuses nodes that differ in them."""
    live = [each for each in inputs.of_kind("Node") if _has_gpus(each)]
    if live:
        return _of_live(live)
    if inputs.of_kind("Node"):
        hint = f"no node has a label {LABEL_PREFIX}nvidia-… of Talos, or the resource {GPU_RESOURCE}"
        raise wrong("from", "a source with GPU nodes", "nodes without GPUs", hint)
    classes = node_classes(inputs, talos).classes
    return classes[0] if len(classes) == 1 else common_class(classes)


def _has_gpus(node: KubernetesObject) -> bool:
    labels = node.labels
    capacity = node.at("status", "capacity")
    return any("nvidia" in key for key in labels if isinstance(key, str) and key.startswith(LABEL_PREFIX)) or (
        isinstance(capacity, Mapping) and GPU_RESOURCE in capacity
    )


def _of_live(nodes: list[KubernetesObject]) -> dict[str, Any]:
    """The values that all GPU nodes state. A value that differs between nodes is left out, except the version of Talos."""
    rows = [_row(each) for each in nodes]
    versions = {row.get("talos_version") for row in rows} - {None}
    if len(versions) > 1:
        hint = "a file has a class for each Talos; give the nodes of one"
        raise wrong("from", "a source with nodes of one Talos version", ", ".join(sorted(map(str, versions))), hint)
    common = {name: value for name, value in rows[0].items() if all(row.get(name) == value for row in rows)}
    return {**common, "count": len(nodes)}


def _row(node: KubernetesObject) -> dict[str, Any]:
    row: dict[str, Any] = {}
    image = known_str(node.at("status", "nodeInfo", "osImage")) or ""
    if match := re.fullmatch(r"Talos \(v(\d+\.\d+\.\d+(?:-\w+\.\d+)?)\)", image):
        row["talos_version"] = match[1]
    if product := known_str(node.labels.get(_PRODUCT)):
        row["product"] = product.removesuffix("-SHARED")
    if (count := known_str(node.labels.get(_COUNT))) and count.isdigit():
        row["gpus_per_node"] = int(count)
    taints = [
        f"{at(each, 'key')}{f'={value}' if (value := known_str(at(each, 'value'))) else ''}:{at(each, 'effect')}"
        for each in node.at("spec", "taints") or ()
        if not str(at(each, "key")).startswith("node.kubernetes.io/")
    ]
    return {**row, **({"taints": taints} if taints else {})}
