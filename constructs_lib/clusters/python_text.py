"""The text of Python: calls, lists, mappings and literals in lines of the length and form that `ruff format` leaves alone."""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

LINE = 140
"""The longest line. A literal is never broken."""
_STEP = 4
_WIDE = ("W", "F")


@dataclass(frozen=True)
class Code:
    """An expression that stands in the text as it is."""

    text: str


@dataclass
class Variable:
    """A variable, which has its name only when the whole text is known. A variable that nobody uses has none."""

    words: str
    fallback: str
    is_used: bool = False
    name: str = ""


@dataclass(frozen=True)
class Call:
    """A call, with its arguments as expressions."""

    function: str
    positional: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)


class Names:
    """The names of a text. No name is a keyword, a builtin, or the name of something else."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = {*taken, *keyword.kwlist, *keyword.softkwlist, *dir(builtins)}

    def new(self, words: str, fallback: str) -> str:
        """A name of these words; with the fallback before words that can't begin a name."""
        name = re.sub("[^a-z0-9]+", "_", words.lower()).strip("_")
        if not name or name[0].isdigit():
            name = f"{fallback}_{name}".strip("_")
        base, number = name, 1
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name


def written(value: Any, indent: int = 0, before: str = "", after: str = "") -> str:
    """An expression with the text before and after it, on one line where it fits."""
    margin = " " * indent
    line = f"{margin}{before}{_flat(value)}{after}"
    opening, parts, closing = _parts(value)
    if not parts or _width(line) <= LINE:
        return line
    inner = indent + _STEP
    body = " " * inner + ", ".join(f"{name}{_flat(part)}" for name, part in parts)
    if not isinstance(value, Call) or _width(body) > LINE:
        body = "\n".join(written(part, inner, name, ",") for name, part in parts)
    return f"{margin}{before}{opening}\n{body}\n{margin}{closing}{after}"


def _flat(value: Any) -> str:
    opening, parts, closing = _parts(value)
    return f"{opening}{', '.join(f'{name}{_flat(part)}' for name, part in parts)}{closing}"


def _parts(value: Any) -> tuple[str, list[tuple[str, Any]], str]:
    """The opening bracket, the parts with the text before each, and the closing bracket. An expression without parts is its opening."""
    match value:
        case Call():
            keywords = [(f"{name}=", each) for name, each in value.keywords.items()]
            return f"{value.function}(", [*(("", each) for each in value.positional), *keywords], ")"
        case Mapping():
            return "{", [(f"{_atom(key)}: ", each) for key, each in value.items()], "}"
        case list() | tuple():
            return "[", [("", each) for each in value], "]"
        case _:
            return _atom(value), [], ""


def _atom(value: Any) -> str:
    match value:
        case Code():
            return value.text
        case Variable():
            return value.name
        case str():
            return _quoted(value)
        case float():
            return repr(value).replace("e+", "e")
        case _:
            return repr(value)


def _quoted(text: str) -> str:
    """A string in double quotes, or in single quotes where the string has more double ones."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    return quote + "".join(f"\\{each}" if each == quote else _escaped(each) for each in text) + quote


def _escaped(character: str) -> str:
    return character if character in "'\"" else repr(character)[1:-1]


def is_block(text: str) -> bool:
    """Whether a text of several lines can stand in triple quotes, line by line."""
    lines = text.split("\n")
    is_plain = all(line.isprintable() and line == line.rstrip() for line in lines)
    return len(lines) > 2 and is_plain and '"""' not in text and not text.endswith('"')  # noqa: PLR2004


def block(name: str, text: str) -> str:
    """A constant whose text stands line by line."""
    escaped = text.replace("\\", "\\\\")
    return f'{name} = """\\\n{escaped}"""'


def _width(line: str) -> int:
    """The columns of a line, as terminals show it."""
    if line.isascii():
        return len(line)
    return sum(0 if unicodedata.combining(each) else 1 + (unicodedata.east_asian_width(each) in _WIDE) for each in line)
