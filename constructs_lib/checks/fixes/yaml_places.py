"""The place of a value in the text of a file: a node of a YAML document, or of a document in a literal block of another
document."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...observed.model import Path, is_unknown
from ...observed.read.documents import pieces
from ...yaml.load import YamlError
from ...yaml.splice import MERGE, Splice
from .pending_changes import Change, NotEditedError, PendingChanges, notation, value_of

_MOST_OF_LINE = 1000
"""The most values of a line with an edit. Each edit is compared with all values of its line."""

Log = list[tuple[PendingChanges, Change, bool]]
"""The changes of a fix, each with the document that it changes, and whether no fix before has made the same change of a
literal block."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Spot:
    """A node in a part. `above` is the mapping or the list around it, `key` and `name` its key and the node of the key,
    `index` its position."""

    part: Part
    node: Any
    above: Spot | None = None
    key: str | int | None = None
    name: Any = None
    index: int = 0

    @property
    def path(self) -> Path:
        """The path in the part's document."""
        return tuple(each.key for each in self.chain[1:] if each.key is not None)

    @property
    def chain(self) -> list[Spot]:
        """The spots from the root down to this one."""
        chain, above = [self], self.above
        while above is not None:
            chain.append(above)
            above = above.above
        return chain[::-1]

    @property
    def is_shared(self) -> bool:
        """Whether an anchor, an alias or a tag stands at the node or around it, so that the value has other readers."""
        return any(self.part.text.startswith(("&", "*", "!"), each.node.start_mark.index) for each in self.chain)

    @property
    def line(self) -> int:
        """The line of the node's key, or of an item."""
        return self.part.line_of(self.node if self.name is None else self.name)


class Part:
    """A YAML document in the text of a file, composed once. `line` is its first line, `holder` the literal block that
    holds its text."""

    def __init__(self, text: str, line: int, holder: tuple[Part, Change] | None = None) -> None:
        self.text, self.line, self.holder = text, line, holder
        self.splice = Splice(text)
        self.pending = PendingChanges(text)
        self._keys: dict[tuple[int, int], Counter[str]] = {}

    def line_of(self, node: Any) -> int:
        """The line of a node in the file."""
        return self.line + int(node.start_mark.line)

    @cached_property
    def spots(self) -> list[Spot]:
        """Every node of the document, the root first."""
        result = [] if self.splice.root is None else [Spot(part=self, node=self.splice.root)]
        for above in result:
            if above.node.id == "scalar" or self.splice.is_alias(above.node):
                continue
            for index, child in enumerate(above.node.value):
                name, node = child if isinstance(child, tuple) else (None, child)
                key = index if name is None else name.value
                if isinstance(key, str | int) and (name is None or name.tag != MERGE):
                    result.append(Spot(part=self, node=node, above=above, key=key, name=name, index=index))
        return result

    @cached_property
    def _of_lines(self) -> dict[int, list[Spot]]:
        result: dict[int, list[Spot]] = {}
        for spot in self.spots[1:]:
            result.setdefault(spot.line, []).append(spot)
        return result

    def spots_at(self, line: int | None) -> list[Spot]:
        """The nodes that begin on a line, without the root."""
        spots = [] if line is None else self._of_lines.get(line, [])
        if len(spots) > _MOST_OF_LINE:
            raise NotEditedError(f"the line has more than {_MOST_OF_LINE} values: write each value on a line of its own")
        return spots

    @cached_property
    def of_paths(self) -> dict[Path, Spot]:
        """The nodes by their paths."""
        return {spot.path: spot for spot in self.spots}

    @cached_property
    def value(self) -> Any:
        """The value of the document."""
        return value_of(self.text)

    def has_comment(self, start: int, end: int) -> bool:
        """Whether a span has a comment with a line of its own."""
        index = bisect_left(self._comments, start)
        return index < len(self._comments) and self._comments[index] < end

    @cached_property
    def _comments(self) -> list[int]:
        """The index of each comment that has a line of its own. A `#` in a scalar begins none."""
        nodes = (node for spot in self.spots for node in (spot.name, spot.node) if node is not None and node.id == "scalar")
        scalars = sorted((node.start_mark.index, node.end_mark.index) for node in nodes)
        result = []
        for match in re.finditer(r"(?m)^[ \t]*#", self.text):
            comment = match.end() - 1
            before = bisect_right(scalars, (comment, len(self.text))) - 1
            if before < 0 or scalars[before][1] <= comment:
                result.append(comment)
        return result

    def number_of(self, mapping: Any, key: str) -> int:
        """The number of times that a mapping has a key."""
        place = mapping.start_mark.index, mapping.end_mark.index
        if place not in self._keys:
            self._keys[place] = Counter(name.value for name, _ in mapping.value)
        return self._keys[place][key]

    @cached_property
    def _blocks(self) -> dict[int, Draft]:
        """The literal blocks that can be written back, by the line below their keys."""
        result = {}
        for spot in self.spots:
            block = None if spot.node.id != "scalar" or spot.is_shared else block_of(self, spot.node)
            if block is not None:
                result[self.line_of(spot.node) + 1] = self._draft_of(spot, *block)
        return result

    def _draft_of(self, spot: Spot, start: int, end: int, indentation: str) -> Draft:
        def new() -> str:
            return _indented(draft.text(), indentation)

        change = Change(action=None, path=spot.path, spans=[(start, end, new)])
        draft = Draft(_dedented(self.text[start:end], indentation), self.line_of(spot.node) + 1, (self, change))
        return draft

    def embedded_at(self, line: int) -> list[Part]:
        """The documents with a line in the literal block that has the line."""
        index = bisect_right(self._firsts, line) - 1
        try:
            return [] if index < 0 else self._blocks[self._firsts[index]].parts_at(line)
        except YamlError:
            return []  # a script, or another text

    @cached_property
    def _firsts(self) -> list[int]:
        return sorted(self._blocks)

    def add(self, change: Change, log: Log) -> None:
        """Add a change of the document, and note it in a log. The change of an embedded document changes its literal
        block."""
        if self.holder is not None:
            outer, block = self.holder
            if block in outer.pending.changes:
                log.append((outer.pending, block, False))
            else:
                outer.add(block, log)
        self.pending.add(change)
        log.append((self.pending, change, True))


