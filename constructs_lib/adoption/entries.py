"""The entries of the cluster file that is written: each has several forms, of which the first one that is accepted is taken."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..clusters.composer import OBJECT
from .plain_objects import Identity, PlainObject
from .trial import Part


@dataclass(frozen=True)
class Form:
    """A form of an entry: a part of the file, and the objects of the tree that it replaces."""

    part: Part
    replaces: frozenset[Identity] = frozenset()
    reason: str = ""
    """The reason why the form is a plain object, or keeps something by hand; empty for a part that says everything by its arguments."""
    dropped: tuple[tuple[tuple[str | int, ...], str], ...] = ()
    """The paths of the values that the form leaves out, each with the reason."""

    @property
    def name(self) -> str:
        """The name of the part."""
        return next(iter(self.part))


@dataclass
class Entry:
    """An entry: the object or the release that it describes, its place in the file, and its forms, the best first."""

    label: str
    file: str
    line: int
    chart: str
    id: str
    forms: list[Form]
    errors: list[str] = field(default_factory=list)
    """The errors of the forms that were refused."""
    release: Any = None
    """The release of a chart that the entry describes."""
    order: int = 0

    @property
    def form(self) -> Form | None:
        """The best form that was not refused; None where every form was."""
        return self.forms[0] if self.forms else None

    def refuse(self, error: str) -> None:
        """Go on to the next form."""
        self.forms = self.forms[1:]
        self.errors.append(error)


def kept(each: PlainObject, reason: str) -> Form:
    """The form that keeps an object as it is."""
    return Form({OBJECT: each.body}, frozenset({each.identity}), reason)
