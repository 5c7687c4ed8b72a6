"""The conditions of a template under which it reads a value: formulas of what `if`, `with` and `else` test."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

Conjunction = frozenset[str]
Alternatives = frozenset[Conjunction]
"""Alternatives of literals that all hold: `a.b` is true, `!a.b` is not, `a.b=x` and `a.b!=x` compare."""

ALWAYS: Alternatives = frozenset([frozenset()])
_MOST_ALTERNATIVES, _MOST_LITERALS = 12, 5


@dataclass(frozen=True)
class Test:
    """What is so if a test succeeds, and what is so if it fails; `ALWAYS` where nothing is known."""

    succeeds: Alternatives = ALWAYS
    fails: Alternatives = ALWAYS

    @classmethod
    def of(cls, literal: str, otherwise: str) -> Test:
        """The test of one literal."""
        return cls(frozenset([frozenset([literal])]), frozenset([frozenset([otherwise])]))

    @property
    def negated(self) -> Test:
        """The opposite test."""
        return Test(self.fails, self.succeeds)


UNKNOWN = Test()


def all_of(tests: Iterable[Test]) -> Test:
    """The test `and`."""
    tests = list(tests)
    return Test(both(*(test.succeeds for test in tests)), either(*(test.fails for test in tests)))


def any_of(tests: Iterable[Test]) -> Test:
    """The test `or`."""
    return all_of(test.negated for test in tests).negated


def either(*formulas: Alternatives) -> Alternatives:
    """What is so if one of these formulas is so. What would be too long says nothing."""
    result = _simplified(literals for formula in formulas for literals in formula)
    return result if len(result) <= _MOST_ALTERNATIVES else ALWAYS


def both(*formulas: Alternatives) -> Alternatives:
    """What is so if all of these formulas are so. A formula that makes the result long is left out: the rest is so,
    too."""
    result = ALWAYS
    for formula in formulas:
        longer = _simplified(one | other for one, other in product(result, formula))
        if len(longer) <= _MOST_ALTERNATIVES and all(len(literals) <= _MOST_LITERALS for literals in longer):
            result = longer
    return result


def _simplified(formula: Iterable[Conjunction]) -> Alternatives:
    """The alternatives without those that contradict themselves, and without those that others cover."""
    left = {literals for literals in formula if not any(f"!{literal}" in literals for literal in literals)}
    while True:
        # `a & b | !a & b` is b.
        pairs = ((literals, literal) for literals in left for literal in literals if (literals - {literal}) | {f"!{literal}"} in left)
        literals, literal = next(pairs, (frozenset(), ""))
        if not literal:
            return frozenset(literals for literals in left if not any(other < literals for other in left))
        left = (left - {literals, (literals - {literal}) | {f"!{literal}"}}) | {literals - {literal}}


def for_key(formula: Alternatives, key: str) -> Alternatives:
    """A formula for one key, without what a written value of the key makes so: that the mappings around it are not empty."""
    around = {".".join(key.split(".")[:length]) for length in range(1, key.count(".") + 1)}
    return _simplified(literals - around for literals in formula if not literals & {f"!{mapping}" for mapping in around})


def written(formula: Alternatives) -> str:
    """A formula as the tables have it; empty for what is always so."""
    return " | ".join(sorted(" & ".join(sorted(literals)) for literals in formula))


def parsed(text: str) -> Alternatives:
    """The formula of a table's text."""
    return frozenset(frozenset(filter(None, literals.split(" & "))) for literals in text.split(" | "))
