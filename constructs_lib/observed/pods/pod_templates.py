"""Pods, live or in a template: their containers, the GPUs that they request, and their status."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from ...arguments.plain_values import EMPTY
from ...upstream.kubernetes.api import POD_TEMPLATES
from ...upstream.nvidia.agent_programs import AgentKind
from ...upstream.nvidia.gpu_resources import VISIBLE_DEVICES, is_gpu
from ..agents.agent_kinds import agent_kind
from ..model import (
    Answer,
    Path,
    Read,
    Unknown,
    any_of,
    at,
    below,
    contains,
    equals,
    has,
    is_among,
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
    def field(self) -> str:
        """The path in words: `spec.containers[0]`."""
        return "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in self.path).removeprefix(".")

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
        """The GPUs that the container sees by a variable, if NVIDIA's runtime starts it; empty for none, and for an
        unreadable value."""
        shown = self.value(VISIBLE_DEVICES) or ""
        return "" if shown in _SHOW_NONE else shown

    @property
    def hides_gpus(self) -> bool:
        """Whether a variable hides the GPUs from the container, if NVIDIA's runtime starts it."""
        return any(
            known_str(at(each, "name")) == VISIBLE_DEVICES
            and has(each, "valueFrom").is_no
            and is_among(at(each, "value"), (None, *_SHOW_NONE)).is_yes
            for _, each in mappings(at(self.body, "env"))
        )

    def value(self, variable: str) -> str | None:
        """The value of a variable; None where the container does not set it, or the value is from elsewhere or can't be
        read."""
        return known_str(self.env.get(variable, (0, None))[1])

    @property
    def is_privileged(self) -> Answer:
        """Whether the container is privileged, and sees every device of its node."""
        return equals(at(self.body, "securityContext", "privileged"), True)


class Body(Protocol):
    """An object or a release that was read."""

    def at(self, *path: str | int) -> Any:
        """The value at a path."""


