"""HCL, written as people write it: expressions, heredocs and blocks."""

from __future__ import annotations

import json
import re
import textwrap
from dataclasses import dataclass
from typing import Any

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


@dataclass(frozen=True)
class Raw:
    """An expression that is written as it is."""

    text: str


def literal(text: str) -> str:
    """A text inside of a template: what would be an expression is escaped."""
    return text.replace("${", "$${").replace("%{", "%%{")


def quoted(text: str) -> str:
    """A text in quotes."""
    return literal(json.dumps(text, ensure_ascii=False))


def heredoc(text: str) -> Raw:
    """A text in a heredoc. Nothing else stands in its last line."""
    body = textwrap.indent(literal(text), "    ")
    return Raw(f"<<-EOT\n{body.rstrip()}\n  EOT\n  ")


def call(function: str, *arguments: Any) -> Raw:
    """A call of a function."""
    return Raw(f"{function}({', '.join(expression(each) for each in arguments)})")


def expression(value: Any, depth: int = 1) -> str:
    """A value as an expression."""
    if isinstance(value, Raw):
        return value.text
    if value is None or isinstance(value, bool | int | float):
        return json.dumps(value)
    if isinstance(value, str):
        return quoted(value)
    inner, outer = "  " * (depth + 1), "  " * depth
    if isinstance(value, dict):
        items = (f"{inner}{_key(key)} = {expression(each, depth + 1)}\n" for key, each in value.items())
        return f"{{\n{''.join(items)}{outer}}}" if value else "{}"
    if not value or all(isinstance(each, str | int) for each in value):
        return f"[{', '.join(expression(each) for each in value)}]"
    listed = (f"{inner}{expression(each, depth + 1)},\n" for each in value)
    return f"[\n{''.join(listed)}{outer}]"


def _key(key: Any) -> str:
    return key if isinstance(key, str) and _IDENTIFIER.fullmatch(key) else quoted(str(key))


def block(kind: str, /, *labels: str, blocks: str = "", **attributes: Any) -> str:
    """A block with its attributes and blocks."""
    head = " ".join((kind, *(f'"{each}"' for each in labels)))
    lines = "".join(f"  {name} = {expression(each)}\n" for name, each in attributes.items())
    return f"{head} {{\n{lines}{textwrap.indent(blocks, '  ')}}}\n"
