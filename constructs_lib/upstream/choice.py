"""`Choice`: a closed set of words that upstream itself uses."""

from __future__ import annotations

from enum import StrEnum


class Choice(StrEnum):
    """A closed set of upstream's own words. A member equals its string, and prints like it."""

    def __repr__(self) -> str:
        return repr(str(self))
