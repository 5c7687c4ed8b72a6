"""The labels and taints of GPU nodes, by what every GPU pod of a tree selects and tolerates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..observed.agents.agents import EXPORTER, PLUGIN, agents
from ..observed.model import Inputs, at, is_unknown, known_items, mappings
from ..observed.pods.workloads import gpu_workloads
from ..upstream.kubernetes.controlled_taints import is_controlled
from ..upstream.nvidia.gpu_resources import GPU_RESOURCE


def common_placement(inputs: Inputs) -> dict[str, Any]:
    """The labels and the taints, as arguments of a class of nodes; empty where the pods have nothing in common."""
    pods = list(_pods(inputs))
    if not pods:
        return {}
    selectors = [dict(known_items(selector)) for selector, _ in pods]
    labels = {
        key: value
        for key, value in selectors[0].items()
        if isinstance(value, str) and all(selector.get(key) == value for selector in selectors)
    }
    tolerated = [list(_taints(tolerations)) for _, tolerations in pods]
    taints = [each for each in tolerated[0] if all(each in other for other in tolerated)]
    return {**({"labels": labels} if labels else {}), **({"taints": taints} if taints else {})}


def _pods(inputs: Inputs) -> Iterator[tuple[Any, Any]]:
    for agent in agents(inputs):
        if agent.kind in (PLUGIN, EXPORTER):
            yield agent.value("nodeSelector"), agent.value("tolerations")
    for workload in gpu_workloads(inputs):
        yield at(workload.spec, "nodeSelector"), at(workload.spec, "tolerations")


def _taints(tolerations: Any) -> Iterator[str]:
    """The taints that tolerations name. Every GPU pod tolerates the taint of NVIDIA."""
    for _, each in mappings(tolerations):
        key, value, effect = (at(each, name) for name in ("key", "value", "effect"))
        if (
            any(is_unknown(part) for part in (key, value, effect))
            or not key
            or not effect
            or key == GPU_RESOURCE
            or is_controlled(str(key))
        ):
            continue
        yield f"{key}{f'={value}' if value else ''}:{effect}"
