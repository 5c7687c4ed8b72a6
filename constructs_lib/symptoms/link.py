"""The links of the chain between a card and a program, and the symptoms that break them: phrases, cause and remedy."""

from __future__ import annotations

import enum
from dataclasses import KW_ONLY, dataclass

from ..arguments.commands import Command


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
        return _WORDS[self][0]

    @property
    def consequence(self) -> str:
        """The sentence that holds where the link is broken."""
        return _WORDS[self][1]


_WORDS = {
    Link.IMAGE: (
        "the image of the node has NVIDIA's extensions",
        "The node runs an image without a working driver, so Kubernetes sees no GPU",
    ),
    Link.MODULES: (
        "the kernel modules are loaded",
        "Without the modules there is no /dev/nvidia0: NVIDIA's services wait, and the device plugin finds no GPU",
    ),
    Link.DRIVER: (
        "the driver runs the card",
        "The driver can't use the card, so the device plugin finds no GPU, or programs lose the GPU",
    ),
    Link.RUNTIME: ("the container runtime can inject the card", "The container runtime can't give the card to containers"),
    Link.PLUGIN: (
        "the device plugin or the DRA driver runs on the node",
        "The kubelet gets no GPUs to offer, so pods that ask for one stay Pending",
    ),
    Link.ALLOCATABLE: ("the node offers its GPUs to Kubernetes", "The node offers fewer GPUs than it has, so pods stay Pending"),
    Link.ADMITTED: ("Kubernetes admits the pod", "Kubernetes creates no pod"),
    Link.SCHEDULED: ("the scheduler finds a node for the pod", "The pod stays Pending"),
    Link.STARTED: ("the containers of the pod start", "The container does not start"),
    Link.SEEN: ("the program sees the GPU", "The program runs without the GPU, or ends"),
}

NODE_LINKS = (Link.IMAGE, Link.MODULES, Link.DRIVER, Link.RUNTIME, Link.PLUGIN, Link.ALLOCATABLE)
"""The links of a GPU node."""

POD_LINKS = (Link.ADMITTED, Link.SCHEDULED, Link.STARTED, Link.SEEN)
"""The links of a GPU pod, above those of its node."""

GAP = "…"
"""The placeholder of a phrase: any words of the same line, or none."""


class Strength(enum.StrEnum):
    """How much a phrase says of its cause."""

    SURE = "sure"
    """The phrase has no other cause."""
    LIKELY = "likely"
    """The phrase has other causes, but this one is by far the most frequent."""
    POSSIBLE = "possible"
    """The phrase has several causes, or is a consequence of an earlier line."""


@dataclass(frozen=True, slots=True)
class Symptom:
    """A state that people see in a log. Each phrase identifies it; `…` in one stands for any words of the same line.

    `name` is the anchor on docs/symptoms.md, or the id of the rule whose own symptom this is. `commands` verify the
    cause. `rules` and `alerts` belong to the symptom, the likeliest first. A symptom without rules can't be seen in
    files.
    """

    name: str
    link: Link | None
    """The link that the cause breaks. None: card and driver work on, or the symptom is that of a rule."""
    title: str
    _: KW_ONLY
    phrases: tuple[str, ...] = ()
    """Every phrase. A row gives those that prove the cause, and `likely` and `possible` ones apart; those follow here."""
    likely: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()
    cause: str
    remedy: str
    source: str
    rank: int = 0
    """The order of the symptoms of one link in one log: the lowest explains the others."""
    is_hardware: bool = False
    """Whether the cause is the card or the machine, not configuration."""
    is_general: bool = False
    """Whether any other symptom of a line says more than this one, so that this one counts only where it stands alone."""
    is_of_node: bool = False
    """Whether a broken node explains what a program says of itself; else the program or its image is at fault."""
    commands: tuple[Command, ...] = ()
    rules: tuple[str, ...] = ()
    alerts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "phrases", tuple(dict.fromkeys((*self.phrases, *self.likely, *self.possible))))

    def strength(self, phrase: str) -> Strength:
        """How much one of the phrases says of the cause."""
        if phrase in self.possible:
            return Strength.POSSIBLE
        return Strength.LIKELY if phrase in self.likely else Strength.SURE
