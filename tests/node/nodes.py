"""Real nodes for tests: what they need of the machine, and clusters of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from talos_gpu_rehearsal.cluster import Cluster
from talos_gpu_rehearsal.node import NodeSpec

REHEARSAL = Path(__file__).resolve().parents[2] / "rehearsal"


def needs_a_node() -> None:
    """A skip that says what this machine lacks; continuous integration allows none."""
    pytest.importorskip("talos_gpu_rehearsal")
    if os.geteuid():
        pytest.skip("a node has namespaces of its own: this test needs root")


def cluster(folder: Path, nodes: Sequence[NodeSpec], **more: object) -> Cluster:
    """A cluster, not started yet."""
    return Cluster(folder, nodes, **more)
