"""A pod template, whatever makes pods of it: its containers, and what they ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...upstream.gpu_resources import is_gpu
from ..model import (
    Answer,
    Path,
    Read,
    Unknown,
    any_of,
    at,
    contains,
    equals,
    is_open,
    known_items,
    known_str,
    mappings,
    starts_with,
    text_of,
)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Container:
    """A container of a pod, and where it stands."""

    path: Path
    body: Mapping[str, Any]
    init: bool = False

    @property
    def image(self) -> str | Unknown:
        """Its image, empty where it is not said."""
        return "" if (image := text_of(at(self.body, "image"))) is None else image

    @property
    def env(self) -> Mapping[str, tuple[int, Any]]:
        """Its variables whose names are known: where each is in the list, and its value, None where it comes from elsewhere."""
        listed = ((known_str(at(item, "name")), index, item) for index, item in mappings(at(self.body, "env")))
        return {name: (index, at(item, "value")) for name, index, item in listed if name is not None}

    def sets(self, variable: str) -> Answer:
        """Whether it has a variable."""
        env = at(self.body, "env")
        more = Answer.UNKNOWN if is_open(env) else Answer.NO
        return any_of([more, *(equals(at(item, "name"), variable) for _, item in mappings(env))])

    @property
    def gpus(self) -> Mapping[str, Any]:
        """What it asks of each resource of GPUs, by its limit or else by its request."""
        resources = at(self.body, "resources")
        asked: dict[str, Any] = {}
        for section in ("requests", "limits") if resources is not None else ():
            asked |= {name: amount for name, amount in known_items(at(resources, section)) if is_gpu(name)}
        return asked

    @property
    def asks_for_gpus(self) -> Answer:
        """Whether it asks for a GPU by a limit, or a request."""
        if self.gpus:
            return Answer.YES
        resources = at(self.body, "resources")
        parts = (resources, *(at(resources, section) for section in ("requests", "limits")))
        return Answer.UNKNOWN if any(map(is_open, parts)) else Answer.NO

    @property
    def is_privileged(self) -> Answer:
        """Whether it is privileged, and so sees every device of its node."""
        return equals(at(self.body, "securityContext", "privileged"), True)


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
    namespace: str | Unknown | None = None
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
        return at(self.spec, "runtimeClassName")

    @property
    def is_nvidia(self) -> bool:
        """Whether it has to do with NVIDIA's GPUs: it asks for one, names NVIDIA's runtime, or is an image of NVIDIA's."""
        if starts_with(self.runtime_class, "nvidia").is_yes:
            return True
        return any(container.gpus or contains(container.image, "nvidia").is_yes for container in self.containers)

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


def whole_number(amount: Any) -> int | None:
    """A count of whole things, None where it is none, or can't be read."""
    if isinstance(amount, bool):
        return None
    if isinstance(amount, str):
        return int(amount) if amount.isascii() and amount.isdecimal() else None
    return amount if isinstance(amount, int) and amount >= 0 else None
