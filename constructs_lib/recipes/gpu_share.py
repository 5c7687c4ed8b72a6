"""The part of a card that a pod of a class of nodes may use."""

from __future__ import annotations

from .._arguments.quantities import amount_of
from ..manifests.workload_settings import GpuWorkloadSettings
from ..nodes.gpu_nodes import GpuNodes
from ..upstream.plugin_words import MigStrategy


def pods_per_gpu(nodes: GpuNodes) -> int | None:
    """The number of pods that share a card; 1 where each pod has whole cards or partitions, and None where nobody knows."""
    if nodes.dra is not None:
        return nodes.dra.claims_per_gpu
    return 1 if nodes.sharing is None else nodes.sharing.replicas


def memory_of_others(nodes: GpuNodes) -> int:
    """The bytes of a card that belong to the other pods on it. 0 where each pod has whole cards, and where the memory or the number is not known."""
    pods = pods_per_gpu(nodes)
    if nodes.memory_per_gpu is None or pods is None or nodes.mig_devices is not None:
        return 0
    return int(amount_of(nodes.memory_per_gpu)) * (pods - 1) // pods


def share_of_gpu(settings: GpuWorkloadSettings) -> float | None:
    """The part of a card's memory that a pod may use: 1 where each pod has whole cards or partitions, and None where nobody knows."""
    nodes, pods = settings.nodes, pods_per_gpu(settings.nodes)
    if pods != 1 and settings.gpu_memory and nodes.memory_per_gpu:
        return float(amount_of(settings.gpu_memory) / amount_of(nodes.memory_per_gpu))
    return None if pods is None else 1 / pods


def has_whole_gpus(settings: GpuWorkloadSettings) -> bool:
    """Whether the GPUs of a pod are whole cards, which one server can use together: not shares, of one card perhaps, and not partitions."""
    nodes = settings.nodes
    return pods_per_gpu(nodes) == 1 and settings.profile is None and nodes.mig_strategy is not MigStrategy.SINGLE
