"""How much of a GPU's memory a pod says that it uses."""

from __future__ import annotations

from .._arguments.errors import wrong
from .._arguments.quantities import amount_of, byte_quantity
from ..nodes.gpu_nodes import GpuNodes

# On a pod template, or on the workload itself: nothing in Kubernetes reads it, and the checks add it up where pods share a GPU.


def check_gpu_memory(value: object, nodes: GpuNodes) -> str:
    """An amount that one GPU of these nodes has."""
    written = byte_quantity("gpu_memory", value)
    if nodes.memory_per_gpu and amount_of(written) > amount_of(nodes.memory_per_gpu):
        hint = "the pod would not fit on it; see 'memory_per_gpu' of GpuNodes"
        raise wrong("gpu_memory", f"at most {nodes.memory_per_gpu}, which is what one GPU has", value, hint)
    return written
