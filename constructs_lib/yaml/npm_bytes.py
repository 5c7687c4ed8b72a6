"""YAML in the exact bytes that cdk8s writes: those of the npm library `yaml`, with YAML 1.1 and without a line width.

The library writes block style. A string is plain where YAML 1.1 reads it back as a string, a literal block where it has
several lines, and quoted where neither can hold it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from ..arguments.patterns import pattern

_STEP = "  "
_BLOCKS = (dict, list)
_REMEMBERED = 8192
_LONGEST_KEY, _LONG = 1024, "? "
"""A longer key is written after a question mark."""
_SHORTEST_FOLDED = 40
"""The least length of a quoted string whose line breaks are written as line breaks."""
_EXACT = 2**53
_EXPONENT_FROM, _EXPONENT_BELOW = 21, -6
"""JavaScript writes numbers with an exponent from 1e21 on, and below 1e-6."""

# Control characters and halves of characters, which only a quoted string can hold.
_UNPRINTABLE = pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_SYNTAX = pattern(
    r"""[\n\t ,\[\]{}#&*!|>'"%@`]   # begins with an indicator
    | [?-](?:[ \t]|\Z)              # begins as an item or as a key
    | (?s:.*)(?:[\n:][ \t] | [ \t]\n | [\n\t ]\# | [\n\t\ :]\Z)""",
    re.VERBOSE,
)
# A line that YAML may take for a directive, or for the begin or the end of a document.
_MARKER = pattern("(?:\\A|(?<=[\n\r\u2028\u2029]))(?:%|---|\\.\\.\\.)")
# What YAML 1.1 reads as null, a bool, a number, a time or a date.
_TYPED = pattern(
    r"""(?:~|[Nn]ull|NULL)?
    | Y|y|[Yy]es|YES|[Tt]rue|TRUE|[Oo]n|ON | N|n|[Nn]o|NO|[Ff]alse|FALSE|[Oo]ff|OFF
    | [-+]?0b[0-1_]+ | [-+]?[0-9][0-9_]* | [-+]?0x[0-9a-fA-F_]+
    | [-+]?\.(?:inf|Inf|INF) | \.nan|\.NaN|\.NAN
    | [-+]?(?:[0-9][0-9_]*)?(?:\.[0-9_]*)?[eE][-+]?[0-9]+
    | [-+]?(?:[0-9][0-9_]*)?\.[0-9_]*
    | [-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}
      (?:(?:t|T|[\ \t]+)[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?(?:[\ \t]*(?:Z|[-+][012]?[0-9](?::[0-9]{2})?))?)?""",
    re.VERBOSE,
)
_MERGE = "<<"
_HALF = pattern("[\ud800-\udfff]")
_UNIT = pattern(r"\\u[0-9a-f]{4}|\\.|[^\\]", re.DOTALL)
_BREAK = "\\n"
_BREAKS, _BREAKS_BEFORE_TEXT = pattern("\n+"), pattern("\n+(?!\n|\\Z)")
_SHORT_ESCAPES = {"0000": "\\0", "0007": "\\a", "000b": "\\v", "001b": "\\e"}
_DIGITS = frozenset("0123456789")
_INDEX = pattern("0|[1-9][0-9]*")
_LARGEST_INDEX = 2**32 - 2


def stream(documents: Iterable[Mapping[str, Any]]) -> str:
    """The text of several documents, with `---` between them."""
    return "---\n".join(f"{_node(document, '')}\n" for document in documents)


def _node(value: Any, indent: str) -> str:
    """A value whose further lines begin at `indent`."""
    if isinstance(value, str):
        return _lines(value, indent) if "\n" in value else _line(value)
    if isinstance(value, dict):
        return f"\n{indent}".join([_pair(key, value[key], indent) for key in _in_order(value)]) or "{}"
    if isinstance(value, list):
        inner = indent + _STEP
        return f"\n{indent}".join([f"- {_node(item, inner)}" for item in value]) or "[]"
    return _scalar(value)


def _in_order(value: Mapping[str, Any]) -> Iterable[str]:
    """The keys in JavaScript's order: those that are the index of an array come first."""
    if _DIGITS.isdisjoint([key[:1] for key in value]):
        return value
    indexes = [key for key in value if key.isdecimal() and _INDEX.fullmatch(key) and int(key) <= _LARGEST_INDEX]
    return [*sorted(indexes, key=int), *(key for key in value if key not in indexes)]


def _pair(key: str, value: Any, indent: str) -> str:
    inner = indent + _STEP
    written = _key(key, indent)
    if written[:2] == _LONG:
        return f"{written}\n{indent}: {_node(value, inner)}"
    separator = f":\n{inner}" if value and isinstance(value, _BLOCKS) else ": "
    return f"{written}{separator}{_node(value, inner)}"


@lru_cache(_REMEMBERED)
def _key(key: str, indent: str) -> str:
    written = _short_key(key, is_top=not indent)
    return f"{_LONG}{written}" if _length(written) > _LONGEST_KEY else written


def _short_key(key: str, *, is_top: bool) -> str:
    if _UNPRINTABLE.search(key):
        return _double(key, "", in_key=True)
    if key == _MERGE:
        return key
    if "\n" in key or _SYNTAX.match(key) or _TYPED.fullmatch(key) or (is_top and _MARKER.search(key)):
        return _quoted(key, "", in_key=True)
    return key


@lru_cache(_REMEMBERED)
def _line(value: str) -> str:
    """A string of one line."""
    if _UNPRINTABLE.search(value):
        return _double(value, "")
    is_plain = value == _MERGE or not (_SYNTAX.match(value) or _TYPED.fullmatch(value))
    return value if is_plain else _quoted(value, "")


def _lines(value: str, indent: str) -> str:
    """A string of several lines."""
    if _UNPRINTABLE.search(value):
        return _double(value, indent)
    body = value.rstrip("\n\t ")
    tail = value[len(body) :]
    if "\n" in tail and not tail.endswith("\n"):
        return _quoted(value, indent)
    chomp = "-" if not tail or "\n" not in tail else "" if body and tail.index("\n") == len(tail) - 1 else "+"
    start = re.match("[ \n]*", body)[0]  # type: ignore[index]  # it always matches
    header = f"|{2 if ' ' in start else ''}{chomp}"
    rest = _BREAKS.sub(lambda run: run[0] + indent, body)
    end = _BREAKS_BEFORE_TEXT.sub(lambda run: run[0] + indent, tail.removesuffix("\n"))
    return f"{header}\n{indent}{rest}{end}"


def _quoted(value: str, indent: str, *, in_key: bool = False) -> str:
    is_single = '"' in value and "'" not in value and "\n" not in value
    return f"'{value}'" if is_single else _double(value, indent, in_key=in_key)


def _double(value: str, indent: str, *, in_key: bool = False) -> str:
    """A string in double quotes. A line break in a long one is written as an empty line, which YAML reads as a line
    break.
    """
    written = _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", json.dumps(value, ensure_ascii=False))
    is_folded = not in_key and _length(written) >= _SHORTEST_FOLDED
    units = _UNIT.findall(written[1:-1])
    parts, last = ['"'], len(units) - 1
    for place, unit in enumerate(units):
        following = units[place + 1] if place < last else ""
        if unit == " " and following == _BREAK:
            parts.append("\\ ")
        elif unit == _BREAK and is_folded and place < last:
            begins = place == 0 or units[place - 1] != _BREAK
            ends = following != _BREAK or place + 1 == last
            parts.append("\n" * (1 + begins) + (indent + "\\" * (following == " ") if ends else ""))
        else:
            parts.append(_short(unit[2:]) if unit.startswith("\\u") else unit)
    return "".join([*parts, '"'])


def _short(code: str) -> str:
    return _SHORT_ESCAPES.get(code) or (f"\\x{code[2:]}" if code.startswith("00") else f"\\u{code}")


def _length(text: str) -> int:
    """The length in JavaScript, where some characters count twice."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) <= _EXACT:
        return str(value)
    return number(float(value))


def number(value: float) -> str:
    """A number as JavaScript writes it."""
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    _, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)  # noqa: S101  # the number is finite
    text, sign = "".join(map(str, digits)), "-" if math.copysign(1, value) < 0 else ""
    point = len(text) + exponent
    if value == 0:
        return f"{sign}0"
    if _EXPONENT_BELOW < point <= _EXPONENT_FROM:
        if point <= 0:
            return f"{sign}0.{'0' * -point}{text}"
        return sign + (text.ljust(point, "0") if exponent >= 0 else f"{text[:point]}.{text[point:]}")
    fraction = f".{text[1:]}" if len(text) > 1 else ""
    return f"{sign}{text[0]}{fraction}e{point - 1:+}"
