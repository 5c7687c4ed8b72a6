"""`Condition`: under which values a chart, or what it installs, reads a key, as the tables write it."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import NamedTuple


class Literal(NamedTuple):
    """The test of one key: that it is true, or equal to a word; `holds` is false for the opposite."""

    key: str
    word: str = ""
    holds: bool = True


@dataclass(frozen=True)
class Condition:
    """Alternatives of literals, of which all hold: `a.b & !c | d=x`. Without a literal: always."""

    alternatives: tuple[tuple[Literal, ...], ...] = ((),)

    @classmethod
    @functools.cache
    def of(cls, text: str) -> Condition:
        """The condition of a table's text."""
        return cls(tuple(tuple(map(_literal, filter(None, literals.split(" & ")))) for literals in text.split(" | ")))

    @property
    def literals(self) -> tuple[Literal, ...]:
        """Every test."""
        return tuple(each for literals in self.alternatives for each in literals)

    def without(self, key: str) -> Condition:
        """The condition without the tests of one key: a switch is read whether it is on or off."""
        return Condition(tuple(tuple(each for each in literals if each.key != key) for literals in self.alternatives))

    def __and__(self, other: Condition) -> Condition:
        """The condition that both are so."""
        return Condition(tuple((*one, *each) for one in self.alternatives for each in other.alternatives))


def _literal(text: str) -> Literal:
    if text.startswith("!"):
        return Literal(text[1:], holds=False)
    key, _, word = text.partition("=")
    return Literal(key.removesuffix("!"), word, holds=not key.endswith("!"))
