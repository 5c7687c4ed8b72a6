"""YAML and JSON as the located tree, with limits, and with the types that Kubernetes gives to scalars.

Kubernetes reads fewer words than PyYAML as dates, numbers or bools: `2024-01-01` and `22:22` are texts, and JSON has no
dates.

Values are built from the parser's events, not from composed nodes: libyaml's composer recurses in C, so a file of fifty
thousand `[` would end the interpreter; and a few anchors that contain each other expand to billions of values. The
events show both without recursion.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from ..arguments.patterns import pattern
from .located import DEEPEST, Document, Map, Seq, key_text, opened
from .unknown import FILLED_IN, GAP, Unknown, UnknownKey

LARGEST = 100_000
"""The most values of a text that a user writes by hand, once its aliases are expanded."""
_LARGEST_READ = 2_000_000
"""The most values of another document."""
MOST_DIGITS = 1000
"""The most characters of a number. A longer one is a text: Python refuses to convert it, or to print it."""
EVENTS: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader of the events: the C loader is many times faster, and untyped."""

_SHORT = 100
"""The longest text that is kept once if similar objects repeat it."""
_DIFFERENT = 1000
"""The most such texts at once: the names of many objects occur once each, and a table of all names would be larger than
the names.
"""
_NOTHING: Any = object()

