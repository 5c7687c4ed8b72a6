"""The link `image` of a GPU node."""

from __future__ import annotations

from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode
from ..link import NotSeen, State


def image(cluster: GpuCluster, node: GpuNode) -> State:
    """The state of the link on a node."""
    return NotSeen(command="kubectl describe node NODE")
