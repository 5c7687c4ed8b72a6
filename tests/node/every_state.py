"""The states of all modules, and the images of their pods."""

from __future__ import annotations

import agent_states  # noqa: F401  # registers its states
import machine_states  # noqa: F401
import pod_states  # noqa: F401
from dump_clusters import standalone, with_container, workload
from states import STATES

from talos_gpu_rehearsal.manifest_images import Image, images_of

__all__ = ["STATES", "images"]
NEWER = "ollama/ollama:0.13.0"


def images(talos: str) -> tuple[Image, ...]:
    """The images of the states of a generation."""
    return images_of([*standalone(talos), *workload(talos), *with_container(workload(talos), "Deployment", image=NEWER)])
