"""The differences between a tree and what its cluster file synthesizes, each with its explanation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from .plain_objects import leaves

_LONGEST = 60
Path = tuple[str | int, ...]


class Explanation(StrEnum):
    """The explanation of a difference."""

    KEPT = "kept by hand"
    """The file carries it as it is: as an Object, as values, or as the workload of request_gpus."""
    IMPROVED = "improved"
    """The rules of `talos-gpu check` find the tree's value wrong."""
    SPELLED_OUT = "default spelled out"
    """The file says a value that holds in the tree as well, by a default."""
    CONSTRUCT = "by the construct"
    """The construct decides it; no rule finds the tree's value wrong."""
    STAYS = "stays in its file"
    """The file of the tree goes on saying it: the Talos patch that `synth` writes is merged into that file."""
    OUTSIDE = "not deployed"
    """Nothing deploys the file, so it is no part of the cluster."""
    FOUND = "found by the checks"
    """The rules of `talos-gpu check` find it in what the file synthesizes, and not in the tree."""
    NOT_UNDERSTOOD = "not understood"
    """The part stays where it is, for the reason."""


@dataclass(frozen=True)
class Difference:
    """A difference, or a part that is kept or left out, with its place in the tree."""

    explanation: Explanation
    about: str
    reason: str
    path: Path = ()
    file: str = ""
    line: int = 0
    rule: str = ""

    @property
    def is_change(self) -> bool:
        """Whether the cluster would get something else than it has."""
        return self.explanation not in (Explanation.KEPT, Explanation.STAYS, Explanation.OUTSIDE)

    @property
    def text(self) -> str:
        """The difference as a line."""
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        because = f" because of {self.rule}" if self.rule else ""
        where = "".join(f"{'' if str(step).startswith('[') or not number else '.'}{step}" for number, step in enumerate(self.path))
        return f"{self.explanation}{because}: {place}{self.about}{f' {where}' if where else ''}: {self.reason}"


@dataclass(frozen=True)
class Change:
    """A value of the tree and the value in its place; None where one has no value."""

    path: Path
    theirs: Any
    ours: Any

    @property
    def name(self) -> str:
        """The path in words."""
        return ".".join(str(step) for step in self.path)

    @property
    def words(self) -> str:
        """The change in words."""
        if self.theirs is None:
            return f"{_short(self.ours)} is added"
        return f"{_short(self.theirs)} is left out" if self.ours is None else f"{_short(self.theirs)} becomes {_short(self.ours)}"


def changes(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> Iterator[Change]:
    """The changes between two mappings in normal form."""
    before, after = dict(leaves(theirs)), dict(leaves(ours))
    for path in dict.fromkeys([*before, *after]):
        old, new = before.get(path), after.get(path)
        if old != new:
            yield Change(path, None if old == {} and path not in after else old, None if new == {} and path not in before else new)


def with_value(body: Any, path: Path, value: Any) -> Any:
    """A copy of a mapping with another value at a path; None removes the value. A step `[name]` is the item of this name."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(body, list):
        name = str(step)[1:-1]
        key = next(
            (key for key in ("name", "mountPath") if any(isinstance(each, Mapping) and each.get(key) == name for each in body)), "name"
        )
        items = [with_value(each, rest, value) if isinstance(each, Mapping) and each.get(key) == name else each for each in body]
        if not any(isinstance(each, Mapping) and each.get(key) == name for each in body) and value is not None:
            items.append(with_value({key: name}, rest, value))
        return [each for each in items if each is not None]
    fields = dict(body) if isinstance(body, Mapping) else {}
    inner = with_value(fields.get(step), rest, value) if rest else value
    if inner is None or (value is None and inner == {}):
        fields.pop(step, None)
    else:
        fields[step] = inner
    return fields


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