class Draft:
    """A text with the changes of its documents. Lines are those of the text before the changes; `first` is the number
    of its first line."""

    def __init__(self, text: str, first: int = 1, holder: tuple[Part, Change] | None = None) -> None:
        self._pieces = [(text[start:end], line) for start, end, line in pieces(text, first)]
        self._lines = [line for _, line in self._pieces]
        self._parts: dict[int, Part | YamlError] = {}
        self._holder = holder

    def parts_at(self, line: int) -> list[Part]:
        """The document with a line, and the documents in literal blocks that have the line, too."""
        index = bisect_right(self._lines, line) - 1
        text, begin = self._pieces[max(index, 0)]
        if index < 0 or line >= begin + text.count("\n") + (not text.endswith("\n")) or text.strip() in ("", "---"):
            return []
        if index not in self._parts:
            try:
                self._parts[index] = Part(text, begin, self._holder)
            except YamlError as error:
                self._parts[index] = error
        part = self._parts[index]
        if isinstance(part, YamlError):
            raise part
        return [part, *part.embedded_at(line)]

    def text(self) -> str:
        """The text with the changes.

        Raises:
            OtherValuesError: With the changes after which a document would have other values than the asked ones.
        """
        new = []
        for index, (text, _) in enumerate(self._pieces):
            part = self._parts.get(index)
            new.append(part.pending.written() if isinstance(part, Part) and part.pending.changes else text)
        return "".join(new)


def embedded_part(spot: Spot) -> Part | None:
    """The document in a literal block; None for another node."""
    if spot.node.id != "scalar" or spot.is_shared or block_of(spot.part, spot.node) is None:
        return None
    return next(iter(spot.part.embedded_at(spot.part.line_of(spot.node) + 1)), None)


def block_of(part: Part, node: Any) -> tuple[int, int, str] | None:
    """Start, end and indentation of the lines of a literal block. None for another scalar, and for a block that can't
    be written back."""
    if node.id != "scalar" or node.style != "|":
        return None
    text = part.text
    start = text.find("\n", node.start_mark.index) + 1
    end = node.end_mark.index
    if not start or re.search(r"\d", text[node.start_mark.index : start].partition("#")[0]):
        return None
    body = text[start:end]
    indentation = min((re.match(" *", line)[0] for line in body.split("\n") if line.strip()), key=len, default="")  # type: ignore[index]
    return (start, end, indentation) if _indented(_dedented(body, indentation), indentation) == body else None


def _dedented(body: str, indentation: str) -> str:
    return re.sub(rf"(?m)^{indentation}", "", body)


def _indented(text: str, indentation: str) -> str:
    return re.sub(r"(?m)^(?=.*\S)", indentation, text)


def is_same(node: Any, value: Any) -> bool:
    """Whether a node may be the place of a value that was read.

    A scalar is the same value, and a list has as many items. A mapping has only keys of the value, which may come from
    several places.
    """
    if isinstance(value, Mapping):
        return node.id == "mapping" and {key.value for key, _ in node.value if key.tag != MERGE} <= {*map(str, value)}
    if isinstance(value, list | tuple):
        return node.id == "sequence" and len(node.value) == len(value)
    return node.id == "scalar" and not is_unknown(value) and notation(_scalar(node)) == notation(value)


def _scalar(node: Any) -> Any:
    if node.style:
        return node.value
    try:
        return value_of(node.value) if node.value else None
    except YamlError:
        return node.value
