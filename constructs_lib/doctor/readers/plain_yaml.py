"""YAML in the shape that kubectl and talosctl print, read line by line; anything else in a text is left to PyYAML.

PyYAML needs about ten seconds for the pods of a large cluster. Aliases are refused: no printer writes them, and few lines of them are a text without end.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEEPEST = 100
_LINE = re.compile(r"( *)((?:- )*)(?:([\w./$@-]+|\"[\w./$@ -]+\"):(?: (.*))?|(.*))")
_INDICATORS = frozenset("\"'|>[]{}&*!%@`#,")
_STARTS = frozenset(("-", "?", ":", "- ", "? ", ": ", "  "))
_QUOTED = re.compile(r"\"([^\"\\]*)\"|'([^']*)'")
_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_REAL = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_OTHER_BREAK = re.compile("[\x85\u2028\u2029\ufeff]")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "~": None, "": None, "{}": {}, "[]": []}


class UnreadableError(ValueError):
    """A text that is no YAML, or one that nobody prints."""


class _PlainLoader(_LOADER):  # type: ignore[misc]
    """A loader that knows the scalars of JSON: a date, `on` and `12:30` are texts."""


_PlainLoader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("tag:yaml.org,2002:bool", r"true|false", "tf"),
    ("tag:yaml.org,2002:null", r"null|~|", ["n", "~", ""]),
    ("tag:yaml.org,2002:int", _NUMBER.pattern, "-+0123456789"),
    ("tag:yaml.org,2002:float", _REAL.pattern, "-+.0123456789"),
):
    _PlainLoader.add_implicit_resolver(_tag, re.compile(rf"(?:{_pattern})\Z"), list(_first))


def load(text: str) -> Any:
    """The value of one document."""
    if "\r" in text or (not text.isascii() and _OTHER_BREAK.search(text)):
        return _load_any(text)
    try:
        return _Lines(text).document()
    except (_OtherShapeError, UnreadableError):
        return _load_any(text)


def _load_any(text: str) -> Any:
    try:
        depth = 0
        for event in yaml.parse(text, Loader=_LOADER):
            if isinstance(event, yaml.AliasEvent):
                raise UnreadableError("an alias of YAML, which kubectl and talosctl never print")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                raise UnreadableError(f"nested deeper than {_DEEPEST} levels")
        return yaml.load(text, Loader=_PlainLoader)  # noqa: S506 (a SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError, TypeError) as error:
        if isinstance(error, UnreadableError):
            raise
        mark = getattr(error, "problem_mark", None)
        raise UnreadableError(f"no YAML{f' at line {mark.line + 1}' if mark else ''}") from error


class _OtherShapeError(Exception):
    """A line that is not in the shape of kubectl."""


class _Lines:
    """The lines of a document, read from the first to the last."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        while self._lines and not self._lines[-1].strip():
            self._lines.pop()
        self._at = 0

    def document(self) -> Any:
        if not self._lines:
            return None
        value = self._block(len(self._lines[0]) - len(self._lines[0].lstrip(" ")), 0)
        if self._at < len(self._lines):
            raise _OtherShapeError
        return value

    def _block(self, indent: int, depth: int) -> Any:
        """The sequence or the mapping whose lines start at this column."""
        if depth > _DEEPEST:
            raise _OtherShapeError
        return self._sequence(indent, depth) if self._lines[self._at].startswith("- ", indent) else self._mapping(indent, depth)

    def _sequence(self, indent: int, depth: int) -> list[Any]:
        items, lines, prefix = [], self._lines, " " * indent + "- "
        while self._at < len(lines) and lines[self._at].startswith(prefix):
            line = lines[self._at]
            found = _LINE.fullmatch(line, indent + 2)
            if found is None or found[1]:
                raise _OtherShapeError
            if found[3] is not None or found[2]:
                lines[self._at] = f"{prefix[:-2]}  {line[indent + 2 :]}"
                items.append(self._block(indent + 2, depth + 1))
            else:
                items.append(self._scalar(found[5], indent, line))
        return items

    def _mapping(self, indent: int, depth: int) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        lines, size, fullmatch = self._lines, len(self._lines), _LINE.fullmatch
        while self._at < size:
            line = lines[self._at]
            found = fullmatch(line)
            if found is None or len(found[1]) != indent or found[2] or found[3] is None:
                if found is None or (len(found[1]) >= indent and not line.startswith("- ", indent)) or not line:
                    raise _OtherShapeError
                break
            key, text = found[3], found[4]
            if key[0] == '"':
                key = key[1:-1]
            if text:
                entries[key] = self._scalar(text, indent, line)
                continue
            self._at += 1
            if self._at < size:
                after = lines[self._at]
                start = len(after) - len(after.lstrip(" "))
                if start > indent or (start == indent and after.startswith("- ", indent)):
                    entries[key] = self._block(start, depth + 1)
                    continue
            entries[key] = None
        return entries

    def _scalar(self, text: str, indent: int, line: str) -> Any:
        """A value on one line; a longer one, with its deeper lines, is left to PyYAML."""
        lines, start = self._lines, self._at
        self._at = end = start + 1
        deeper = " " * (indent + 1)
        while end < len(lines) and (lines[end].startswith(deeper) or not lines[end]):
            end += 1
        if end == start + 1:
            if text in _WORDS:
                value = _WORDS[text]
                return value if value is None or isinstance(value, bool) else type(value)()
            quoted = _QUOTED.fullmatch(text)
            if quoted:
                return quoted[1] if quoted[1] is not None else quoted[2]
            if _is_plain(text):
                return _typed(text)
        self._at = end
        snippet = f"- {text}" if text else line
        return _load_any("\n".join([snippet, *(each for each in lines[start + 1 : end])]))[0]


def _is_plain(text: str) -> bool:
    return text[0] not in _INDICATORS and text[:2] not in _STARTS and ": " not in text and " #" not in text and text[-1] != ":"


def _typed(text: str) -> Any:
    if text[0] in "-+.0123456789":
        if _NUMBER.fullmatch(text):
            return int(text)
        if _REAL.fullmatch(text):
            return float(text)
    return text.rstrip(" ")
