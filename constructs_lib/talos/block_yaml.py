"""YAML as people write it by hand: block style, text of several lines as it is, quotes only where they are needed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..upstream.go_yaml import scalar as go_scalar

# A word that means the same in a flow collection, where a comma or a bracket would end it.
_WORD = r"[A-Za-z][-\w./]*"


class Verbatim(str):
    """What stands without quotes in somebody's YAML and is no string there: `true`, `512` or `0x200`, to be written as it was found."""

    __slots__ = ()


def block(value: Mapping[str, Any] | list[Any], *, step: int = 2, dash: int = 2) -> Iterator[str]:
    """The lines of a mapping or a list; mappings and text are indented by `step` below their key, the dashes of a list by `dash`."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _entry(f"{word(key)}:", item, step, dash)
        return
    for item in value:
        if item and isinstance(item, Mapping | list):
            first, *rest = block(item, step=step, dash=dash)
            yield f"- {first}"
            yield from _indented(rest, 2)
        else:
            yield from _entry("-", item, 2, dash)


def flow(value: Any) -> str:
    """A value on one line, as it stands between braces or brackets."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    written = word(value)
    is_bare = not isinstance(value, str) or isinstance(value, Verbatim) or re.fullmatch(_WORD, written, re.ASCII)
    return written if is_bare else _quoted(value)


def word(value: str | bool | int) -> str:
    """A scalar on one line."""
    if isinstance(value, Verbatim):
        return str(value)
    if not isinstance(value, str):
        return json.dumps(value)
    written = None if "\n" in value else go_scalar(value)
    return _quoted(value) if written is None else written


def _quoted(value: str) -> str:
    """As JSON, with an escape for every character that YAML takes for a line break or does not have."""
    return "".join(each if each.isprintable() else f"\\U{ord(each):08x}" for each in json.dumps(value, ensure_ascii=False))


def _entry(prefix: str, value: Any, step: int, dash: int) -> Iterator[str]:
    if value and isinstance(value, Mapping | list):
        yield prefix
        yield from _indented(block(value, step=step, dash=dash), step if isinstance(value, Mapping) else dash)
    elif isinstance(value, Mapping | list):
        yield f"{prefix} {flow(value)}"
    elif isinstance(value, str) and _is_text(value):
        yield f"{prefix} |{'' if value.endswith(chr(10)) else '-'}"
        yield from _indented(value.removesuffix("\n").split("\n"), step)
    else:
        yield f"{prefix} {word(value)}"


def _is_text(value: str) -> bool:
    """Whether a literal block holds it: lines of which the first is not indented, the last not empty, and none needs an escape."""
    lines = value.removesuffix("\n").split("\n")
    return "\n" in value and all(line.isprintable() for line in lines) and bool(lines[0][:1].strip() and lines[-1].strip())


def _indented(lines: Iterator[str] | list[str], width: int) -> Iterator[str]:
    return (" " * width + line if line else line for line in lines)
