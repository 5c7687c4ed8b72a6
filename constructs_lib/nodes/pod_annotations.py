"""The annotations by which pods tell this library something."""

from __future__ import annotations

GPU_MEMORY_ANNOTATION = "talos-gpu/gpu-memory"
"""How much of a GPU's memory a pod says that it uses, as a Kubernetes quantity."""
