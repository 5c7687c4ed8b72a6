"""The shapes of the chains: subjects whose links are in the same states have one picture."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..symptoms.link import NODE_LINKS, POD_LINKS, Link
from .chain import Chain
from .link import Broken, Follows, Healthy, State


class Mark(enum.StrEnum):
    """The state of a link in a picture."""

    HEALTHY = "healthy"
    BROKEN = "broken"
    UNKNOWN = "unknown"
    FOLLOWS = "follows"

    @property
    def meaning(self) -> str:
        """The meaning of the mark."""
        return _MEANINGS[self]


_MEANINGS = {
    Mark.HEALTHY: "holds",
    Mark.BROKEN: "broken",
    Mark.UNKNOWN: "not known",
    Mark.FOLLOWS: "follows from a broken link",
}


@dataclass(kw_only=True, slots=True)
class Shape:
    """The marks of a chain from bottom to top, and the subjects whose chains have these marks."""

    is_of_pod: bool
    marks: tuple[tuple[Link, Mark], ...]
    subjects: list[str] = field(default_factory=list)


def marks(chain: Chain) -> tuple[tuple[Link, Mark], ...]:
    """The marks of all links of a chain. The links above the end of the walk follow from the link at which it ended, or
    are not known either."""
    states = dict(chain.states)
    last = _mark(chain.states[-1][1])
    rest = Mark.UNKNOWN if last is Mark.UNKNOWN else Mark.FOLLOWS
    return tuple((link, _mark(states[link]) if link in states else rest) for link in (POD_LINKS if chain.is_of_pod else NODE_LINKS))


def _mark(state: State) -> Mark:
    if isinstance(state, Follows):
        return Mark.FOLLOWS
    if isinstance(state, Broken):
        return Mark.BROKEN
    return Mark.HEALTHY if isinstance(state, Healthy) else Mark.UNKNOWN


def shapes(chains: Iterable[Chain]) -> list[Shape]:
    """The distinct shapes of the chains, in their order."""
    found: dict[object, Shape] = {}
    for chain in chains:
        shape = Shape(is_of_pod=chain.is_of_pod, marks=marks(chain))
        found.setdefault((shape.is_of_pod, shape.marks), shape).subjects.append(chain.subject)
    return list(found.values())
