"""A fault: the cause at a broken link, its evidence, its consequence and its fix."""

from __future__ import annotations

from dataclasses import dataclass

from ..arguments.commands import Command
from ..observed.model.evidence import Evidence
from ..observed.model.live_object import LiveObject
from .advice import Fix


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
