"""The ResourceQuota of the GPUs of a namespace, and the LimitRange of the GPUs of a container."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs

from ...arguments.errors import NOTHING, wrong, wrong_kind
from ...arguments.fields import named, to_labels, to_optional_count, to_optional_namespace, to_optional_positive
from ...arguments.names import dns_subdomain
from ...nodes.gpu_nodes import GpuNodes
from ...upstream.nvidia.gpu_resources import CLASS_QUOTA_SUFFIX, REQUESTS_PREFIX
from ..charts.settings import to_node_classes
from ..dra.claim_objects import GPU_CLASS, mig_class
from ..gpu_names import check_counted, offers_profile, offers_whole_gpus, to_profile_counts
from ..objects import MAIN, Manifests, manifest


def _to_name(value: str | None, argument: str = "") -> str:
    return "" if value is None else dns_subdomain(argument, value)


def _to_classes(value: GpuNodes | Iterable[GpuNodes], argument: str = "") -> tuple[GpuNodes, ...]:
    return to_node_classes(value, argument)


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class GpuQuotaSettings:
    """The checked arguments of `GpuQuota`, which documents each argument."""

    nodes: tuple[GpuNodes, ...] = attrs.field(converter=_to_classes)
    gpus: int | None = attrs.field(default=None, converter=to_optional_count)
    profiles: Mapping[str, int] = attrs.field(default=None, converter=to_profile_counts)
    gpus_per_container: int | None = attrs.field(default=None, converter=to_optional_positive)
    name: str = attrs.field(default=None, converter=_to_name)
    namespace: str | None = attrs.field(default=None, converter=to_optional_namespace)
    labels: Mapping[str, str] = attrs.field(default=None, converter=to_labels)

    def __attrs_post_init__(self) -> None:
        if self.gpus is None and not self.profiles:
            raise wrong_kind("gpus", "given, or 'profiles'", NOTHING, "gpus=0 keeps every GPU pod out of the namespace")
        check_counted(self.nodes, self.gpus, self.profiles)
        if self.gpus_per_container is not None and all(nodes.dra for nodes in self.nodes):
            hint = "a LimitRange can't limit claims; each claim is of a fixed number of GPUs, which 'gpus' counts"
            raise wrong("gpus_per_container", "left out where pods claim their GPUs ('dra' of GpuNodes)", self.gpus_per_container, hint)

    @property
    def hard(self) -> dict[str, str]:
        """The entries of the quota: every resource and DeviceClass of the nodes, also those of which the namespace gets
        none."""
        counted = [(name, self.profiles.get(profile, 0) if profile else self.gpus or 0) for name, profile in self._entries()]
        return {name: str(number) for name, number in counted}

    def _entries(self) -> Iterator[tuple[str, str | None]]:
        for nodes in self.nodes:
            whole = [None] if offers_whole_gpus(nodes) else []
            profiles = [each for each in dict.fromkeys((*nodes.mig_profiles, *self.profiles)) if offers_profile(nodes, each)]
            for profile in (*whole, *profiles):
                if nodes.dra is not None:
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
