"""The link `seen` of a GPU pod."""

from __future__ import annotations

from collections.abc import Mapping

from ..gpu_cluster import GpuCluster
from ..link import Link, NotSeen, State
from ..live_pod import LivePod


def seen(cluster: GpuCluster, pod: LivePod, broken: Mapping[str, Link]) -> State:
    """The state of the link of a pod. `broken` has the GPU nodes whose own chain is broken, with the broken link."""
    return NotSeen(command="kubectl describe pod POD")
