"""Volumes in memory: the default of /dev/shm for several GPUs, and the memory limit that all volumes in memory count
towards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from ...arguments.errors import wrong
from ...arguments.quantities import amount_of
from ...upstream.kubernetes.api import SHARED_MEMORY
from ...upstream.nvidia.plugin_words import MigStrategy

if TYPE_CHECKING:
    from ...nodes.gpu_nodes import GpuNodes
    from .volume import Volume

_MEBIBYTE = 2**20


def check_memory(memory: str | None, shared_memory: str | Literal[False] | None, volumes: Mapping[str, Volume]) -> None:
    """Refuse a volume in memory that is as large as the memory of the container: a full volume would end the
    container.
    """
    sizes = {"shared_memory": shared_memory} if shared_memory else {}
    in_memory = {f"volumes[{path}]": volume for path, volume in volumes.items() if not volume.read_only}
    sizes |= {argument: volume.size_in_memory for argument, volume in in_memory.items() if volume.size_in_memory is not None}
    for argument, size in sizes.items():
        if memory is not None and amount_of(memory) <= amount_of(size):
            what = "shared memory counts" if argument == "shared_memory" else "the files of a volume in memory count"
            raise wrong("memory", f"more than '{argument}' ({size})", memory, f"{what} towards the container's memory")


def default_shared_memory(
    nodes: GpuNodes,
    gpus: int,
    profile: str | None,
    memory: str | None,
    volumes: Mapping[str, Volume],
    pod_spec: Mapping[str, Any],
    container: str,
) -> str | None:
    """The size of /dev/shm: 1Gi for each GPU of several whole GPUs, and at most half of the memory limit of the
    container or the pod.

    NCCL and the processes of tensor-parallel servers exchange data at /dev/shm. NCCL's guide asks for 1 GiB in a
    container
    (https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting/runtime_and_mpi_issues.html#shared-memory).
    The size is a limit, not a reservation. None where one GPU needs no such volume, and where another volume is at
    /dev/shm. Several shares may be of one GPU, and NCCL does not run between partitions.
    """
    has_several = gpus > 1 and nodes.sharing is None and profile is None and nodes.mig_strategy is not MigStrategy.SINGLE
    containers = pod_spec.get("containers") or []
    overridden: Mapping[str, Any] = next((each for each in containers if each.get("name") == container), {})
    mounts = [str(mount.get("mountPath")).rstrip("/") for mount in overridden.get("volumeMounts") or []]
    if not has_several or SHARED_MEMORY in (*mounts, *volumes) or pod_spec.get("hostIPC") is True:
        return None
    limits = [_memory_limit(overridden) or memory, _memory_limit(pod_spec)]
    least = min((amount_of(str(each)) for each in limits if each is not None), default=None)
    half = gpus * 1024 if least is None else int(least) // 2 // _MEBIBYTE
    mebibytes = max(1, min(gpus * 1024, half))
    return f"{mebibytes}Mi" if mebibytes % 1024 else f"{mebibytes // 1024}Gi"


def _memory_limit(part: Mapping[str, Any]) -> Any:
    """The memory limit of a container or of a pod; None without one."""
    return ((part.get("resources") or {}).get("limits") or {}).get("memory")
