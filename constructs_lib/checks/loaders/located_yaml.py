"""YAML with its places: plain values that keep their file and line.

Values are built from the parser's events, not from composed nodes: libyaml's composer recurses in C, and a file of fifty thousand `[` would
take the interpreter with it.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

import yaml

from ..._arguments.kubernetes_yaml import MOST_DIGITS, _KubernetesLoader
from ..._arguments.yaml_limits import DEEPEST, check_depth
from ..model import Path, Skipped, Unknown, UnknownKey
from ..model.unknown import FILLED_IN, GAP
from .templates import MARKS, plain_yaml

Place = tuple[str, int]
"""A file and a line number, which counts from 1."""

_LARGEST = 2_000_000
_LARGEST_COPY = 10_000
_SHORT = 100
"""The longest text that is kept once if similar objects repeat it."""
_DIFFERENT = 1000
"""The most such texts at once: the names of many objects occur once each, and a table of all names would be larger than the names."""


_Lines = bytes | int
"""The lines of the entries of a mapping or a list: one number if they are in one line, else 32 bits for each line."""


def _packed(lines: Sequence[int]) -> _Lines:
    return lines[0] if lines.count(lines[0]) == len(lines) else array("I", lines).tobytes()


def _unpacked(lines: _Lines) -> Iterable[int]:
    return repeat(lines) if isinstance(lines, int) else array("I", lines)


class Map(dict[Any, Any]):
    """A mapping with the place of each key. A key that another tool fills in is an `UnknownKey`."""

    __slots__ = ("_file", "_places")

    def __init__(self, items: Any = (), places: dict[Any, Place] | None = None) -> None:
        super().__init__(items)
        self._places: dict[Any, Place] | _Lines = {} if places is None else places

    @property
    def places(self) -> dict[Any, Place]:
        """The place of each key, for a loader that changes the mapping. A mapping from a file keeps only line numbers until then."""
        places = self._places
        if not isinstance(places, dict):
            places = self._places = {key: (self._file, line) for key, line in zip(self, _unpacked(places), strict=False)}
        return places

    @places.setter
    def places(self, places: dict[Any, Place]) -> None:
        self._places = places

    def place(self, key: Any) -> Place | None:
        """The place of a key, without the memory that the places of all keys need."""
        places = self._places
        if isinstance(places, dict):
            return places.get(key)
        if isinstance(places, bytes):
            is_known = not isinstance(key, Unknown)  # an unknown key can't be compared
            for name, line in zip(self, array("I", places), strict=False):
                if name is key or (is_known and name.__class__ is key.__class__ and name == key):
                    return self._file, line
            return None
        return self._file, places

    def set_lines(self, file: str, lines: Sequence[int]) -> None:
        """Set the line of each key, in the order of the keys."""
        self._file, self._places = file, _packed(lines)


class Seq(list[Any]):
    """A list with the place of each item."""

    __slots__ = ("_file", "_places")

    def __init__(self, items: Any = (), places: list[Place] | None = None) -> None:
        super().__init__(items)
        self._places: list[Place] | _Lines = [] if places is None else places

    @property
    def places(self) -> list[Place]:
        """The place of each item, for a loader that changes the list. A list from a file keeps only line numbers until then."""
        places = self._places
        if not isinstance(places, list):
            places = self._places = [(self._file, line) for _, line in zip(self, _unpacked(places), strict=False)]
        return places

    def place(self, index: int) -> Place | None:
        """The place of an item, without the memory that the places of all items need."""
        places = self._places
        if isinstance(places, list):
            return places[index] if index < len(places) else None
        return self._file, places if isinstance(places, int) else array("I", places)[index]

    def set_lines(self, file: str, lines: Sequence[int]) -> None:
        """Set the line of each item."""
        self._file, self._places = file, _packed(lines)


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
        if (isinstance(value, Map) and not isinstance(key, Unknown) and key in value) or (
            isinstance(value, Seq) and isinstance(key, int) and -len(value) <= key < len(value)
        ):
            place = value.place(key) or place
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


# A second object of JSON without a separator follows its predecessor in the output of talosctl for several nodes.
_BOUNDARY = re.compile(r"^(?:---(?=\s|$)|(?<=\n\}\n)\{)", re.MULTILINE)


def documents(text: str, file: str, line: int = 1, *, template: bool = False) -> tuple[list[Document], list[Skipped]]:
    """The documents of a stream. A document that is not YAML is skipped with its line, and the others are read.

    A line that begins with `---` ends a document in every context, so the stream is split there before it is parsed. JSON has no separator: a
    line with `{` after a line with only `}` begins the next object.
    """
    result: list[Document] = []
    skipped: list[Skipped] = []
    start = 0
    texts: dict[str, str] = {}
    for end in chain((each.start() for each in _BOUNDARY.finditer(text)), [len(text)]):
        piece = text[start:end]
        if piece.strip() not in ("", "---"):
            try:
                result.extend(_built(piece, file, line, texts, template=template))
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


def _built(text: str, file: str, line: int, texts: dict[str, str], *, template: bool) -> list[Document]:
    """The documents of a text. A text with template marks that is not YAML is read without the marks."""
    unsure: set[int] = set()
    if template:
        text, unsure = plain_yaml(text)
    try:
        return list(_Builder(text, file, line, unsure, texts).documents())
    except yaml.YAMLError as error:
        if _PAIR.search(text):
            return _built(_PAIR.sub(_character, text), file, line, texts, template=template)
        if not template and MARKS.search(text):
            return _built(text, file, line, texts, template=True)
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "context", None) or " ".join(str(error).split())
        raise _NotYaml(line + (mark.line if mark else 0), problem, template=template) from None
    except ValueError as error:
        raise _NotYaml(line, str(error), template=template) from None


def _merge(others: list[Any], result: Map, lines: dict[Any, int], line: int) -> None:
    """Add the entries of the mappings under `<<` that the mapping itself does not have."""
    for other in others:
        if isinstance(other, Map):
            for name in other:
                if name not in result:
                    place = other.place(name)
                    result[name], lines[name] = other[name], place[1] if place else line


class _Builder:
    """Builds the values of one stream from the parser's events."""

    def __init__(self, text: str, file: str, line: int, unsure: set[int], texts: dict[str, str]) -> None:
        self.loader = _KubernetesLoader(text)
        self.text, self.file, self.line, self.unsure = text, file, line, unsure
        self.anchors: dict[str, Any] = {}
        self.sizes: dict[int, int] = {}
        self.size = self.aliased = 0
        self.repeated: list[tuple[str, int, int]] = []
        self.texts, self.once = texts, texts.setdefault
        self.latest = line
        """The latest line number: one number object for all values that begin in the line."""

    def documents(self) -> Iterator[Document]:
        loader = self.loader
        loader.get_event()
        while not loader.check_event(yaml.StreamEndEvent):
            loader.get_event()
            self.anchors, self.size, self.aliased, self.repeated = {}, 0, 0, []
            self.forget()
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
        else:
            check_depth(depth + 1, event)
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

    def forget(self) -> None:
        """Forget the texts once there are many different ones, such as the names of all objects."""
        if len(self.texts) > _DIFFERENT:
            self.texts.clear()

    def sequence(self, depth: int) -> Seq:
        items: list[Any] = []
        lines: list[int] = []
        get = self.loader.get_event
        while type(event := get()) is not yaml.SequenceEndEvent:
            self.forget()
            line = self.line + event.start_mark.line
            self.latest = line = self.latest if line == self.latest else line
            lines.append(line)
            items.append(self.value(event, depth))
        result = Seq(items)
        if lines:
            result.set_lines(self.file, lines)
        return result

    def mapping(self, start: Any, depth: int) -> Any:
        result = Map()
        get, file = self.loader.get_event, self.file
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
            key_line = self.line + event.start_mark.line
            self.latest = key_line = self.latest if key_line == self.latest else key_line
            if type(event) is yaml.ScalarEvent and event.value == "<<" and event.style in (None, ""):
                merged += [opened(each, (file, key_line)) for each in (value if isinstance(value, list) else [value])]
                continue
            name = key if type(key) is str else _key(key)
            if type(name) is str and name in result:
                self.repeated.append((name, key_line, lines[name]))
            result[name], lines[name] = value, key_line
        _merge(merged, result, lines, self.latest)
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
        return self.converted(tag, value) if tag != _TEXT else self.once(value, value) if len(value) <= _SHORT else value

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
