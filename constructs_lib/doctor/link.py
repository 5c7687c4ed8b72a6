"""The states of a link of the chain between a card and a program."""

from __future__ import annotations

from dataclasses import dataclass

from ..arguments.commands import Command
from ..observed.model.evidence import Evidence
from .fault import Fault


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