_INT = pattern(r"[-+]?(0|[1-9][0-9_]*|0x_*[0-9a-fA-F][0-9a-fA-F_]*|0o?_*[0-7][0-7_]*|0b_*[01][01_]*)")
_FLOAT = pattern(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_OF_NUMBERS = frozenset("-+.0123456789")
_TRUE, _FALSE = ("yes", "true", "on"), ("no", "false", "off")
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **{form: True for word in _TRUE for form in (word, word.title(), word.upper())},
    **{form: False for word in _FALSE for form in (word, word.title(), word.upper())},
}
_OF_YAML_1_1 = frozenset({"yes", "no", "on", "off"})
"""The words that kubectl and Helm read as a bool, by YAML 1.1, and kustomize as a text, by YAML 1.2."""
_TAG = "tag:yaml.org,2002:"
_PAIR = pattern(r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
"""JSON's escapes of a character above U+FFFF, which YAML does not know."""


YamlError = yaml.YAMLError
"""The error of a text that is not YAML, or is beyond the limits. No other room imports PyYAML."""


class Texts:
    """The short texts of a stream, each kept once, and the values of its plain scalars."""

    def __init__(self) -> None:
        self.once: dict[str, str] = {}
        self.typed: dict[str, Any] = {}

    def forget(self) -> None:
        """Forget the texts once there are many different ones."""
        if len(self.once) > _DIFFERENT:
            self.once.clear()
        if len(self.typed) > _DIFFERENT:
            self.typed.clear()


def located(text: str, file: str, line: int = 1, *, unsure: Collection[int] = (), texts: Texts | None = None) -> list[Document]:
    """The documents of a text of a repository. Values that another tool fills in are `Unknown`, and so are those on the
    `unsure` lines (from 0).

    Keys are strings, as in JSON. A key that is a list or a mapping is left out. The value of an unknown tag is
    `Unknown`.

    Raises:
        YamlError: With the line and the column, for a text that is not YAML or is beyond the limits.
    """
    return _read(text, _Rules(file, line, _LARGEST_READ, is_of_others=True, unsure=unsure), texts or Texts())


def loaded(text: str, largest: float = math.inf) -> list[Document]:
    """The documents of a text that Kubernetes or this library reads as it is: `${VAR}` is a text like others.

    Raises:
        YamlError: As `located` does, and for an unknown tag, and for a value that is not of the kind that its tag
        names.
    """
    return _read(text, _Rules("", 1, largest), Texts())


def handwritten(text: str, largest: float = LARGEST) -> list[Document]:
    """The documents of `loaded` that somebody wrote for this library, without empty ones.

    Raises:
        YamlError: As `loaded` does, and for a key that stands twice in a mapping: one of its values would be lost.
    """
    return [each for each in _read(text, _Rules("", 1, largest, is_unique=True), Texts()) if each.value is not None]


def documents(text: str, largest: float = math.inf) -> Iterator[Any]:
    """The values of `loaded` without empty documents, and without places: plain mappings and lists."""
    found = _read(text, _Rules("", 1, largest, has_places=False), Texts())
    return (each.value for each in found if each.value is not None)


def complaint(error: YamlError) -> str:
    """The line, the column and the problem of a YAML error. No value of the text is quoted: the text may be another
    one, with secrets.
    """
    line, column = place_of_error(error)
    return f"line {line}, column {column}: {problem_of(error)}"


def place_of_error(error: YamlError) -> tuple[int, int]:
    """The line and the column of a YAML error, from 1."""
    mark: Any = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    return (1, 1) if mark is None else (mark.line + 1, mark.column + 1)


def problem_of(error: YamlError) -> str:
    """The problem of a YAML error."""
    return getattr(error, "problem", None) or getattr(error, "context", None) or str(error).partition("\n")[0] or "no YAML"


def without_pairs(text: str) -> str:
    """A text with the character in place of each surrogate pair of JSON's escapes. Its lines stay."""
    return _PAIR.sub(_character, text) if "\\u" in text else text


def _character(pair: re.Match[str]) -> str:
    return pair[1] + chr(0x10000 + ((int(pair[2], 16) & 0x3FF) << 10) + (int(pair[3], 16) & 0x3FF))


@dataclass(frozen=True, slots=True)
class _Rules:
    """The way in which a text is read: its place, the most values of a document, and the choices of the three readers
    above.
    """

    file: str
    line: int
    largest: float
    is_of_others: bool = False
    is_unique: bool = False
    has_places: bool = True
    unsure: Collection[int] = ()


def _read(text: str, rules: _Rules, texts: Texts) -> list[Document]:
    try:
        return list(_Builder(text, rules, texts).documents())
    except UnicodeEncodeError:
        raise YamlError("a text with half of a character") from None
    except YamlError:
        plain = without_pairs(text)
        if plain == text:
            raise
        return list(_Builder(plain, rules, texts).documents())


def typed(text: str) -> Any:
    """The value of a plain scalar."""
    if text[:1] in _OF_NUMBERS and len(text) <= MOST_DIGITS:
        if _INT.fullmatch(text):
            return _whole(text)
        if _FLOAT.fullmatch(text):
            number = float(text)
            return number if math.isfinite(number) else text
    return _WORDS.get(text, text)


def _whole(text: str) -> int:
    digits = text.replace("_", "").lower()
    unsigned = digits.lstrip("-+")
    base = 16 if unsigned[:2] == "0x" else 2 if unsigned[:2] == "0b" else 8 if unsigned[:1] == "0" and len(unsigned) > 1 else 10
    return int(digits, base)


def _bool(text: str) -> bool:
    value = _WORDS.get(text.lower())
    if value is None:
        raise ValueError(text)
    return value


_TAGGED: dict[str, Callable[[str], Any]] = {
    f"{_TAG}str": str,
    f"{_TAG}null": lambda _: None,
    f"{_TAG}bool": _bool,
    f"{_TAG}int": _whole,
    f"{_TAG}float": lambda text: float(text.replace("_", "")),
}
_COLLECTION_TAGS = (None, "!", f"{_TAG}map", f"{_TAG}seq")


def _fault(problem: str, event: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)


class _Builder:
    """Builds the values of one stream from the parser's events."""

    def __init__(self, text: str, rules: _Rules, texts: Texts) -> None:
        self.loader = EVENTS(text)
        self.text, self.rules, self.texts = text, rules, texts
        self.file, self.line, self.unsure, self.is_of_others = rules.file, rules.line, rules.unsure, rules.is_of_others
        self.has_places = rules.has_places
        self.anchors: dict[str, Any] = {}
        self.sizes: dict[int, int] = {}
        self.size = self.aliased = 0
        self.repeated: list[tuple[str, int, int]] = []
        self.latest = rules.line
        """The latest line number: one number object for all values that begin in the line."""

    def documents(self) -> Iterator[Document]:
        loader = self.loader
        loader.get_event()
        while not loader.check_event(yaml.StreamEndEvent):
            loader.get_event()
            self.anchors, self.size, self.aliased, self.repeated = {}, 0, 0, []
            self.texts.forget()
            event = loader.get_event()
            place = (self.file, self.line + event.start_mark.line)
            value = self.value(event, 0)
            yield Document(value, place, repeated=tuple(self.repeated), aliased=self.aliased)
            loader.get_event()

    def value(self, event: Any, depth: int, *, is_key: bool = False) -> Any:
        kind = type(event)
        self.size += 1
        if self.size > self.rules.largest:
            raise _fault(f"more than {self.rules.largest} values", event)
        if kind is yaml.ScalarEvent:
            result = self.scalar(event)
            if type(result) is bool and not is_key and self.is_of_others and event.value.lower() in _OF_YAML_1_1:
                result = Unknown(event.value, GAP)
            if self.unsure and not is_key and event.start_mark.line in self.unsure:
                result = Unknown(event.value, GAP)
        elif kind is yaml.AliasEvent:
            return self.alias(event)
        else:
            if depth >= DEEPEST:
                raise _fault(f"nested deeper than {DEEPEST} levels", event)
            if not self.is_of_others and event.tag not in _COLLECTION_TAGS:
                raise _fault("could not determine a constructor for the tag", event)
            before = self.size
            result = self.mapping(event, depth + 1) if kind is yaml.MappingStartEvent else self.sequence(depth + 1)
            if event.anchor:
                self.sizes[id(result)] = self.size - before
        if event.anchor:
            self.anchors[event.anchor] = result
        return result

    def alias(self, event: Any) -> Any:
        if event.anchor not in self.anchors:
            raise _fault("an alias has no anchor before it", event)
        result = self.anchors[event.anchor]
        size = self.sizes.get(id(result), 0)
        self.size, self.aliased = self.size + size, self.aliased + size
        if self.size > self.rules.largest:
            raise _fault(f"the aliases expand to more than {self.rules.largest} values", event)
        return result

    def sequence(self, depth: int) -> list[Any]:
        items: list[Any] = []
        lines: list[int] = []
        get, forget = self.loader.get_event, self.texts.forget
        while type(event := get()) is not yaml.SequenceEndEvent:
            forget()
            line = self.line + event.start_mark.line
            self.latest = line = self.latest if line == self.latest else line
            lines.append(line)
            items.append(self.value(event, depth))
        if not self.has_places:
            return items
        result = Seq(items)
        if lines:
            result.set_lines(self.file, lines)
        return result

    def mapping(self, start: Any, depth: int) -> Any:
        result: dict[Any, Any] = Map() if self.has_places else {}
        get, file = self.loader.get_event, self.file
        lines: dict[Any, int] = {}
        merged: list[Any] = []
        while type(event := get()) is not yaml.MappingEndEvent:
            key = self.value(event, depth, is_key=True)
            value = self.value(get(), depth)
            if isinstance(key, dict | list):
                if not self.is_of_others:
                    raise _fault("a key is a list or a mapping", event)
                if start.flow_style and value is None and not result and self.loader.check_event(yaml.MappingEndEvent):
                    end = self.loader.get_event()
                    return Unknown(self.text[start.start_mark.index : end.end_mark.index])  # {{ an expression of a template }}
                continue
            key_line = self.line + event.start_mark.line
            self.latest = key_line = self.latest if key_line == self.latest else key_line
            if type(event) is yaml.ScalarEvent and event.value == "<<" and event.style in (None, ""):
                merged += self.merged(value, event, key_line)
                continue
            name = key if type(key) is str or not self.is_of_others else key_text(key)
            if name.__class__ is not UnknownKey and name in result:
                if self.rules.is_unique:
                    raise _fault(f"the key {name!r} is in line {lines[name]}, too", event)
                self.repeated.append((name, key_line, lines[name]))
            result[name], lines[name] = value, key_line
        for other in merged:
            _add_entries(other, result, lines, self.latest)
        if lines and isinstance(result, Map):
            result.set_lines(file, list(lines.values()))
        return result

    def merged(self, value: Any, event: Any, line: int) -> list[dict[Any, Any]]:
        """The mappings under `<<`."""
        found = [opened(each, (self.file, line)) for each in (value if isinstance(value, list) else [value])]
        others = [each for each in found if isinstance(each, dict)]
        if len(others) < len(found) and not self.is_of_others:
            raise _fault("only mappings are merged", event)
        return others

    def scalar(self, event: Any) -> Any:
        value: str = event.value
        tag = event.tag
        if tag is not None and tag != "!":
            return self.tagged(event, tag, value)
        if event.implicit[0] and (result := self.texts.typed.get(value, _NOTHING)) is not _NOTHING:
            return result
        if self.is_of_others and ("${" in value or FILLED_IN.search(value)):
            return Unknown(value)
        is_short = len(value) <= _SHORT
        if event.implicit[0]:
            result = typed(value)
            if is_short:
                self.texts.typed[value] = result
            return result
        return self.texts.once.setdefault(value, value) if is_short else value

    def tagged(self, event: Any, tag: str, value: str) -> Any:
        """The value of a scalar with a tag."""
        convert = _TAGGED.get(tag)
        if convert is None:
            if self.is_of_others:
                return Unknown(value, GAP)  # only the reader that knows the tag knows the value
            raise _fault("could not determine a constructor for the tag", event)
        if len(value) > MOST_DIGITS:
            return value
        try:
            result = convert(value)
        except ValueError:
            if self.is_of_others:
                return value
            raise _fault(f"the value is no {tag.removeprefix(_TAG)}", event) from None
        return value if isinstance(result, float) and not math.isfinite(result) else result


def _add_entries(other: dict[Any, Any], result: dict[Any, Any], lines: dict[Any, int], line: int) -> None:
    """Add the entries of a mapping under `<<` that the mapping itself does not have."""
    for name, value in other.items():
        if name not in result:
            place = other.place(name) if isinstance(other, Map) else None
            result[name], lines[name] = value, place[1] if place else line
