"""The links of the chain between a card and a program, and the states of a link."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from ..arguments.commands import Command
from .evidence import Evidence
from .fault import Fault


class Link(enum.StrEnum):
    """A link of the chain. Each link needs the links before it."""

    IMAGE = "image"
    MODULES = "modules"
    DRIVER = "driver"
    RUNTIME = "runtime"
    PLUGIN = "plugin"
    ALLOCATABLE = "allocatable"
    ADMITTED = "admitted"
    SCHEDULED = "scheduled"
    STARTED = "started"
    SEEN = "seen"

    @property
    def claim(self) -> str:
        """The sentence that holds where the link is healthy."""
        return _CLAIMS[self]


_CLAIMS = {
    Link.IMAGE: "the image of the node has NVIDIA's extensions",
    Link.MODULES: "the kernel modules are loaded",
    Link.DRIVER: "the driver runs the card",
    Link.RUNTIME: "the container runtime can inject the card",
    Link.PLUGIN: "the device plugin or the DRA driver runs on the node",
    Link.ALLOCATABLE: "the node offers its GPUs to Kubernetes",
    Link.ADMITTED: "Kubernetes admits the pod",
    Link.SCHEDULED: "the scheduler finds a node for the pod",
    Link.STARTED: "the containers of the pod start",
    Link.SEEN: "the program sees the GPU",
}

NODE_LINKS = (Link.IMAGE, Link.MODULES, Link.DRIVER, Link.RUNTIME, Link.PLUGIN, Link.ALLOCATABLE)
"""The links of a GPU node."""

POD_LINKS = (Link.ADMITTED, Link.SCHEDULED, Link.STARTED, Link.SEEN)
"""The links of a GPU pod, above those of its node."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Healthy:
    """A link that holds, with the line that shows it."""

    evidence: Evidence


@dataclass(frozen=True, kw_only=True, slots=True)
class Broken:
    """A link that does not hold, with its faults in the order in which they must be mended."""

    faults: tuple[Fault, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class NotSeen:
    """A link of which nothing was read, and the command whose output would tell."""

    command: Command


@dataclass(frozen=True, kw_only=True, slots=True)
class Follows:
    """A link of a pod that does not hold because a link of these nodes is broken."""

    nodes: tuple[str, ...]
    evidence: Evidence


State = Healthy | Broken | NotSeen | Follows
