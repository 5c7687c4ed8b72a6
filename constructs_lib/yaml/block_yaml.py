"""A YAML writer in the style of hand-written files: block style, literal blocks for long text, and quotes only where YAML needs them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..upstream.go_yaml import scalar as go_scalar

# A word that needs no quotes in a flow collection, where a comma or a bracket ends a word.
_WORD = r"[A-Za-z][-\w./]*"


class Verbatim(str):
    """A plain scalar of a user's YAML that is no string, such as `true`, `512` or `0x200`, written back unchanged."""

    __slots__ = ()


def block(value: Mapping[str, Any] | list[Any], *, step: int = 2, dash: int = 2) -> Iterator[str]:
    """The lines of a mapping or a list. Mappings and text are indented by `step` below their key, the dashes of a list by `dash`."""
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
    """A value on one line, in flow style."""
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
    """A string in JSON notation, with an escape for every character that YAML forbids or reads as a line break."""
    return "".join(char if char.isprintable() else f"\\U{ord(char):08x}" for char in json.dumps(value, ensure_ascii=False))


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
    """Whether a literal block can hold the text: the first line is not indented, the last is not empty, and no line needs an escape."""
    lines = value.removesuffix("\n").split("\n")
    return "\n" in value and all(line.isprintable() for line in lines) and bool(lines[0][:1].strip() and lines[-1].strip())


def _indented(lines: Iterator[str] | list[str], width: int) -> Iterator[str]:
    return (" " * width + line if line else line for line in lines)
