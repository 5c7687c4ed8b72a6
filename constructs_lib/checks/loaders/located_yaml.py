"""YAML with its places: plain values that keep their file and line.

Values are built from the parser's events, not from composed nodes: libyaml's composer recurses in C, and a file of fifty thousand `[` would
take the interpreter with it.
"""

from __future__ import annotations

import math
import re
import sys
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import yaml

from ..._arguments.kubernetes_yaml import DEEPEST, MOST_DIGITS, _KubernetesLoader
from ..model import Path, Skipped, Unknown, UnknownKey
from ..model.unknown import FILLED_IN, GAP
from .templates import MARKS, plain_yaml

Place = tuple[str, int]
"""A file and a line number, which counts from 1."""

_LARGEST = 2_000_000
_LARGEST_COPY = 10_000
_SHORT = 20
"""The longest text that is kept once, however often a file repeats it."""


class Map(dict[Any, Any]):
    """A mapping with the place of each key. A key that another tool fills in is an `UnknownKey`."""

    __slots__ = ("_file", "_places")

    def __init__(self, items: Any = (), places: dict[Any, Place] | None = None) -> None:
        super().__init__(items)
        self._places: dict[Any, Place] | array[int] | int | None = places

    @property
    def places(self) -> dict[Any, Place]:
        """The place of each key. A mapping from a file keeps line numbers only, until its places are asked for."""
        places = self._places
        if isinstance(places, dict):
            return places
        lines = repeat(places) if isinstance(places, int) else places or ()
        self._places = {key: (self._file, line) for key, line in zip(self, lines, strict=False)}
        return self._places

    @places.setter
    def places(self, places: dict[Any, Place]) -> None:
        self._places = places

    def set_lines(self, file: str, lines: Sequence[int]) -> None:
        """Set the line of each key, in the order of the keys."""
        self._file = file
        self._places = lines[0] if len(set(lines)) == 1 else array("I", lines)


class Seq(list[Any]):
    """A list with the place of each item."""

    __slots__ = ("places",)

    def __init__(self, items: Any = (), places: list[Place] | None = None) -> None:
        super().__init__(items)
        self.places: list[Place] = places or []


def opened(value: Any, place: Place) -> Any:
    """The value for a merge into a mapping: an unknown value becomes a mapping with an unknown key."""
    return Map({(key := _key(value)): value}, {key: place}) if isinstance(value, Unknown) else value