About = TypeVar("About", bound=Body)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Pod(Generic[About]):
    """A pod, or the template from which a controller makes pods. Its status is that of a live object, and empty for a
    file.

    `kind` is the kind of the object, empty if unknown, and `path` the path of the pod spec.
    """

    about: About
    kind: str
    path: Path
    spec: Mapping[str, Any]
    containers: tuple[Container, ...]
    """The containers, init containers first."""

    @property
    def gpus(self) -> Mapping[str, int | None]:
        """The amount of each GPU resource that one pod requests, None for an unreadable amount."""
        return _gpus_at_once(self.containers)

    @property
    def counted_gpus(self) -> Mapping[str, int]:
        """The readable amounts of `gpus`."""
        return {name: amount for name, amount in self.gpus.items() if amount is not None}

    @property
    def asks_for_gpus(self) -> bool:
        """Whether the scheduler counts a GPU for the pods, by a limit. A claim's device is only known from its
        DeviceClass."""
        return any(container.gpus for container in self.containers)

    @property
    def runtime_class(self) -> Any:
        """The pod's runtimeClassName."""
        return at(self.spec, "runtimeClassName")

    @property
    def claims(self) -> list[Mapping[str, Any]]:
        """The entries of `resourceClaims`."""
        return [each for _, each in mappings(at(self.spec, "resourceClaims"))]

    @property
    def uses_gpus(self) -> bool:
        """Whether the pods request a GPU by a limit, name NVIDIA's runtime, or see GPUs by a variable. Claims are
        apart."""
        return (
            self.asks_for_gpus
            or (self.runtime_class is not None and starts_with(self.runtime_class, "nvidia").is_yes)
            or any(each.visible_devices for each in self.containers if "env" in each.body)
        )

    @property
    def agent(self) -> AgentKind | None:
        """The kind of agent of the GPU stack that the pods are; None for any other program."""
        return agent_kind(each.body for each in self.containers if not each.init)

    @property
    def is_made(self) -> bool:
        """Whether this is a pod, and no template."""
        return self.kind == "Pod"

    @property
    def title(self) -> str:
        """The pod in words: `pod gpu/ollama-7d`, `ReplicaSet gpu/ollama-7d (without pods)`."""
        within = ((known_str(self.about.at("metadata", key)) or "") for key in ("namespace", "name"))
        name = "/".join(filter(None, within))
        return f"pod {name}" if self.is_made else f"{self.kind} {name} (without pods)"

    @property
    def phase(self) -> str:
        """`Pending`, `Running`, …; empty for a pod that was not made."""
        return str(self.about.at("status", "phase") or "") if self.is_made else ""

    @property
    def is_being_deleted(self) -> bool:
        """Whether somebody has deleted the pod, and its containers are ending."""
        return bool(self.about.at("metadata", "deletionTimestamp"))

    @property
    def node(self) -> str:
        """The name of the node that the scheduler chose; empty before."""
        return (known_str(at(self.spec, "nodeName")) or "") if self.is_made else ""

    @property
    def statuses(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The container statuses with their fields."""
        for section in ("initContainerStatuses", "containerStatuses"):
            for index, each in mappings(self.about.at("status", section)):
                yield f"status.{section}[{index}]", each

    def is_ready(self, container: str) -> bool:
        """Whether the container of this name reports that it is ready; without a name, whether all containers do."""
        ready = [status.get("ready") is True for _, status in self.statuses if container in ("", status.get("name"))]
        return bool(ready) and all(ready)

    def condition(self, kind: str) -> Mapping[str, Any] | None:
        """The condition of this type, such as `PodScheduled`."""
        return next((each for _, each in mappings(self.about.at("status", "conditions")) if each.get("type") == kind), None)

    @property
    def maker(self) -> tuple[str, str]:
        """The kind and the name of the object that made the pod; empty without one."""
        owners = [each for _, each in mappings(self.about.at("metadata", "ownerReferences"))]
        owner = next((each for each in owners if each.get("controller") is True), owners[0] if owners else {})
        return str(owner.get("kind", "")), str(owner.get("name", ""))

    @property
    def deployment(self) -> str:
        """The Deployment whose ReplicaSet made the pod, by the ReplicaSet's name; empty for any other pod."""
        kind, name = self.maker
        return name.rpartition("-")[0] if kind == "ReplicaSet" else ""


def state_of(status: Mapping[str, Any], name: str, field: str = "state") -> Mapping[str, Any] | None:
    """The state `running`, `waiting` or `terminated` in the status of a container; None where the container is in
    another one."""
    state = at(status, field, name)
    return state if isinstance(state, Mapping) else None


def pod_of(about: About) -> Pod[About]:
    """The pod spec of an object of one of the kinds of Kubernetes itself."""
    kind = known_str(about.at("kind")) or ""
    path: Path = below(POD_TEMPLATES.get(kind, ("spec", "template")), "spec")
    spec = about.at(*path)
    spec = spec if isinstance(spec, Mapping) else EMPTY
    return Pod(about=about, kind=kind, path=path, spec=spec, containers=containers_of(spec, path))


def containers_of(spec: Mapping[str, Any], path: Path) -> tuple[Container, ...]:
    """The containers of a pod spec with their paths, init containers first. An item may have a path of its own."""
    return tuple(
        Container(
            path=item["path"] if isinstance(item.get("path"), tuple) else below(path, key, index), body=item, init=key == "initContainers"
        )
        for key in ("initContainers", "containers")
        for index, item in mappings(at(spec, key))
    )


def _gpus_at_once(containers: tuple[Container, ...]) -> Mapping[str, int | None]:
    """The amounts that the scheduler counts: those of all containers and sidecars together, or of one init container
    beside the earlier sidecars.

    Source: https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers
    (2026-11-23)
    """
    beside: dict[str, int | None] = {}
    most: dict[str, int | None] = {}
    for container in containers:
        for name, amount in container.gpus.items():
            number, others = whole_amount(amount), beside.get(name, 0)
            together = None if number is None or others is None else number + others
            most[name] = _larger(most.get(name, 0), together)
            if not container.init or container.is_sidecar:
                beside[name] = together
    return most


def _larger(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Workload(Pod[Read]):
    """A pod template, with its controller.

    `path` is the path of the pod spec. `kind` is the kind of the controller, empty if unknown, `controller` the
    controller's spec. `pods` is the number of pods at once; of a DaemonSet, the number on each node. `passes` says that
    the pods end, as those of a Job do. If `complete` is False, a missing setting may come from elsewhere.
    """

    namespace: str | Unknown | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    controller: Mapping[str, Any] = field(default_factory=dict)
    pods: Count = field(default_factory=lambda: Count(0, UNREAD))
    passes: bool = False
    complete: bool = True

    @property
    def is_nvidia(self) -> bool:
        """Whether the pods are about NVIDIA GPUs: they use one, or have an image of NVIDIA's."""
        return self.uses_gpus or any(contains(container.image, "nvidia").is_yes for container in self.containers)

    @property
    def name(self) -> str:
        """`Kind namespace/name` of the object or the release."""
        return self.about.label
