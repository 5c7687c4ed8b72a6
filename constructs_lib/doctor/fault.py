"""A fault: the cause at a broken link, its evidence, its consequence and its fix; and the states of a link."""

from __future__ import annotations

from dataclasses import dataclass

from ..arguments.commands import Command
from ..arguments.printable import printable
from ..observed.model.evidence import Evidence
from ..observed.model.live_object import LiveObject


@dataclass(frozen=True, slots=True)
class Advice:
    """A sentence, and the YAML that it is about. Every value of the YAML that is not ours is quoted by `quoted`."""

    text: str
    yaml: str = ""

    def __str__(self) -> str:
        return f"{self.text}:\n{self.yaml}" if self.yaml else self.text


Fix = Command | Advice


def quoted(value: object) -> str:
    """A value as a string of YAML in single quotes, in which neither YAML nor a shell obeys anything."""
    text = printable(f"{value}").replace("'", "''")
    return f"'{text}'"


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """A cause. Faults of one name and cause on several subjects are one fault of the report.

    `cause` is a sentence without the name of the node or the pod, and without a full stop. `consequence` says why the
    links above do not hold. `fix` is a command, or a sentence with YAML, and `verify` the command whose output shows
    that the fix worked, with the placeholders NODE, ADDRESS, NAMESPACE and POD where a name belongs.
    """

    name: str
    """A stable name, such as `modules-not-loaded`: for tests, JSON and the docs page."""
    cause: str
    evidence: tuple[Evidence, ...]
    consequence: str
    fix: Fix
    verify: Command
    source: str
    rules: tuple[str, ...] = ()
    """The rules of `talos-gpu check` about the same cause."""
    about: tuple[LiveObject, ...] = ()
    """The Nodes or Pods that the commands name, where they are not the subject: the nodes that refuse a pod, the pod of
    the plugin on a node."""
    general: Fault | None = None
    """The fault without a value that differs from pod to pod, such as that of a label: many faults that have it in
    common are told as the general one."""
    is_of_pod: bool = False
    """Whether a pod's fault stands by itself, such as a wrong image. Any other fault of a pod at `started` and `seen`
    follows from a broken link of its node."""
    is_hardware: bool = False
    """Whether the cause is the card or the machine, not configuration."""
    is_sure: bool = True
    """Whether the evidence has no other cause."""


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
