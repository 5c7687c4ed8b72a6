"""Add to YAML that somebody wrote, and leave every other byte of it alone: comments, order, quotes, indentation, line ends.

A library that round-trips (ruamel.yaml) writes the whole file anew, and does not promise the bytes of what it was not asked to change.
PyYAML tells where each node stands in the text, so what is new goes in there, and the rest of the text is never written.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .block_yaml import Verbatim, block, flow, word

if TYPE_CHECKING:
    from yaml.nodes import Node

_MERGE, _NULL, _STRING = (f"tag:yaml.org,2002:{name}" for name in ("merge", "null", "str"))


def compose(text: str) -> Any:
    """The root node of the only document of a text, or None; an alias is a node of its own, which knows where it stands."""
    import yaml

    class Loader(yaml.SafeLoader):
        def compose_node(self, parent: Node | None, index: int) -> Any:
            event: Any = self.peek_event()  # type: ignore[no-untyped-call]  # PyYAML's stubs leave it out
            node: Any = super().compose_node(parent, index)
            if isinstance(event, yaml.AliasEvent):
                node = copy.copy(node)
                node.start_mark, node.end_mark = event.start_mark, event.end_mark
            return node

    return yaml.compose(text, Loader=Loader)


def plain(node: Any) -> Any:
    """What a node says, with its aliases and merge keys: mappings, lists, strings, None, and `Verbatim` for any other scalar."""
    if node.id == "sequence":
        return [plain(item) for item in node.value]
    if node.id == "scalar":
        if node.tag == _NULL:
            return None
        return node.value if node.tag == _STRING or node.style else Verbatim(node.value)
    merged: dict[str, Any] = {}
    own: dict[str, Any] = {}
    for key, value in node.value:
        if key.tag == _MERGE:
            for each in value.value if value.id == "sequence" else [value]:
                merged = {**plain(each), **merged}
        else:
            own[key.value] = plain(value)
    return {**merged, **own}


def entry(mapping: Any, key: str) -> Any:
    """The nodes of a key and its value, where the mapping itself has them; else None."""
    return next(((name, value) for name, value in mapping.value if name.value == key), None)


class Splice:
    """One text, and what is to be added to it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root = compose(text)
        self._edits: list[tuple[int, int, str]] = []
        self._line_break = "\r\n" if "\r\n" in text else "\n"
        collections = [(key, value) for key, value in _entries(self.root) if not self._is_leaf(value)]
        self._step = _most(self._column(value) - key.start_mark.column for key, value in collections if value.id == "mapping")
        self._dash = _most(self._column(value) - key.start_mark.column for key, value in collections if value.id == "sequence")

    def grow(self, mapping: Any, target: Mapping[str, Any]) -> None:
        """Make a mapping say what the target says too; a value that is there already must be a part of the one in the target."""
        said = plain(mapping)
        found = {key: entry(mapping, key) for key in target}
        for key, there in found.items():
            if there and said[key] != target[key]:
                self._grow_value(there[0], there[1], target[key], in_flow=mapping.flow_style)
        # What is new goes below all that grew: both may end on the same line.
        self._append(mapping, {key: value for key, value in target.items() if not found[key] and said.get(key) != value})

    def result(self) -> str:
        """The text with everything that was added."""
        pieces, done = [], 0
        for start, end, new in sorted(self._edits, key=lambda edit: edit[0]):
            pieces += [self.text[done:start], new]
            done = end
        return "".join([*pieces, self.text[done:]])

    def _grow_value(self, key: Any, value: Any, target: Any, *, in_flow: bool) -> None:
        if value.id == "scalar" or self.is_alias(value):
            self._rewrite(key, value, target, in_flow=in_flow)
        elif value.id == "mapping":
            self.grow(value, target)
        else:
            for item, wanted in zip(value.value, target, strict=False):
                if plain(item) != wanted:
                    self._grow_value(None, item, wanted, in_flow=value.flow_style)
            self._append(value, target[len(value.value) :])

    def _rewrite(self, key: Any, value: Any, target: Any, *, in_flow: bool) -> None:
        """Write a scalar or an alias anew: on its line, or below its key where it takes several."""
        start, end = value.start_mark.index, value.end_mark.index
        if in_flow or key is None or not isinstance(target, Mapping | list):
            self._edits.append((start, end, " " * (start == end) + (word(target) if isinstance(target, str) else flow(target))))
            return
        self._edits.append((min(start, len(self.text[:start].rstrip(" "))), end, ""))
        column = key.start_mark.column + (self._step if isinstance(target, Mapping) else self._dash)
        self._insert(value, column, target)

    def _append(self, container: Any, new: Any) -> None:
        if new and container.flow_style:
            last = _last(container)
            index = last.end_mark.index if last else container.end_mark.index - 1
            self._edits.append((index, index, ", " * bool(last) + flow(new)[1:-1]))
        elif new:
            self._insert(container, self._column(container), new)

    def _insert(self, node: Any, column: int, value: Any) -> None:
        """Write lines below a node and the comments that are indented as it is; in line with a list they may be the next key's."""
        index, least = self._below(node), column + isinstance(value, list)
        while comment := re.compile(rf"(\s*\n)? {{{least},}}#.*\n").match(self.text, index):
            index = comment.end()
        lines = [" " * column + line if line else line for line in block(value, step=self._step, dash=self._dash)]
        unended = bool(index) and self.text[index - 1] != "\n"
        self._edits.append((index, index, "".join(self._line_break * unended + line + self._line_break * (not unended) for line in lines)))

    def _below(self, node: Any) -> int:
        """Where the line below a node begins, or the end of the text; PyYAML's own marks of a block lie below what follows it."""
        while not self._is_leaf(node):
            node = _last(node)
        start, end = node.start_mark.index, node.end_mark.index
        if node.id == "scalar" and node.style in {"|", ">"}:
            if "+" in self.text[start : self.text.find("\n", start)]:
                return self.text.rfind("\n", 0, end) + 1
            end = start + len(self.text[start:end].rstrip())
        return self.text.find("\n", end) + 1 or len(self.text)

    def _column(self, collection: Any) -> int:
        """Where the keys, or the dashes, of a block stand."""
        if collection.id == "mapping":
            return int(collection.value[0][0].start_mark.column)
        dash = self.text.rfind("-", 0, collection.value[0].start_mark.index)
        return dash - self.text.rfind("\n", 0, dash) - 1

    def _is_leaf(self, node: Any) -> bool:
        return node.id == "scalar" or bool(node.flow_style) or self.is_alias(node)

    def is_alias(self, node: Any) -> bool:
        """Whether a node stands elsewhere, and here only its name."""
        return self.text.startswith("*", node.start_mark.index)


def _last(collection: Any) -> Any:
    last = collection.value[-1] if collection.value else None
    return last[1] if isinstance(last, tuple) else last


def _most(widths: Iterable[int]) -> int:
    found = list(widths)
    return max(found, key=found.count, default=2)


def _entries(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every key with its value, at any depth."""
    for child in node.value if node and node.id != "scalar" else ():
        if isinstance(child, tuple):
            yield child
        yield from _entries(child[1] if isinstance(child, tuple) else child)
