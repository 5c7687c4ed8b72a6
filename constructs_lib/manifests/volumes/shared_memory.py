"""Volumes in memory: the volume at /dev/shm that a workload on several GPUs gets by default, and the memory limit that all of them count towards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...arguments.errors import wrong
from ...arguments.quantities import amount_of
from ...upstream.nvidia.plugin_words import MigStrategy
from ..workload.settings import SHARED_MEMORY, GpuWorkloadSettings, WorkloadSettings

_MEBIBYTE = 2**20


def check_memory(settings: WorkloadSettings) -> None:
    """Refuse a volume in memory that is as large as the memory of the container: a full volume would be the end of the container."""
    if settings.shared_memory:
        _check_size(settings, "shared_memory", settings.shared_memory, "shared memory counts")
    for path, volume in settings.volumes.items():
        if volume.size_in_memory is not None and not volume.read_only:
            _check_size(settings, f"volumes[{path}]", volume.size_in_memory, "the files of a volume in memory count")


def _check_size(settings: WorkloadSettings, argument: str, size: str, what: str) -> None:
    if settings.memory is not None and amount_of(settings.memory) <= amount_of(size):
        raise wrong("memory", f"more than '{argument}' ({size})", settings.memory, f"{what} towards the container's memory")


def default_shared_memory(settings: GpuWorkloadSettings) -> str | None:
    """The size of /dev/shm: 1Gi for each GPU of several whole GPUs, and at most half of the memory limit of the container, or of the pod.

    NCCL and the processes of tensor-parallel servers exchange data at /dev/shm. NCCL's guide asks for 1 GiB in a container
    (https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting/runtime_and_mpi_issues.html#shared-memory). The size is a limit, not a
    reservation. None where one GPU needs no such volume, and where another volume is at /dev/shm.
    """
    container = _overridden_container(settings)
    if not _has_several_gpus(settings) or _is_mounted(settings, container):
        return None
    memory = [_memory_limit(container) or settings.memory, _memory_limit(settings.pod_spec)]
    least = min((amount_of(str(each)) for each in memory if each is not None), default=None)
    half = settings.gpus * 1024 if least is None else int(least) // 2 // _MEBIBYTE
    mebibytes = max(1, min(settings.gpus * 1024, half))
    return f"{mebibytes}Mi" if mebibytes % 1024 else f"{mebibytes // 1024}Gi"


def _has_several_gpus(settings: GpuWorkloadSettings) -> bool:
    """Whether the pods have several whole GPUs: several shares may be of one GPU, and NCCL does not run between partitions."""
    nodes = settings.nodes
    return settings.gpus > 1 and nodes.sharing is None and settings.profile is None and nodes.mig_strategy is not MigStrategy.SINGLE


def _memory_limit(part: Mapping[str, Any]) -> Any:
    """The memory limit of a container or of a pod; None without one."""
    return ((part.get("resources") or {}).get("limits") or {}).get("memory")


def _is_mounted(settings: GpuWorkloadSettings, container: Mapping[str, Any]) -> bool:
    """Whether another volume is at /dev/shm, or with `hostIPC` the shared memory of the node."""
    mounts = container.get("volumeMounts") or []
    theirs = any(str(mount.get("mountPath")).rstrip("/") == SHARED_MEMORY for mount in mounts)
    return theirs or SHARED_MEMORY in settings.volumes or settings.pod_spec.get("hostIPC") is True


def _overridden_container(settings: GpuWorkloadSettings) -> Mapping[str, Any]:
    containers = settings.pod_spec.get("containers") or []
    return next((container for container in containers if container.get("name") == settings.name), {})
