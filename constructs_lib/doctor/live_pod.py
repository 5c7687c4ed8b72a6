"""A pod as the doctor sees it: one that wants GPUs, or an agent of the GPU stack; or a controller that could not make its pods."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..upstream.nvidia.gpu_resources import is_gpu
from .live_object import LiveObject

_TEMPLATES = {"CronJob": ("spec", "jobTemplate", "spec", "template", "spec")}
_TEMPLATE = ("spec", "template", "spec")


@dataclass(frozen=True, kw_only=True, eq=False)
class LivePod:
    """A pod, or the ReplicaSet, DaemonSet, StatefulSet or Job that should have made one."""

    object: LiveObject

    @property
    def is_made(self) -> bool:
        """Whether the pod exists."""
        return self.object.kind == "Pod"

    @property
    def title(self) -> str:
        """The pod in words: `pod gpu/ollama-7d`, `ReplicaSet gpu/ollama-7d (without pods)`."""
        return f"pod {self.object.full_name}" if self.is_made else f"{self.object.kind} {self.object.full_name} (without pods)"

    @property
    def spec(self) -> Mapping[str, Any]:
        """The pod spec."""
        return self.object.mapping("spec") if self.is_made else self.object.mapping(*_TEMPLATES.get(self.object.kind, _TEMPLATE))

    @property
    def phase(self) -> str:
        """`Pending`, `Running`, …; empty for a pod that was not made."""
        return str(self.object.at("status", "phase") or "") if self.is_made else ""

    @property
    def is_being_deleted(self) -> bool:
        """Whether somebody has deleted the pod, and its containers are ending."""
        return bool(self.object.at("metadata", "deletionTimestamp"))

    @property
    def node(self) -> str:
        """The name of the node that the scheduler chose; empty before."""
        name = self.spec.get("nodeName")
        return name if isinstance(name, str) and self.is_made else ""

    @property
    def containers(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The containers with their fields: `spec.containers[0]`."""
        for field in ("initContainers", "containers"):
            listed = self.spec.get(field)
            for index, each in enumerate(listed if isinstance(listed, list) else []):
                if isinstance(each, Mapping):
                    yield f"spec.{field}[{index}]", each

    @property
    def statuses(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The container statuses with their fields."""
        for field in ("initContainerStatuses", "containerStatuses"):
            for index, each in enumerate(self.object.mappings("status", field)):
                yield f"status.{field}[{index}]", each

    def is_ready(self, container: str) -> bool:
        """Whether the container of this name reports that it is ready; without a name, whether all containers do."""
        ready = [status.get("ready") is True for _, status in self.statuses if container in ("", status.get("name"))]
        return bool(ready) and all(ready)

    @cached_property
    def gpus(self) -> Mapping[str, int]:
        """The GPUs that the pod wants at once, by resource: the sum of its containers, or the largest init container."""
        totals: dict[str, int] = {}
        largest: dict[str, int] = {}
        for field, container in self.containers:
            resources = container.get("resources")
            limits = resources.get("limits") if isinstance(resources, Mapping) else None
            for name, amount in (limits if isinstance(limits, Mapping) else {}).items():
                if is_gpu(name) and re.fullmatch("[0-9]{1,9}", f"{amount}"):
                    into = largest if field.startswith("spec.init") else totals
                    into[name] = max(largest.get(name, 0), int(f"{amount}")) if into is largest else totals.get(name, 0) + int(f"{amount}")
        return {name: max(totals.get(name, 0), largest.get(name, 0)) for name in {**totals, **largest}}

    @property
    def claims(self) -> list[Mapping[str, Any]]:
        """The entries of `spec.resourceClaims`."""
        listed = self.spec.get("resourceClaims")
        return [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []

    def condition(self, kind: str) -> Mapping[str, Any] | None:
        """The condition of this type, such as `PodScheduled`."""
        return next((each for each in self.object.mappings("status", "conditions") if each.get("type") == kind), None)

    @property
    def controller(self) -> tuple[str, str]:
        """The kind and the name of the object that made the pod; empty without one."""
        owners = self.object.mappings("metadata", "ownerReferences")
        owner = next((each for each in owners if each.get("controller") is True), owners[0] if owners else {})
        return str(owner.get("kind", "")), str(owner.get("name", ""))

    @property
    def deployment(self) -> str:
        """The Deployment whose ReplicaSet made the pod, by the ReplicaSet's name; empty for any other pod."""
        kind, name = self.controller
        return name.rpartition("-")[0] if kind == "ReplicaSet" else ""
