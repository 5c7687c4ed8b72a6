"""Pod templates of every kind of controller: their containers, and the GPUs that they request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...arguments.plain_values import EMPTY
from ...upstream.nvidia.gpu_resources import VISIBLE_DEVICES, is_gpu
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
from .pod_counts import UNREAD, Count, whole_amount

# Values that show no GPU (NVIDIA/nvidia-container-toolkit internal/config/image/devices.go).
_SHOW_NONE = ("", "void", "none")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Container:
    """A container of a pod, with its path."""

    path: Path
    body: Mapping[str, Any]
    init: bool = False
    gpus: Mapping[str, Any] = field(init=False)
    """The requested amount of each GPU resource, by the limit or else by the request."""

    def __post_init__(self) -> None:
        resources = at(self.body, "resources")
        sections = (at(resources, "requests"), at(resources, "limits")) if resources is not None else ()
        amounts = {name: amount for section in sections for name, amount in known_items(section) if is_gpu(name)}
        object.__setattr__(self, "gpus", amounts or EMPTY)  # there may be a hundred thousand containers

    @property
    def is_sidecar(self) -> bool:
        """Whether an init container runs beside the containers, and not before them."""
        return self.init and equals(at(self.body, "restartPolicy"), "Always").is_yes

    @property
    def image(self) -> str | Unknown:
        """The container's image, empty without one."""
        return "" if (image := text_of(at(self.body, "image"))) is None else image

    @property
    def env(self) -> Mapping[str, tuple[int, Any]]:
        """The variables with known names: the index in the list, and the value, None for a value from elsewhere."""
        listed = ((known_str(at(item, "name")), index, item) for index, item in mappings(at(self.body, "env")))
        return {name: (index, at(item, "value")) for name, index, item in listed if name is not None}

    def sets(self, variable: str) -> Answer:
        """Whether the container sets a variable."""
        env = at(self.body, "env")
        more = Answer.UNKNOWN if is_open(env) else Answer.NO
        return any_of([more, *(equals(at(item, "name"), variable) for _, item in mappings(env))])

    @property
    def asks_for_gpus(self) -> Answer:
        """Whether the container requests a GPU, by a limit or a request."""
        if self.gpus:
            return Answer.YES
        resources = at(self.body, "resources")
        parts = (resources, *(at(resources, section) for section in ("requests", "limits")))
        return Answer.UNKNOWN if any(map(is_open, parts)) else Answer.NO

    @property
    def visible_devices(self) -> str:
        """The GPUs that the container sees by a variable, if NVIDIA's runtime starts it; empty for none, and for an unreadable value."""
        shown = known_str(self.env.get(VISIBLE_DEVICES, (0, None))[1]) or ""
        return "" if shown in _SHOW_NONE else shown

    @property
    def is_privileged(self) -> Answer:
        """Whether the container is privileged, and sees every device of its node."""
        return equals(at(self.body, "securityContext", "privileged"), True)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Workload:
    """A pod template, with its controller.

    `path` is the path of the pod spec. `kind` is the kind of the controller, empty if unknown, `controller` the controller's spec. `pods` is the
    number of pods at once; of a DaemonSet, the number on each node. `passes` says that the pods end, as those of a Job do. If `complete` is False, a
    missing setting may come from elsewhere.
    """

    about: Read
    kind: str
    path: Path
    spec: Mapping[str, Any]
    containers: tuple[Container, ...]
    namespace: str | Unknown | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    controller: Mapping[str, Any] = field(default_factory=dict)
    pods: Count = field(default_factory=lambda: Count(0, UNREAD))
    passes: bool = False
    complete: bool = True

    @property
    def gpus(self) -> dict[str, int | None]:
        """The amount of each GPU resource that one pod requests, None for an unreadable amount."""
        beside: dict[str, int | None] = {}
        most: dict[str, int | None] = {}
        for container in self.containers:  # init containers come first
            for name, amount in container.gpus.items():
                number, others = whole_amount(amount), beside.get(name, 0)
                together = None if number is None or others is None else number + others
                most[name] = _larger(most.get(name, 0), together)
                if not container.init or container.is_sidecar:
                    beside[name] = together
        return most

    @property
    def asks_for_gpus(self) -> bool:
        """Whether the scheduler counts a GPU for the pods, by a limit. A claim's device is only known from its DeviceClass."""
        return any(container.gpus for container in self.containers)

    @property
    def runtime_class(self) -> Any:
        """The pod's runtimeClassName."""
        return at(self.spec, "runtimeClassName")

    @property
    def is_nvidia(self) -> bool:
        """Whether the pods are about NVIDIA GPUs: they request one, name NVIDIA's runtime, or have an image of NVIDIA's."""
        if starts_with(self.runtime_class, "nvidia").is_yes:
            return True
        return any(container.gpus or contains(container.image, "nvidia").is_yes for container in self.containers)

    @property
    def name(self) -> str:
        """`Kind namespace/name` of the object or the release."""
        return self.about.label


def _larger(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)
