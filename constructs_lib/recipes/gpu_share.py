"""The part of a card that a pod of a class of nodes may use."""

from __future__ import annotations

from ..arguments.errors import wrong, wrong_kind
from ..arguments.quantities import amount_of
from ..manifests.workload.settings import GpuWorkloadSettings
from ..nodes.gpu_nodes import GpuNodes
from ..upstream.nvidia.plugin_words import MigStrategy


def pods_per_gpu(nodes: GpuNodes) -> int | None:
    """The number of pods that share a card; 1 where each pod has whole cards or partitions, and None where nobody
    knows."""
    if nodes.dra is not None:
        return nodes.dra.claims_per_gpu
    return 1 if nodes.sharing is None else nodes.sharing.replicas


def memory_of_others(nodes: GpuNodes) -> int:
    """The bytes of a card that belong to the other pods on it. 0 where each pod has whole cards, and where the memory
    or the number is not known."""
    pods = pods_per_gpu(nodes)
    if nodes.memory_per_gpu is None or pods is None or nodes.mig_devices is not None:
        return 0
    return int(amount_of(nodes.memory_per_gpu)) * (pods - 1) // pods


def share_of_gpu(settings: GpuWorkloadSettings) -> float | None:
    """The part of a card's memory that a pod may use: 1 where each pod has whole cards or partitions, and None where
    nobody knows."""
    nodes, pods = settings.nodes, pods_per_gpu(settings.nodes)
    if pods != 1 and settings.gpu_memory and nodes.memory_per_gpu:
        return float(amount_of(settings.gpu_memory) / amount_of(nodes.memory_per_gpu))
    return None if pods is None else 1 / pods


def has_whole_gpus(settings: GpuWorkloadSettings) -> bool:
    """Whether the GPUs of a pod are whole cards, which one server can use together: not shares, of one card perhaps,
    and not partitions."""
    nodes = settings.nodes
    return pods_per_gpu(nodes) == 1 and settings.profile is None and nodes.mig_strategy is not MigStrategy.SINGLE


def to_fraction(value: float | None, argument: str = "") -> float | None:
    """A part of a card's memory, or None."""
    rule = "a number above 0, and 1 at most"
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_kind(argument, rule, value)
    if not 0 < value <= 1:
        raise wrong(argument, rule, value, f"did you mean {value / 100:g}?" if 1 < value <= 100 else "")  # noqa: PLR2004
    return float(value)


def checked_fraction(settings: GpuWorkloadSettings, fraction: float | None) -> float:
    """The pod's share of a card, or the given fraction where nobody knows the share. A fraction above the share is
    refused."""
    share = share_of_gpu(settings)
    if share is None and fraction is None:
        hint = "the number of pods on a card is not known; give the pod's part of the card's memory"
        raise wrong("memory_fraction", "given on these nodes", None, hint)
    if share is not None and fraction is not None and fraction > share:
        raise wrong("memory_fraction", f"at most {share:.4g}, the pod's share of a card", fraction, "leave the argument out")
    return share or fraction or 1
