"""Changes of a YAML document that are written together, and verified together: the document is read once, however many
changes it has."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...observed.model import Path
from ...yaml.load import YamlError, documents
from ..rule import Action

Owner = tuple[Action, int, int]
"""An action on a mapping or a list, which stands from one index of the text to another."""


class NotEditedError(Exception):
    """The reason for which an edit can't be made."""


class BesideError(NotEditedError):
    """Another change of the same text is in the way: the edit is made after that change."""


class OtherValuesError(ValueError):
    """The changes together would change other values of the document, too."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Change:
    """The value at a path of a document after a change, and the spans of the text that change: start, end, new text.

    `action` is None for a literal block, whose value is a document with changes of its own. Changes of one `owner` may
    stand side by side. `size` is the number of entries of the container from which a value is removed.
    """

    action: Action | None
    path: Path
    spans: Sequence[tuple[int, int, str | Callable[[], str]]]
    value: Any = None
    owner: Owner | None = None
    size: int = 0


class PendingChanges:
    """The changes of a document that are not written yet."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.changes: dict[Change, None] = {}
        self._spans: list[tuple[int, int, str | Callable[[], str], Change]] = []
        self._paths: set[Path] = set()
        self._removed: Counter[Owner | None] = Counter()

    def add(self, change: Change) -> None:
        """Add a change.

        Raises:
            BesideError: For a change that another change touches.
        """
        if change.path in self._paths:
            raise BesideError("another fix changes the same value")
        is_removal = change.action is Action.REMOVE
        if is_removal and self._removed[change.owner] and self._removed[change.owner] + 1 >= change.size:
            raise BesideError("another fix removes the values beside it")
        added = []
        for start, end, new in change.spans:
            near = [*self._near(start, end)]
            if any(not _may_touch(change, start, end, other) for other in near):
                raise BesideError("another fix changes the text beside it")
            is_next = near and change.owner is not None and isinstance(new, str) and self.text[start - 1 : start] in ("{", "[")
            added.append((start, end, f", {new}" if is_next and not is_removal else new, change))
        for each in added:
            self._spans.insert(bisect_right(self._spans, each[0], key=_start), each)
        self.changes[change] = None
        self._paths.add(change.path)
        self._removed[change.owner] += is_removal

    def withdraw(self, change: Change) -> None:
        """Take a change back."""
        del self.changes[change]
        self._spans = [each for each in self._spans if each[3] is not change]
        self._paths.discard(change.path)
        self._removed[change.owner] -= change.action is Action.REMOVE

    def _near(self, start: int, end: int) -> Iterator[tuple[int, int, Any, Change]]:
        """The spans that overlap a span or touch it. Spans don't overlap each other, so their ends are in order,
        too."""
        index = bisect_left(self._spans, start, key=_start)
        for before in reversed(range(index)):
            if self._spans[before][1] < start:
                break
            yield self._spans[before]
        while index < len(self._spans) and self._spans[index][0] <= end:
            yield self._spans[index]
            index += 1

    def written(self) -> str:
        """The new text of the document.

        Raises:
            OtherValuesError: For changes after which the document would have other values than the asked ones.
        """
        pieces, done = [], 0
        for start, end, new, _ in self._spans:
            pieces += [self.text[done:start], new if isinstance(new, str) else new()]
            done = end
        text = "".join([*pieces, self.text[done:]])
        if not _is_changed(self.text, text, [*self.changes]):
            raise OtherValuesError("the edit would change other values of the document")
        return text


def _start(span: tuple[int, int, Any, Change]) -> int:
    return span[0]


def _may_touch(change: Change, start: int, end: int, other: tuple[int, int, Any, Change]) -> bool:
    """Whether two spans side by side are changes of one container that don't depend on each other."""
    if change.owner is None or change.owner != other[3].owner:
        return False
    return change.action is not Action.REMOVE or end <= other[0] or other[1] <= start


def value_of(text: str) -> Any:
    """The value of the only document of a text."""
    return next(documents(text), None)


def _is_changed(old: str, new: str, changes: Sequence[Change]) -> bool:
    """Whether a new text of a document differs from the old only in the values of the changes."""
    try:
        found = value_of(new)
        return notation(_expected(value_of(old), changes, found)) == notation(found)
    except (LookupError, TypeError, YamlError):
        return False


def _expected(value: Any, changes: Sequence[Change], found: Any) -> Any:
    """The value of a document after changes. Removals come last, from the end: until then the indexes are those of the
    old text."""
    whole = {"": value}
    for change in changes:
        if change.action is not Action.REMOVE:
            inside, key = _place(whole, change.path)
            if change.action is None:
                inside[key] = _at(found, change.path)
            elif change.action is Action.APPEND:
                inside[key].extend(change.value)
            else:
                inside[key] = change.value
    for change in sorted(changes, key=lambda each: -each.spans[0][0]):
        if change.action is Action.REMOVE:
            inside, key = _place(whole, change.path)
            del inside[key]
    return whole[""]


def _place(whole: Any, path: Path) -> tuple[Any, Any]:
    above: Path = ("", *path)
    return _at(whole, above[:-1]), above[-1]


def _at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def notation(value: Any) -> str:
    """A value in JSON, in which values of other types and another order of keys differ."""
    return json.dumps(value, default=str)
