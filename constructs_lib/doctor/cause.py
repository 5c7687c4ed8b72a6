"""A cause: a fault with its subjects and its followers."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..observed.model.live_object import LiveObject
from ..symptoms.link import Link
from .fault import Fault

_LINKS = list(Link)


def place(link: Link | None) -> int:
    """The place of a link in the chain; no link comes last."""
    return len(_LINKS) if link is None else _LINKS.index(link)


@dataclass(kw_only=True, slots=True)
class Cause:
    """A fault with its subjects, and the pods whose state follows from it."""

    link: Link | None
    """The broken link. None: a log names the fault, and card and driver work on."""
    fault: Fault
    subjects: list[str] = field(default_factory=list)
    followers: list[str] = field(default_factory=list)
    about: dict[LiveObject, None] = field(default_factory=dict)
    """The objects that the commands name beside the subjects, each once."""
