"""The place of a value in the text of a file: a node of a YAML document, or of a document in a literal block of another document."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from ..._arguments import kubernetes_yaml
from ..._arguments.yaml_splice import MERGE, Splice
from ..loaders.yaml_documents import _BOUNDARY
from ..model import Path, is_unknown


class Part:
    """A YAML document in the text of a file. `line` is its first line, and `write` gives the text of the file for a new text of the document."""

    def __init__(self, text: str, line: int, write: Callable[[str], str]) -> None:
        self.text, self.line, self.write = text, line, write
        self.splice = Splice(text)

    def line_of(self, node: Any) -> int:
        """The line of a node in the file."""
        return self.line + int(node.start_mark.line)


@dataclass(frozen=True, kw_only=True, slots=True)
class Spot:
    """A node in a part, with its path in the part's document, and the nodes from the root down to it."""

    part: Part
    path: Path
    chain: tuple[Any, ...]

    @property
    def node(self) -> Any:
        """The node itself."""
        return self.chain[-1]

    @property
    def is_shared(self) -> bool:
        """Whether an anchor, an alias or a tag stands at the node or around it, so that the value has other readers."""
        return any(self.part.text.startswith(("&", "*", "!"), each.start_mark.index) for each in self.chain)


def parts(text: str, line: int, first: int = 1, write: Callable[[str], str] | None = None) -> Iterator[Part]:
    """The document with a line, and the documents in literal blocks that have the line, too. `first` is the number of the text's first line."""
    for start, end, begin in _pieces(text, first):
        piece = text[start:end]
        if begin <= line < begin + piece.count("\n") + (not piece.endswith("\n")) and piece.strip() not in ("", "---"):

            def written(new: str, start: int = start, end: int = end) -> str:
                whole = text[:start] + new + text[end:]
                return whole if write is None else write(whole)

            part = Part(piece, begin, written)
            yield part
            for spot in spots(part):
                yield from _embedded(part, spot, line)


def spots(part: Part) -> Iterator[Spot]:
    """Every node of a part, the root first."""
    root = part.splice.root
    pending = [] if root is None else [Spot(part=part, path=(), chain=(root,))]
    while pending:
        spot = pending.pop()
        yield spot
        if spot.node.id == "scalar" or part.splice.is_alias(spot.node):
            continue
        for index, child in enumerate(spot.node.value):
            key, node = (child[0].value, child[1]) if isinstance(child, tuple) else (index, child)
            is_merged = isinstance(child, tuple) and child[0].tag == MERGE
            if isinstance(key, str | int) and not is_merged:
                pending.append(Spot(part=part, path=(*spot.path, key), chain=(*spot.chain, node)))


def _pieces(text: str, line: int) -> Iterator[tuple[int, int, int]]:
    """Start, end and first line of each document of a stream, as `loaders.yaml_documents.documents` splits a stream."""
    start = 0
    for end in [*(each.start() for each in _BOUNDARY.finditer(text)), len(text)]:
        yield start, end, line
        line += text.count("\n", start, end)
        start = end


def block_of(part: Part, node: Any) -> tuple[int, int, str] | None:
    """Start, end and indentation of the lines of a literal block. None for another scalar, and for a block that can't be written back."""
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


def _embedded(part: Part, spot: Spot, line: int) -> Iterator[Part]:
    block = block_of(part, spot.node)
    if block is None or spot.is_shared:
        return
    start, end, indentation = block
    first = part.line_of(spot.node) + 1

    def written(new: str) -> str:
        whole = part.text[:start] + _indented(new, indentation) + part.text[end:]
        check_changed(part.text, whole, spot.path, _text_at(whole, spot.path))
        return part.write(whole)

    body = _dedented(part.text[start:end], indentation)
    if first <= line < first + body.count("\n") + (not body.endswith("\n")):
        try:
            yield from parts(body, line, first, written)
        except yaml.YAMLError:
            return  # a script, or another text


def embedded_part(spot: Spot) -> Part | None:
    """The document in a literal block; None for another node."""
    return next(_embedded(spot.part, spot, spot.part.line_of(spot.node) + 1), None)


def _dedented(body: str, indentation: str) -> str:
    return re.sub(rf"(?m)^{indentation}", "", body)


def _indented(text: str, indentation: str) -> str:
    return re.sub(r"(?m)^(?=.*\S)", indentation, text)


def _text_at(text: str, path: Path) -> Any:
    value = value_of(text)
    for key in path:
        value = value[key]
    return value


def value_of(text: str) -> Any:
    """The value of the only document of a text."""
    return next(kubernetes_yaml.documents(text), None)


def comment_lines(text: str) -> list[str]:
    """The lines of a document that are comments. A `#` in a scalar begins none."""
    rest, done = "", 0
    for token in yaml.scan(text):
        if isinstance(token, yaml.ScalarToken):
            end = token.end_mark.index
            rest += text[done : token.start_mark.index] + ("\n" if text[:end].endswith("\n") else ".")
            done = end
    return re.findall(r"(?m)^[ \t]*#.*", rest + text[done:])


def check_changed(old: str, new: str, path: Path, value: Any) -> None:
    """Raise a ValueError unless a new text of a document differs from the old only in the value at a path; ABSENT for a removed value."""
    expected, found = value_of(old), value_of(new)
    if path:
        inside = expected
        for key in path[:-1]:
            inside = inside[key]
        if value is ABSENT:
            del inside[path[-1]]
        else:
            inside[path[-1]] = value
    else:
        expected = value
    if _written(expected) != _written(found):
        raise ValueError("the edit would change other values of the document")


ABSENT: Any = object()
"""The value of a path that is removed."""


def _written(value: Any) -> str:
    return json.dumps(value, default=str)


def is_same(node: Any, value: Any, added: frozenset[str | int] = frozenset()) -> bool:
    """Whether a node may be the place of a value that was read.

    A scalar is the same value, and a list has as many items. A mapping has only keys of the value, which may come from several places, and keys
    that were added since.
    """
    if isinstance(value, Mapping):
        return node.id == "mapping" and {key.value for key, _ in node.value if key.tag != MERGE} <= {*map(str, value), *added}
    if isinstance(value, list | tuple):
        return node.id == "sequence" and len(node.value) == len(value)
    return node.id == "scalar" and not is_unknown(value) and _written(_scalar(node)) == _written(value)


def _scalar(node: Any) -> Any:
    if node.style:
        return node.value
    try:
        return value_of(node.value) if node.value else None
    except yaml.YAMLError:
        return node.value
