"""The GPUs that nodes offer, and those that the pods on them leave."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..observed.model.live_object import LiveObject
from .gpu_node import GpuNode
from .live_pods import LivePod


@dataclass(frozen=True, kw_only=True, slots=True)
class Supply:
    """The GPUs of some nodes by resource: the most that one node offers, and the most that one node has left."""

    offered: Mapping[str, int]
    left: Mapping[str, int]
    has_devices: bool
    """Whether the DRA driver offers devices of a node: no Node says how many."""


class GpuSupplies:
    """The supplies of nodes. Each set of nodes is counted once, for all pods that may use the set."""

    def __init__(self, holders: Mapping[str, Sequence[LivePod]], slices: Mapping[str, Sequence[LiveObject]]) -> None:
        self._holders = holders
        self._slices = slices
        self._known: dict[tuple[GpuNode, ...], Supply] = {}
        self._short: dict[tuple[object, ...], tuple[str, ...]] = {}

    def of(self, nodes: Sequence[GpuNode]) -> Supply:
        """The supply of these nodes."""
        key = tuple(nodes)
        if key not in self._known:
            self._known[key] = self._counted(nodes)
        return self._known[key]

    def short(self, nodes: Sequence[GpuNode], pod: LivePod) -> tuple[str, ...]:
        """The nodes that offer a pod too little now, and may offer enough once they are mended: a node never offers
        more than its capacity."""
        key = (tuple(nodes), tuple(sorted(pod.counted_gpus.items())), bool(pod.claims))
        if key not in self._short:
            self._short[key] = tuple(each.name for each in nodes if self._is_short(each, pod))
        return self._short[key]

    def _is_short(self, node: GpuNode, pod: LivePod) -> bool:
        if pod.claims and not any(each.mappings("spec", "devices") for each in self._slices.get(node.name, ())):
            return True
        return any(node.offered.get(name, 0) < amount <= (node.capacity.get(name) or amount) for name, amount in pod.counted_gpus.items())

    def _counted(self, nodes: Sequence[GpuNode]) -> Supply:
        offered: dict[str, int] = defaultdict(int)
        left: dict[str, int] = defaultdict(int)
        for node in nodes:
            held: dict[str, int] = defaultdict(int)
            for pod in self._holders.get(node.name, ()):
                for name, amount in pod.counted_gpus.items():
                    held[name] += amount
            for name, amount in node.offered.items():
                offered[name] = max(offered[name], amount)
                left[name] = max(left[name], amount - held[name])
        has_devices = any(each.mappings("spec", "devices") for node in nodes for each in self._slices.get(node.name, ()))
        return Supply(offered=dict(offered), left=dict(left), has_devices=has_devices)
