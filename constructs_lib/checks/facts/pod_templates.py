"""A pod template, whatever makes pods of it: its containers, and what they ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...upstream.gpu_resources import is_gpu
from ..model import Path, Read, Unknown, at, mappings


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Container:
    """A container of a pod, and where it stands."""

    path: Path
    body: Mapping[str, Any]
    init: bool = False

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.body.get("name") or "")

    @property
    def image(self) -> str:
        """Its image, empty where it is not said."""
        return str(self.body.get("image") or "")

    @property
    def env(self) -> Mapping[str, tuple[int, Any]]:
        """Its variables: where each is in the list, and its value, None where it comes from elsewhere."""
        return {str(item.get("name")): (index, item.get("value")) for index, item in mappings(self.body.get("env"))}

    @property
    def gpus(self) -> Mapping[str, Any]:
        """What it asks of each resource of GPUs, by its limit or else by its request."""
        resources = self.body.get("resources")
        return {name: amount for section in ("requests", "limits") for name, amount in _amounts(at(resources, section))}

    @property
    def is_privileged(self) -> bool:
        """Whether it is privileged, and so sees every device of its node."""
        return at(self.body, "securityContext", "privileged") is True


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Workload:
    """A pod template, with what makes pods of it.

    `path` is where the pod spec stands. `kind` is what makes the pods, empty where that can't be told, `controller` its spec. `pods` is how
    many there are at once, None where that is not known. Where `complete` is False, what is missing may come from elsewhere.
    """

    about: Read
    kind: str
    path: Path
    spec: Mapping[str, Any]
    containers: tuple[Container, ...]
    namespace: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    controller: Mapping[str, Any] = field(default_factory=dict)
    pods: int | None = None
    complete: bool = True

    @property
    def gpus(self) -> dict[str, int | None]:
        """How many of each resource one pod asks for, None where that can't be read."""
        before, beside = (_together(each for each in self.containers if each.init is init) for init in (True, False))
        return {name: _larger(before.get(name, 0), beside.get(name, 0)) for name in (*before, *beside)}

    @property
    def asks_for_gpus(self) -> bool:
        """Whether the scheduler counts a GPU for its pods, by a limit. Whose device a claim is of, only its class tells."""
        return any(container.gpus for container in self.containers)

    @property
    def runtime_class(self) -> Any:
        """The RuntimeClass that it names."""
        return self.spec.get("runtimeClassName")

    @property
    def is_nvidia(self) -> bool:
        """Whether it has to do with NVIDIA's GPUs: it asks for one, names NVIDIA's runtime, or is an image of NVIDIA's."""
        runtime_class = str(self.runtime_class or "")
        return runtime_class.startswith("nvidia") or any(container.gpus or "nvidia" in container.image for container in self.containers)

    @property
    def name(self) -> str:
        """`Kind namespace/name` of what it belongs to."""
        return self.about.label


def _together(containers: Iterable[Container]) -> dict[str, int | None]:
    """Containers run at the same time; init containers one after another."""
    asked: dict[str, int | None] = {}
    for container in containers:
        for name, amount in container.gpus.items():
            number, others = whole_number(amount), asked.get(name, 0)
            known = None if number is None or others is None else number + others
            asked[name] = _larger(others, number) if container.init else known
    return asked


def _larger(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)


def _amounts(section: Any) -> list[tuple[str, Any]]:
    return [(str(name), amount) for name, amount in section.items() if is_gpu(str(name))] if isinstance(section, Mapping) else []


def whole_number(amount: Any) -> int | None:
    """A count of whole things, None where it is none, or can't be read."""
    if isinstance(amount, Unknown | bool):
        return None
    if isinstance(amount, str):
        return int(amount) if amount.isascii() and amount.isdecimal() else None
    return amount if isinstance(amount, int) and amount >= 0 else None
