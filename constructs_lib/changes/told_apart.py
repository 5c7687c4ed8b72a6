"""The keys by which things of two sides are the same: one that several files of a side have is that of its file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

Key = tuple[str, ...]


class _InFile(Protocol):
    @property
    def file(self) -> str: ...


_Thing = TypeVar("_Thing", bound=_InFile)


def told_apart(sides: Sequence[Sequence[tuple[Key, _Thing]]]) -> list[list[tuple[Key, _Thing]]]:
    """The things of each side with their keys, and also with their file where several files of one side have the key."""
    several = in_several_files([(key, each.file) for key, each in side] for side in sides)
    return [[((*key, each.file) if key in several else key, each) for key, each in side] for side in sides]


def in_several_files(sides: Iterable[Iterable[tuple[Key, str]]]) -> set[Key]:
    """The keys that several files of one side have, such as those of two clusters."""
    return {key for side in sides for key, number in Counter(key for key, _ in set(side)).items() if number > 1}
