"""`Choice`: a closed set of words that upstream itself uses."""

from __future__ import annotations

from enum import StrEnum


class Choice(StrEnum):
    """A closed set of upstream's own words: the member and its string are the same value, and print alike."""

    def __repr__(self) -> str:
        return repr(str(self))
