"""The ResourceQuota of the GPUs of a namespace, and the LimitRange of the GPUs of a container."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import attrs

from ...arguments.errors import NOTHING, wrong, wrong_kind
from ...arguments.fields import named, to_labels, to_object_name, to_optional_count, to_optional_namespace, to_optional_positive
from ...arguments.plain_values import given, mapping, whole_number
from ...arguments.spelling import did_you_mean
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.mig import layouts_of, mig_profile
from ...upstream.nvidia.gpu_resources import CLASS_QUOTA_SUFFIX, REQUESTS_PREFIX
from ...upstream.nvidia.plugin_words import MigStrategy
from ..charts.settings import to_node_classes
from ..dra.claim_objects import GPU_CLASS, mig_class
from ..objects import MAIN, Manifests, manifest


def to_profile_counts(value: Mapping[str, int] | None, argument: str = "") -> Mapping[str, int]:
    """A number of partitions by MIG profile; an empty mapping for None."""
    numbers = mapping(argument, given(value), "a mapping of MIG profiles to numbers, such as {'1g.10gb': 2}")
    checked = {mig_profile(argument, name): whole_number(f"{argument}[{name}]", number, 0) for name, number in numbers.items()}
    return MappingProxyType(checked)


def offers_whole_gpus(nodes: GpuNodes) -> bool:
    """Whether pods of the class may ask for a GPU without a profile: whole, a share, or a partition of `single`."""
    return nodes.mig_strategy != MigStrategy.MIXED or nodes.mig_devices is None or not all(layouts_of(nodes.mig_devices))


def offers_profile(nodes: GpuNodes, profile: str) -> bool:
    """Whether pods of the class may ask for a partition of the profile, unless another tool makes the partitions."""
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


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class GpuQuotaSettings:
    """The checked arguments of `GpuQuota`, which documents each argument."""

    nodes: tuple[GpuNodes, ...] = attrs.field(converter=to_node_classes)
    gpus: int | None = attrs.field(default=None, converter=to_optional_count)
    profiles: Mapping[str, int] = attrs.field(default=None, converter=to_profile_counts)
    gpus_per_container: int | None = attrs.field(default=None, converter=to_optional_positive)
    name: str = attrs.field(default=None, converter=to_object_name)
    namespace: str | None = attrs.field(default=None, converter=to_optional_namespace)
    labels: Mapping[str, str] = attrs.field(default=None, converter=to_labels)

    def __attrs_post_init__(self) -> None:
        if self.gpus is None and not self.profiles:
            raise wrong_kind("gpus", "given, or 'profiles'", NOTHING, "gpus=0 keeps every GPU pod out of the namespace")
        check_counted(self.nodes, self.gpus, self.profiles)
        if self.gpus_per_container is not None and all(nodes.by_claim for nodes in self.nodes):
            hint = "a LimitRange can't limit claims; each claim is of a fixed number of GPUs, which 'gpus' counts"
            raise wrong("gpus_per_container", "left out where pods claim their GPUs ('dra' of GpuNodes)", self.gpus_per_container, hint)

    @property
    def hard(self) -> dict[str, str]:
        """The entries of the quota: each resource and DeviceClass of the nodes, also those with 0."""
        counted = [(name, self.profiles.get(profile, 0) if profile else self.gpus or 0) for name, profile in self._entries()]
        return {name: str(number) for name, number in counted}

    def _entries(self) -> Iterator[tuple[str, str | None]]:
        for nodes in self.nodes:
            whole = [None] if offers_whole_gpus(nodes) else []
            profiles = [each for each in dict.fromkeys((*nodes.mig_profiles, *self.profiles)) if offers_profile(nodes, each)]
            for profile in (*whole, *profiles):
                if nodes.by_claim:
                    yield f"{GPU_CLASS if profile is None else mig_class(profile)}{CLASS_QUOTA_SUFFIX}", profile
                else:
                    yield f"{REQUESTS_PREFIX}{nodes.resource(profile)}", profile


def gpu_quota(settings: GpuQuotaSettings) -> Manifests:
    """The ResourceQuota, and with `gpus_per_container` the LimitRange."""
    place: dict[str, Any] = {"namespace": settings.namespace, "labels": settings.labels}
    objects = {MAIN: manifest("v1", "ResourceQuota", settings.name, **place, spec={"hard": settings.hard})}
    if settings.gpus_per_container is not None:
        names = [name.removeprefix(REQUESTS_PREFIX) for name in settings.hard if name.startswith(REQUESTS_PREFIX)]
        limits = {
            "type": "Container",
            "max": dict.fromkeys(names, str(settings.gpus_per_container)),
            # Without these Kubernetes takes the maximum for the default, and gives GPUs to every container that asks
            # for none.
            "default": dict.fromkeys(names, "0"),
            "defaultRequest": dict.fromkeys(names, "0"),
        }
        objects["LimitRange"] = manifest("v1", "LimitRange", settings.name, **place, spec={"limits": [limits]})
    return objects
