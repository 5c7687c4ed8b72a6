"""The pod annotations that this library reads."""

from __future__ import annotations

GPU_MEMORY_ANNOTATION = "talos-gpu/gpu-memory"
"""The GPU memory that a pod uses, as a Kubernetes quantity."""
