"""The rights of a node that has joined the cluster: what it may not change on itself, and an administrator does."""

from __future__ import annotations

from ..upstream.kubernetes.api import CONTROL_PLANE, node_may_set
from .gpu_nodes import GpuNodes
from .taints import Taint


def is_control_plane(nodes: GpuNodes) -> bool:
    """Whether the class has the label or the taint of control-plane nodes."""
    return CONTROL_PLANE in nodes.node_labels or any(taint.key == CONTROL_PLANE for taint in nodes.taints)


def administrators_taints(nodes: GpuNodes) -> tuple[Taint, ...]:
    """The taints that only an administrator gives a worker that has joined (NodeRestriction); none for control-plane nodes."""
    return () if is_control_plane(nodes) else nodes.taints


def administrators_labels(nodes: GpuNodes) -> dict[str, str]:
    """The labels that a worker may not set on itself (NodeRestriction); none for control-plane nodes."""
    return {} if is_control_plane(nodes) else {key: value for key, value in nodes.node_labels.items() if not node_may_set(key)}
