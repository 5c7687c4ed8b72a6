"""Edits of a user's YAML file that leave every other byte unchanged: comments, order, quotes, indentation, line ends.

A round-trip library (ruamel.yaml) rewrites the whole file, and does not guarantee the bytes of unchanged parts. PyYAML
gives the position of every node in the text. So this module edits the text at those positions, and copies the rest.
"""

from __future__ import annotations

import copy
import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import yaml
from yaml.composer import Composer

from ..arguments.printable import HIDDEN
from .block import Verbatim, block, flow, word
from .load import EVENTS, LARGEST, loaded

MERGE, _NULL, _STRING = (f"tag:yaml.org,2002:{name}" for name in ("merge", "null", "str"))


# Without libyaml, as in a browser, the loader is itself a composer.
_BASES: tuple[Any, ...] = (EVENTS,) if issubclass(EVENTS, Composer) else (Composer, EVENTS)


class _Nodes(*_BASES):  # type: ignore[misc]  # the loaders are untyped
    """The composer of PyYAML on the events of libyaml. An alias becomes a node of its own with its own position."""

    def __init__(self, text: str) -> None:
        EVENTS.__init__(self, text)
        Composer.__init__(self)

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()
        node: Any = super().compose_node(parent, index)
        if isinstance(event, yaml.AliasEvent):
            node = copy.copy(node)
            node.start_mark, node.end_mark = event.start_mark, event.end_mark
        return node


def compose(text: str) -> Any:
    """The root node of the only document of a text, or None."""
    loaded(text, LARGEST)  # the composer recurses, and knows no limits
    return yaml.compose(text, Loader=_Nodes)


def composed(text: str) -> Any:
    """The root node of a text that `load` has read. An alias is the node that it names."""
    return yaml.compose(text, Loader=EVENTS)


def plain(node: Any) -> Any:
    """The value of a node, with aliases and merge keys resolved: mappings, lists, strings, None, and `Verbatim` for any
    other scalar.
    """
    if node.id == "sequence":
        return [plain(item) for item in node.value]
    if node.id == "scalar":
        if node.tag == _NULL:
            return None
        return node.value if node.tag == _STRING or node.style else Verbatim(node.value)
    merged: dict[str, Any] = {}
    own: dict[str, Any] = {}
    for key, value in node.value:
        if key.tag == MERGE:
            for source in value.value if value.id == "sequence" else [value]:
                merged = {**plain(source), **merged}
        else:
            own[key.value] = plain(value)
    return {**merged, **own}


def entry(mapping: Any, key: str) -> Any:
    """The nodes of a key and its value in the mapping itself, not from a merge key; None without the key."""
    return next(((name, value) for name, value in mapping.value if name.value == key), None)


def shown(text: str) -> str:
    """A stream of YAML documents whose hidden characters, such as those that turn the order of text, are escapes: a
    reader sees them.
    """
    return serialized(yaml.compose_all(text, Loader=EVENTS)) if HIDDEN.search(text) else text


def serialized(documents: Iterable[Any]) -> str:
    """The text of nodes. Each scalar with hidden characters is in double quotes, the only place where YAML has escapes
    for them.
    """
    nodes = list(documents)
    pending, seen = [*nodes], set[int]()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.ScalarNode):
            node.style = '"' if HIDDEN.search(node.value) else node.style
        elif node is not None:
            pending += itertools.chain.from_iterable(each if isinstance(each, tuple) else (each,) for each in node.value)
    written: str = yaml.serialize_all(nodes, Dumper=yaml.SafeDumper, allow_unicode=True, width=math.inf, explicit_start=len(nodes) > 1)
    return HIDDEN.sub(lambda found: f"\\U{ord(found[0]):08x}", written)


