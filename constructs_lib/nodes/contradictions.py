"""Contradictions between two classes of nodes that can mean the same nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..arguments.quantities import amount_of
from ..upstream.nvidia.card_names import plain_name
from .gpu_nodes import CardMemory, GpuNodes
from .mig import layouts_of, plain_devices
from .talos_version import TalosVersion

# None is a statement in `sharing` (whole GPUs), `dra` (a device plugin) and `passthrough` (containers), and says
# "unknown" in every other argument.
_STATEMENTS = ("sharing", "dra", "passthrough")
# Compared only where both classes have the same selector, because a class with more labels may be a part of the other
# class.
_OF_THE_SAME_NODES = ("count", "name")
# Labels select the nodes: two classes that differ in the value of one label are not the same nodes. So does the name of
# a class without labels.
_COMPARED = (
    "talos_version", "kernel_modules", "driver_track", "taints", "product", "gpus_per_node", "memory_per_gpu", "count", "sharing",
    "mig_strategy", "mig_devices", "dra", "passthrough", "name",
)  # fmt: skip


class Contradiction(NamedTuple):
    """An argument in which two classes contradict each other, with both values as the user writes them."""

    argument: str
    one: object
    other: object


def contradiction(one: GpuNodes, other: GpuNodes) -> Contradiction | None:
    """The first argument in which two classes contradict each other; None for classes that share no node, and for
    classes that agree.

    An unknown product, number or amount contradicts no known one. `sharing`, `dra`, `taints` and `mig_strategy` are
    always known: without sharing a pod has whole GPUs. `talos_version` without a patch contradicts no patch of its
    minor release. The memory that follows from `product` contradicts no given one. `count` and `name` are compared only
    where both classes have the same selector, because a class with more labels may be a part of the other class.
    """
    if one is other or not one.may_overlap(other):
        return None
    for argument in _COMPARED:
        ours, theirs = getattr(one, argument), getattr(other, argument)
        if argument not in _STATEMENTS and (ours is None or theirs is None):
            continue
        if CardMemory in (type(ours), type(theirs)):
            continue
        if argument in _OF_THE_SAME_NODES and one.node_selector != other.node_selector:
            continue
        if argument == "mig_devices" and _have_the_same_layouts(one, other):
            continue
        if ours != theirs and not _are_equal(argument, ours, theirs):
            return Contradiction(argument, _written(ours), _written(theirs))
    return None


def _are_equal(argument: str, one: Any, other: Any) -> bool:
    """Whether two different values of an argument mean the same."""
    if argument == "talos_version":
        return one.minor == other.minor and None in (one.patch, other.patch)
    if argument == "taints":
        return set(one) == set(other)
    if argument == "memory_per_gpu":
        return amount_of(one) == amount_of(other)
    return argument == "product" and plain_name(one) == plain_name(other)


def _have_the_same_layouts(one: GpuNodes, other: GpuNodes) -> bool:
    """Whether the GPUs of both classes have the same partitions. One layout is for every GPU of a node."""
    number = max(len(layouts_of(each.mig_devices)) for each in (one, other))
    ours, theirs = (
        layouts_of(each.mig_devices) * (1 if isinstance(each.mig_devices, tuple) else each.gpus_per_node or number) for each in (one, other)
    )
    return ours == theirs


def _written(value: Any) -> object:
    if isinstance(value, TalosVersion):
        return str(value)
    if isinstance(value, Mapping) or (isinstance(value, tuple) and any(isinstance(each, Mapping) for each in value)):
        return plain_devices(value)
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, str) else value
