"""The GPU memory that a pod declares to use."""

from __future__ import annotations

from ..arguments.errors import wrong
from ..arguments.quantities import amount_of, byte_quantity
from ..nodes.gpu_nodes import GpuNodes

# The declaration is an annotation of the pod. Kubernetes does not read it; the checks add the amounts up where pods
# share a GPU.


def check_gpu_memory(value: object, nodes: GpuNodes) -> str:
    """An amount of memory that one GPU of these nodes has."""
    written = byte_quantity("gpu_memory", value)
    if nodes.memory_per_gpu and amount_of(written) > amount_of(nodes.memory_per_gpu):
        hint = "the pod does not fit on one GPU; see 'memory_per_gpu' of GpuNodes"
        raise wrong("gpu_memory", f"at most {nodes.memory_per_gpu}, the memory of one GPU", value, hint)
    return written