class Splice:
    """A text with the edits of it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root = compose(text)
        self._edits: list[tuple[int, int, str]] = []
        self._line_break = "\r\n" if "\r\n" in text else "\n"
        collections = [(key, value) for key, value in _entries(self.root) if not self._is_leaf(value)]
        self._step = _most(self._column(value) - key.start_mark.column for key, value in collections if value.id == "mapping")
        self._dash = _most(self._column(value) - key.start_mark.column for key, value in collections if value.id == "sequence")

    def grow(self, mapping: Any, target: Mapping[str, Any]) -> None:
        """Add the target to a mapping. An existing value must be a part of the value in the target."""
        values = plain(mapping)
        entries = {key: entry(mapping, key) for key in target}
        for key, nodes in entries.items():
            if nodes and values[key] != target[key]:
                self._grow_value(nodes[0], nodes[1], target[key], in_flow=mapping.flow_style)
        # New keys go below the changed values: both may end on the same line.
        self.append(mapping, {key: value for key, value in target.items() if not entries[key] and values.get(key) != value})

    def result(self) -> str:
        """The text with all edits."""
        pieces, done = [], 0
        for start, end, new in sorted(self._edits, key=lambda edit: edit[0]):
            pieces += [self.text[done:start], new]
            done = end
        return "".join([*pieces, self.text[done:]])

    def spans_of(self, edit: Callable[[Splice], None]) -> list[tuple[int, int, str]]:
        """The spans of an edit: start, end and new text. The edit is not made."""
        before, self._edits = self._edits, []
        try:
            edit(self)
            return self._edits
        finally:
            self._edits = before

    def _grow_value(self, key: Any, value: Any, target: Any, *, in_flow: bool) -> None:
        if value.id == "scalar" or self.is_alias(value):
            self.rewrite(key, value, target, in_flow=in_flow)
        elif value.id == "mapping":
            self.grow(value, target)
        else:
            for item, wanted in zip(value.value, target, strict=False):
                if plain(item) != wanted:
                    self._grow_value(None, item, wanted, in_flow=value.flow_style)
            self.append(value, target[len(value.value) :])

    def rewrite(self, key: Any, value: Any, target: Any, *, in_flow: bool) -> None:
        """Replace a scalar or an alias: on its line, or below its key for a value of several lines."""
        start, end = value.start_mark.index, value.end_mark.index
        if in_flow or key is None or not isinstance(target, Mapping | list):
            self._edits.append((start, end, " " * (start == end) + (word(target) if isinstance(target, str) else flow(target))))
            return
        line = self.text.rfind("\n", 0, start) + 1
        self._edits.append((line + len(self.text[line:start].rstrip(" ")), end, ""))
        column = key.start_mark.column + (self._step if isinstance(target, Mapping) else self._dash)
        self._insert(value, column, target)

    def remove(self, container: Any, index: int) -> None:
        """Remove an entry of a mapping, or an item of a list, with its lines. A container keeps at least one entry."""
        if container.flow_style and index:
            start, end = (_node(each).end_mark.index for each in container.value[index - 1 : index + 1])
        elif container.flow_style:
            start, end = ((each[0] if isinstance(each, tuple) else each).start_mark.index for each in container.value[:2])
        else:
            start = self.text.rfind("\n", 0, self.beginning(container, index)) + 1
            end = self._below(_node(container.value[index]))
        self._edits.append((start, end, ""))

    def beginning(self, container: Any, index: int) -> int:
        """The index in the text of an entry's key, or of an item's dash, in block style."""
        child = container.value[index]
        return child[0].start_mark.index if isinstance(child, tuple) else self.text.rfind("-", 0, child.start_mark.index)

    def append(self, container: Any, new: Any) -> None:
        """Add the entries of a mapping to a mapping, or the items of a list to a list."""
        if new and container.flow_style:
            last = _last(container)
            index = last.end_mark.index if last else container.end_mark.index - 1
            self._edits.append((index, index, ", " * bool(last) + flow(new)[1:-1]))
        elif new:
            self._insert(container, self._column(container), new)

    def _insert(self, node: Any, column: int, value: Any) -> None:
        """Insert lines below a node and below comments with the same indentation. At the column of a list a comment may
        belong to the next key.
        """
        index, least = self._below(node), column + isinstance(value, list)
        while comment := re.compile(rf"(\s*\n)? {{{least},}}#.*\n").match(self.text, index):
            index = comment.end()
        lines = [" " * column + line if line else line for line in block(value, step=self._step, dash=self._dash)]
        unended = bool(index) and self.text[index - 1] != "\n"
        self._edits.append((index, index, "".join(self._line_break * unended + line + self._line_break * (not unended) for line in lines)))

    def _below(self, node: Any) -> int:
        """The index of the line below a node, or the end of the text. PyYAML's end mark of a block lies after blank
        lines and comments.
        """
        while not self._is_leaf(node):
            node = _last(node)
        start, end = node.start_mark.index, node.end_mark.index
        if node.id == "scalar" and node.style in {"|", ">"}:
            if "+" in self.text[start : self.text.find("\n", start)]:
                return self.text.rfind("\n", 0, end) + 1
            end = start + len(self.text[start:end].rstrip())
        return self.text.find("\n", end) + 1 or len(self.text)

    def _column(self, collection: Any) -> int:
        """The column of the keys or the dashes of a block."""
        if collection.id == "mapping":
            return int(collection.value[0][0].start_mark.column)
        dash = self.text.rfind("-", 0, collection.value[0].start_mark.index)
        return dash - self.text.rfind("\n", 0, dash) - 1

    def _is_leaf(self, node: Any) -> bool:
        return node.id == "scalar" or bool(node.flow_style) or self.is_alias(node)

    def is_alias(self, node: Any) -> bool:
        """Whether the text has an alias (`*name`) at the position of a node."""
        return self.text.startswith("*", node.start_mark.index)


def _last(collection: Any) -> Any:
    return _node(collection.value[-1]) if collection.value else None


def _node(child: Any) -> Any:
    """The node of an item, or of the value of an entry."""
    return child[1] if isinstance(child, tuple) else child


def _most(widths: Iterable[int]) -> int:
    counted = list(widths)
    return max(counted, key=counted.count, default=2)


def _entries(node: Any) -> Iterator[tuple[Any, Any]]:
    """All keys with their values, at every depth."""
    for child in node.value if node and node.id != "scalar" else ():
        if isinstance(child, tuple):
            yield child
        yield from _entries(child[1] if isinstance(child, tuple) else child)
