"""YAML in the exact bytes that Go's library writes, where all its releases agree.

The Image Factory names an image by the hash of these bytes. It has used gopkg.in/yaml.v3 and several
go.yaml.in/yaml/v4, from rc.3 to a commit after rc.6, and these quote some strings in different ways. So this module
writes only strings that all of them write alike, and refuses others: a wrong hash would name an image that does not
exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_INDENT = 4

# Strings that the library would read as another type, and therefore quotes. All releases agree on these.
_TYPED = r"true|True|TRUE|false|False|FALSE|~|null|Null|NULL|0|[1-9][0-9]{0,17}"
# Strings that a YAML reader, or one of the releases, may take for a bool, a number, a date, a value or a merge key. Too
# many match, on purpose.
_DISPUTED = (
    r"=|<<|y|n|yes|no|on|off"
    r"|[-+]?[0-9.]+(e[-+]?[0-9]*)?|[-+]?0[xob][-+0-9a-f]*|[-+]?\.(inf|nan)"
    r"|[-+]?[0-9]+(:[0-9]+)+[0-9.]*|[0-9]{4}-[0-9]+-[0-9]+([t ].*)?"
)
# Strings that would be YAML syntax as a plain scalar.
_SYNTAX = r"""[#,\[\]{}&*!|>'"%@`].*|---.*|\.\.\..*|[-?]( .*)?| .*|.* |.*:( .*)?|.* #.*"""


class Quoted(str):
    """A string that the caller knows to be written in double quotes."""

    __slots__ = ()


def scalar(value: str, indent: int = 0) -> str | None:
    """The text that Go writes for a string with lines at `indent`. None if its releases differ."""
    if isinstance(value, Quoted):
        return f'"{value}"'
    if "\n" in value:
        return _literal(value, indent)
    if not re.fullmatch(r"[ -~]*", value):
        return None
    if not value or re.fullmatch(_TYPED, value):
        return f'"{value}"'
    if re.fullmatch(_DISPUTED, value.replace("_", ""), re.IGNORECASE):  # Go drops the underscores of numbers
        return None
    return "'" + value.replace("'", "''") + "'" if re.fullmatch(_SYNTAX, value) else value


def _literal(value: str, indent: int) -> str | None:
    """The block scalar of a text: `|-` if the last line has no line break."""
    lines = value.removesuffix("\n").split("\n")
    if not lines[0] or not lines[-1] or not all(re.fullmatch(r"([ -~]*[!-~])?", line) for line in lines) or lines[0].startswith(" "):
        return None
    return "\n".join(["|" if value.endswith("\n") else "|-", *(" " * indent + line if line else "" for line in lines)])


def dump(document: Mapping[str, Any]) -> str:
    """The text of a document of mappings, lists and scalars that `scalar` supports."""
    return "\n".join(_lines(document, 0)) + "\n"


def _lines(mapping: Mapping[str, Any], indent: int) -> Iterator[str]:
    margin = " " * indent
    inner = (indent // _INDENT + 1) * _INDENT
    for key, value in mapping.items():
        if isinstance(value, Mapping) and value:
            yield f"{margin}{key}:"
            yield from _lines(value, inner)
        elif isinstance(value, list):
            yield f"{margin}{key}:"
            for item in value:
                yield from _item(item, inner)
        else:
            yield f"{margin}{key}: {_written(value, inner)}"


def _item(item: Any, indent: int) -> Iterator[str]:
    margin = " " * indent
    if not isinstance(item, Mapping):
        yield f"{margin}- {_written(item, indent + 2)}"
        return
    first, *rest = _lines(item, indent + 2)
    yield f"{margin}- {first.lstrip()}"
    yield from rest


def _written(value: Any, indent: int) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Mapping):
        return "{}"
    written = scalar(value, indent)
    if written is None:
        msg = f"no YAML is known for {value!r}"
        raise ValueError(msg)
    return written
