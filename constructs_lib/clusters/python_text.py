"""The text of Python.

Calls, lists, mappings and literals, each on one line, or with one item a line where it is long.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

LONG = 100
"""The columns beyond which a call, a list or a mapping has one item a line."""
_STEP = 4


@dataclass(frozen=True)
class Code:
    """An expression that stands in the text as it is."""

    text: str


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

    def new(self, words: str, fallback: str) -> Code:
        """A name of these words; with the fallback before words that can't begin a name."""
        name = re.sub("[^a-z0-9]+", "_", words.lower()).strip("_")
        if not name or name[0].isdigit():
            name = f"{fallback}_{name}".strip("_")
        base, number = name, 1
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return Code(name)


def written(value: Any, indent: int = 0) -> str:
    """An expression. The lines after its first one are indented."""
    opening, parts, closing = _parts(value)
    line = _flat(value)
    if not parts or indent + len(line) <= LONG:
        return line
    inner = indent + _STEP
    items = "".join(f"{' ' * inner}{name}{written(part, inner)},\n" for name, part in parts)
    return f"{opening}\n{items}{' ' * indent}{closing}"


def _flat(value: Any) -> str:
    opening, parts, closing = _parts(value)
    return f"{opening}{', '.join(f'{name}{_flat(part)}' for name, part in parts)}{closing}"


def _parts(value: Any) -> tuple[str, list[tuple[str, Any]], str]:
    """The opening bracket, the parts with the text before each, and the closing bracket.

    An expression without parts is its opening.
    """
    match value:
        case Call():
            keywords = [(f"{name}=", each) for name, each in value.keywords.items()]
            return f"{value.function}(", [*(("", each) for each in value.positional), *keywords], ")"
        case Mapping():
            return "{", [(f"{key!r}: ", each) for key, each in value.items()], "}"
        case list() | tuple():
            return "[", [("", each) for each in value], "]"
        case _:
            return value.text if isinstance(value, Code) else repr(value), [], ""
