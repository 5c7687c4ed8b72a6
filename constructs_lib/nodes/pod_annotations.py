"""The annotations and labels of pods that are this library's own."""

from __future__ import annotations

GPU_MEMORY_ANNOTATION = "talos-gpu/gpu-memory"
"""The GPU memory that a pod uses, as a Kubernetes quantity."""

CLASS_LABEL = "talos-gpu/class"
"""The name of the class of nodes that a pod is for. No selector of a workload has this label, because selectors are immutable."""

UNNAMED_CLASS = "default"
"""The value of the label for a class without a name."""
