"""The states of all modules, and the images of their pods."""

from __future__ import annotations

from pathlib import Path

import healthy_states  # noqa: F401  # registers its states
import machine_states  # noqa: F401
import pod_states  # noqa: F401
from agent_states import OLDER, of_release
from dump_clusters import standalone, with_container, workload
from node_scene import machine, node_spec
from states import STATES

from talos_gpu_rehearsal.cluster import Cluster
from talos_gpu_rehearsal.manifest_images import Image, images_of

__all__ = ["STATES", "started"]
NEWER = "ollama/ollama:0.13.0"


def images(talos: str) -> tuple[Image, ...]:
    """The images of the states of a generation."""
    older = (each for release in OLDER for each in of_release(standalone(talos), release))
    return images_of([*standalone(talos), *older, *workload(talos), *with_container(workload(talos), "Deployment", image=NEWER)])


def started(folder: Path, talos: str) -> Cluster:
    """A cluster with one node of a generation, and a card."""
    return Cluster(folder, [node_spec(machine(talos))], images=images(talos))
