"""The shapes of the chains: subjects whose links are in the same states have one picture, a line with a mark for each
link."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..arguments.colours import GREEN, GREY, ORANGE, RED, in_colour
from ..symptoms.link import Link
from .chain import Chain
from .fault import Broken, Follows, Healthy, State


class Mark(enum.StrEnum):
    """The state of a link in a picture."""

    HEALTHY = "healthy"
    BROKEN = "broken"
    UNKNOWN = "unknown"
    FOLLOWS = "follows"


_MEANINGS = {
    Mark.HEALTHY: "holds",
    Mark.BROKEN: "broken",
    Mark.UNKNOWN: "not known",
    Mark.FOLLOWS: "follows from a broken link",
}
UNICODE: Mapping[Mark, str] = {Mark.HEALTHY: "✔", Mark.BROKEN: "✘", Mark.UNKNOWN: "?", Mark.FOLLOWS: "↳"}
_ASCII: Mapping[Mark, str] = {Mark.HEALTHY: "+", Mark.BROKEN: "X", Mark.UNKNOWN: "?", Mark.FOLLOWS: ">"}
_COLOURS = {Mark.HEALTHY: GREEN, Mark.BROKEN: RED, Mark.UNKNOWN: ORANGE, Mark.FOLLOWS: GREY}


@dataclass(kw_only=True, slots=True)
class Shape:
    """The marks of a chain from bottom to top, and the subjects whose chains have these marks."""

    is_of_pod: bool
    marks: tuple[tuple[Link, Mark], ...]
    subjects: list[str] = field(default_factory=list)


def shapes(chains: Iterable[Chain]) -> list[Shape]:
    """The distinct shapes of the chains, in their order."""
    found: dict[object, Shape] = {}
    for chain in chains:
        shape = Shape(is_of_pod=chain.is_of_pod, marks=marks(chain))
        found.setdefault((shape.is_of_pod, shape.marks), shape).subjects.append(chain.subject)
    return list(found.values())


def marks(chain: Chain) -> tuple[tuple[Link, Mark], ...]:
    """The marks of all links of a chain. The links above the end of the walk follow from the link at which it ended, or
    are not known either."""
    states = dict(chain.states)
    last = _mark(chain.states[-1][1])
    rest = Mark.UNKNOWN if last is Mark.UNKNOWN else Mark.FOLLOWS
    return tuple((link, _mark(states[link]) if link in states else rest) for link in chain.links)


def _mark(state: State) -> Mark:
    known: dict[type, Mark] = {Healthy: Mark.HEALTHY, Broken: Mark.BROKEN, Follows: Mark.FOLLOWS}
    return known.get(type(state), Mark.UNKNOWN)


def picture(shape: Shape, *, ascii_only: bool = False, colour: bool = False) -> str:
    """The links of a shape from bottom to top: `✔ image ── ✘ modules ── ↳ driver`."""
    signs = _ASCII if ascii_only else UNICODE
    links = (in_colour(_COLOURS[mark], f"{signs[mark]} {link}", colour=colour) for link, mark in shape.marks)
    return (" -- " if ascii_only else " ── ").join(links)


def legend(*, ascii_only: bool = False) -> str:
    """The meanings of the marks, with other signs for a terminal that shows no other characters than ASCII's."""
    signs = _ASCII if ascii_only else UNICODE
    return ", ".join(f"{signs[mark]} {meaning}" for mark, meaning in _MEANINGS.items())
