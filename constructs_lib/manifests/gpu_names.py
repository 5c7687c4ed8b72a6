"""The names under which Kubernetes counts the GPUs and MIG partitions of a class of nodes: extended resources, or
DeviceClasses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from ..arguments.errors import wrong
from ..arguments.plain_values import given, mapping, whole_number
from ..arguments.spelling import did_you_mean
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.mig import layouts_of, mig_profile
from ..upstream.nvidia.plugin_words import MigStrategy


def to_profile_counts(value: Mapping[str, int] | None, argument: str = "") -> Mapping[str, int]:
    """A number of partitions by MIG profile; an empty mapping for None."""
    numbers = mapping(argument, given(value), "a mapping of MIG profiles to numbers, such as {'1g.10gb': 2}")
    checked = {mig_profile(argument, name): whole_number(f"{argument}[{name}]", number, 0) for name, number in numbers.items()}
    return MappingProxyType(checked)


def offers_whole_gpus(nodes: GpuNodes) -> bool:
    """Whether pods of the class may ask for a GPU without a profile: a whole GPU, a share, or with `single` a
    partition."""
    return nodes.mig_strategy != MigStrategy.MIXED or nodes.mig_devices is None or not all(layouts_of(nodes.mig_devices))


def offers_profile(nodes: GpuNodes, profile: str) -> bool:
    """Whether pods of the class may ask for a partition of the profile. Partitions that another tool makes are not
    known."""
    if nodes.dra is not None:
        return True
    return nodes.mig_strategy == MigStrategy.MIXED and (nodes.mig_devices is None or profile in nodes.mig_profiles)


def check_counted(classes: Iterable[GpuNodes], gpus: int | None, profiles: Iterable[str]) -> None:
    """Refuse numbers of GPUs and of partitions that no class offers."""
    classes = list(classes)
    known = list(dict.fromkeys(name for nodes in classes for name in nodes.mig_profiles))
    if gpus and not any(map(offers_whole_gpus, classes)):
        raise wrong("gpus", "left out on nodes whose every card is partitioned", gpus, f"such as profiles={{'{known[0]}': {gpus}}}")
    for profile in profiles:
        if not any(offers_profile(nodes, profile) for nodes in classes):
            hint = did_you_mean(profile, known) or "MIG profiles are resources of their own with mig_strategy='mixed' and with 'dra' alone"
            raise wrong("profiles", "made of MIG profiles that the nodes offer", profile, hint)
