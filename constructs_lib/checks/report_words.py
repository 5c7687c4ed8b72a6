"""The words of a report: places, counts and lists."""

from __future__ import annotations

from collections.abc import Iterable


def place(file: str, line: int | None) -> str:
    """`file:line`, which editors and terminals turn into a link."""
    return f"{file}:{line}" if line is not None else file


def count(number: int, name: str) -> str:
    """`1 error`, `2 errors`, `2 RuntimeClasses of NVIDIA`, `2 ClusterPolicies`: the noun before an `of` has the
    plural."""
    first, of, rest = name.partition(" of ")
    if number != 1:
        first = f"{first[:-1]}ies" if first.endswith("cy") else f"{first}{'es' if first.endswith('s') else 's'}"
    return f"{number} {first}{of}{rest}"


def listed(words: Iterable[str], conjunction: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, last = words
    return f"{', '.join(first)} {conjunction} {last}" if first else last