def opened_throughout(value: Any, by: Unknown) -> Any:
    """The value after a merge with an unknown value: each of its mappings and lists may have further items."""
    if isinstance(value, Map):
        key = _key(by)
        items = {name: opened_throughout(item, by) for name, item in value.items()}
        return Map({**items, key: by}, {**value.places, key: next(iter(value.places.values()), ("", 0))})
    if isinstance(value, Seq):
        return Seq([*(opened_throughout(item, by) for item in value), by], [*value.places, value.places[-1] if value.places else ("", 0)])
    return value


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a stream.

    `written` is its value before variables were substituted. `repeated` are the keys that stand twice in a mapping: each with its line, and the
    line of the key before.
    """

    value: Any
    place: Place
    written: Any = None
    repeated: tuple[tuple[str, int, int], ...] = ()
    aliased: int = 0
    """The number of values that its aliases repeat."""


def place_of(value: Any, path: Path, place: Place) -> Place:
    """The place of a path, or of the nearest enclosing value with a place. `place` is that of the whole value."""
    key: Any
    for key in path:
        if isinstance(value, Map) and not isinstance(key, Unknown) and key in value:
            place = value.places.get(key, place)
        elif isinstance(value, Seq) and isinstance(key, int) and -len(value) <= key < len(value):
            place = value.places[key] if key < len(value.places) else place
        else:
            break
        value = value[key]
    return place


def size_of(value: Any) -> int:
    """The number of values inside a value, and of the value itself."""
    items = value.values() if isinstance(value, Map) else value if isinstance(value, Seq) else ()
    return 1 + sum(map(size_of, items))


def may_be_copied(value: Any) -> bool:
    """Whether a value is small enough for a copy inside of another. Repeated copies of a value into itself grow like powers of two."""
    pending, size = [(value, 0)], 0
    while pending:
        each, depth = pending.pop()
        size += 1
        if size > _LARGEST_COPY or depth > DEEPEST // 2 or (isinstance(each, str) and len(each) > _LARGEST_COPY):
            return False
        items = each.values() if isinstance(each, Map) else each if isinstance(each, Seq) else ()
        pending += [(item, depth + 1) for item in items]
    return True


_BOUNDARY = re.compile(r"^---(?=\s|$)", re.MULTILINE)


def documents(text: str, file: str, line: int = 1, *, template: bool = False) -> tuple[list[Document], list[Skipped]]:
    """The documents of a stream. A document that is not YAML is skipped with its line, and the others are read.

    A line that begins with `---` ends a document in every context, so the stream is split there before it is parsed.
    """
    result: list[Document] = []
    skipped: list[Skipped] = []
    start = 0
    for end in [*(each.start() for each in _BOUNDARY.finditer(text)), len(text)]:
        piece = text[start:end]
        if piece.strip() not in ("", "---"):
            try:
                result.extend(_built(piece, file, line, template=template))
            except _NotYaml as error:
                skipped.append(Skipped(file=file, line=error.line, reason=error.reason))
        line += piece.count("\n")
        start = end
    return result, skipped


class _NotYaml(Exception):  # noqa: N818  # private to this module
    def __init__(self, line: int, problem: str, *, template: bool) -> None:
        self.line = line
        self.reason = f"a template that is not YAML before it is rendered: {problem}" if template else f"not YAML: {problem}"


# JSON writes a character above U+FFFF as a surrogate pair of escapes, which YAML does not know.
_PAIR = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")


def _character(pair: re.Match[str]) -> str:
    return chr(0x10000 + ((int(pair[1], 16) & 0x3FF) << 10) + (int(pair[2], 16) & 0x3FF))


def _built(text: str, file: str, line: int, *, template: bool) -> list[Document]:
    """The documents of a text. A text with template marks that is not YAML is read without the marks."""
    unsure: set[int] = set()
    if template:
        text, unsure = plain_yaml(text)
    try:
        return list(_Builder(text, file, line, unsure).documents())
    except yaml.YAMLError as error:
        if _PAIR.search(text):
            return _built(_PAIR.sub(_character, text), file, line, template=template)
        if not template and MARKS.search(text):
            return _built(text, file, line, template=True)
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "context", None) or " ".join(str(error).split())
        raise _NotYaml(line + (mark.line if mark else 0), problem, template=template) from None
    except ValueError as error:
        raise _NotYaml(line, str(error), template=template) from None


def _merge(others: list[Any], result: Map, lines: dict[Any, int]) -> None:
    """Add the entries of the mappings under `<<` that the mapping itself does not have."""
    for other in others:
        if isinstance(other, Map):
            for name in other:
                if name not in result:
                    result[name], lines[name] = other[name], other.places[name][1]


class _Builder:
    """Builds the values of one stream from the parser's events."""

    def __init__(self, text: str, file: str, line: int, unsure: set[int]) -> None:
        self.loader = _KubernetesLoader(text)
        self.text, self.file, self.line, self.unsure = text, file, line, unsure
        self.anchors: dict[str, Any] = {}
        self.sizes: dict[int, int] = {}
        self.size = self.aliased = 0
        self.repeated: list[tuple[str, int, int]] = []

    def documents(self) -> Iterator[Document]:
        loader = self.loader
        loader.get_event()
        while not loader.check_event(yaml.StreamEndEvent):
            loader.get_event()
            self.anchors, self.size, self.aliased, self.repeated = {}, 0, 0, []
            event = loader.get_event()
            place = (self.file, self.line + event.start_mark.line)
            value = self.value(event, 0)
            yield Document(value, place, repeated=tuple(self.repeated), aliased=self.aliased)
            loader.get_event()

    def value(self, event: Any, depth: int, *, is_key: bool = False) -> Any:
        kind = type(event)
        self.size += 1
        if kind is yaml.ScalarEvent:
            result = self.scalar(event)
            if self.unsure and not is_key and event.start_mark.line in self.unsure:
                result = Unknown(event.value, GAP)
        elif kind is yaml.AliasEvent:
            return self.alias(event)
        elif depth >= DEEPEST:
            raise yaml.MarkedYAMLError(problem=f"nested deeper than {DEEPEST} levels", problem_mark=event.start_mark)
        else:
            before = self.size
            result = self.mapping(event, depth + 1) if kind is yaml.MappingStartEvent else self.sequence(depth + 1)
            if event.anchor:
                self.sizes[id(result)] = self.size - before
        if event.anchor:
            self.anchors[event.anchor] = result
        return result

    def alias(self, event: Any) -> Any:
        if event.anchor not in self.anchors:
            raise yaml.MarkedYAMLError(problem=f"found undefined alias '{event.anchor}'", problem_mark=event.start_mark)
        result = self.anchors[event.anchor]
        size = self.sizes.get(id(result), 0)
        self.size, self.aliased = self.size + size, self.aliased + size
        if self.size > _LARGEST:
            raise yaml.MarkedYAMLError(problem=f"the aliases expand to more than {_LARGEST} values", problem_mark=event.start_mark)
        return result

    def sequence(self, depth: int) -> Seq:
        items = Seq()
        get, places, file, line = self.loader.get_event, items.places, self.file, self.line
        while type(event := get()) is not yaml.SequenceEndEvent:
            places.append((file, line + event.start_mark.line))
            items.append(self.value(event, depth))
        return items

    def mapping(self, start: Any, depth: int) -> Any:
        result = Map()
        get, file, line = self.loader.get_event, self.file, self.line
        lines: dict[Any, int] = {}
        merged: list[Any] = []
        while type(event := get()) is not yaml.MappingEndEvent:
            key = self.value(event, depth, is_key=True)
            value = self.value(get(), depth)
            if isinstance(key, Map | Seq):
                if start.flow_style and value is None and not result and self.loader.check_event(yaml.MappingEndEvent):
                    end = self.loader.get_event()
                    return Unknown(self.text[start.start_mark.index : end.end_mark.index])  # {{ an expression of a template }}
                continue
            key_line = line + event.start_mark.line
            if type(event) is yaml.ScalarEvent and event.value == "<<" and event.style in (None, ""):
                merged += [opened(each, (file, key_line)) for each in (value if isinstance(value, list) else [value])]
                continue
            name = sys.intern(key) if type(key) is str else _key(key)
            if type(name) is str and name in result:
                self.repeated.append((name, key_line, lines[name]))
            result[name], lines[name] = value, key_line
        _merge(merged, result, lines)
        if lines:
            result.set_lines(file, list(lines.values()))
        return result

    def scalar(self, event: Any) -> Any:
        value: str = event.value
        tag = event.tag
        if tag is None or tag == "!":
            if "${" in value or FILLED_IN.search(value):
                return Unknown(value)
            tag = self.loader.resolve(yaml.ScalarNode, value, event.implicit) if event.implicit[0] else _TEXT
        return sys.intern(value) if tag == _TEXT and len(value) <= _SHORT else value if tag == _TEXT else self.converted(tag, value)

    def converted(self, tag: str, value: str) -> Any:
        construct = _CONSTRUCT.get(tag)
        if construct is None:
            return Unknown(value, GAP)  # only the reader that knows the tag knows the value
        if len(value) > MOST_DIGITS:
            return value
        try:
            result = construct(self.loader, yaml.ScalarNode(tag, value))
        except (ValueError, LookupError):  # PyYAML looks at the first character, which an empty text does not have
            return value
        return value if isinstance(result, float) and not math.isfinite(result) else result


def _key(key: Any) -> Any:
    """The text of a key that is not a string, as Kubernetes converts YAML to JSON."""
    if isinstance(key, Unknown):
        return UnknownKey(key.text, key.known)
    if key is None:
        return "null"
    return str(key).lower() if isinstance(key, bool) else str(key)


_TEXT = "tag:yaml.org,2002:str"
_CONSTRUCT: dict[str, Any] = {
    f"tag:yaml.org,2002:{kind}": getattr(yaml.SafeLoader, f"construct_yaml_{kind}") for kind in ("null", "bool", "int", "float")
}
