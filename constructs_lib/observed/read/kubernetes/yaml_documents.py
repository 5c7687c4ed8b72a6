"""The documents of a stream of YAML or JSON, as values with their places.

Values are built from the parser's events, not from composed nodes: libyaml's composer recurses in C, and a file of fifty thousand `[` would
take the interpreter with it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

import yaml

from ....yaml.json_escapes import without_pairs
from ....yaml.kubernetes_yaml import MOST_DIGITS, _KubernetesLoader
from ....yaml.limits import check_depth
from ...model import Skipped, Unknown
from ...model.unknown import FILLED_IN, GAP
from ..helm.templates import MARKS, plain_yaml
from .located_yaml import Document, Map, Seq, key_text, opened

_LARGEST = 2_000_000
_SHORT = 100
"""The longest text that is kept once if similar objects repeat it."""
_DIFFERENT = 1000
"""The most such texts at once: the names of many objects occur once each, and a table of all names would be larger than the names."""


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


def _built(text: str, file: str, line: int, texts: dict[str, str], *, template: bool) -> list[Document]:
    """The documents of a text. A text with template marks that is not YAML is read without the marks."""
    unsure: set[int] = set()
    if template:
        text, unsure = plain_yaml(text)
    try:
        return list(_Builder(text, file, line, unsure, texts).documents())
    except yaml.YAMLError as error:
        if (plain := without_pairs(text)) != text:
            return _built(plain, file, line, texts, template=template)
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
            name = key if type(key) is str else key_text(key)
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


_TEXT = "tag:yaml.org,2002:str"
_CONSTRUCT: dict[str, Any] = {
    f"tag:yaml.org,2002:{kind}": getattr(yaml.SafeLoader, f"construct_yaml_{kind}") for kind in ("null", "bool", "int", "float")
}
