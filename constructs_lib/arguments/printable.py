"""Text from other people's files in a form that a terminal, a log and a workflow only show, and never obey."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from .patterns import pattern

_HIDDEN = (
    r"\x7f-\x9f"  # control characters of terminals, from DEL on
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # the order of right-to-left text
    r"\u2028\u2029"  # line and paragraph separators
    r"\U000e0000-\U000e007f"  # tags, which no font shows
)
HIDDEN = pattern(f"[{_HIDDEN}]")
"""The characters of a text that change what a reader sees, and that YAML may hold as they are."""
_OBEYED = pattern(
    rf"""[\x00-\x1f{_HIDDEN}]                               # and all control characters
    |[\ud800-\udfff]                                      # bytes of a file name that is not UTF-8
    |\A\s*:(?=:) | \#(?=\#\w*\[)                          # ::error:: and ##[error] of GitHub, ##vso[…] of Azure""",
    re.VERBOSE,
)
_SURROGATE = pattern("[\ud800-\udfff]")


def printable(text: str) -> str:
    r"""The text on one line: each character that a terminal, a log or a workflow would obey is written as an escape,
    such as `\x1b`."""
    return _OBEYED.sub(lambda found: "".join(map(_escaped, found[0])), text)


def json_text(value: object) -> str:
    r"""The value as JSON for people and programs: the same characters, written as JSON's own escapes.

    Half a surrogate pair, such as a byte of a file name that is not UTF-8, is no Unicode text, and strict readers
    refuse it even as an escape. So the text has a backslash, `udcff`.
    """
    text = json.dumps(value, indent=2, ensure_ascii=False)
    text = _SURROGATE.sub(lambda found: f"\\\\u{ord(found[0]):04x}", text)
    return (
        _OBEYED.sub(lambda found: "".join(character if character in "\n " else _in_json(character) for character in found[0]), text) + "\n"
    )


def json_parts(value: Mapping[str, object], items: Iterable[object]) -> Iterator[str]:
    """The text of a value as JSON, in parts, with the items in the empty list that ends the value.

    The parts need less memory than one text of everything: Python's encoder first collects many short strings for each
    item.
    """
    before, _, after = json_text(value).rpartition("[]")
    key = before.rpartition("\n")[2]
    margin = " " * (len(key) - len(key.lstrip()))
    mark = "["
    yield before
    for item in items:
        yield f"{mark}\n{json_text(item).rstrip()}".replace("\n", f"\n{margin}  ")
        mark = ","
    yield f"\n{margin}]{after}" if mark == "," else f"[]{after}"


def _escaped(character: str) -> str:
    escape = character.encode("unicode_escape").decode("ascii")
    return f"\\x{ord(character):02x}" if escape in (":", "#") else escape


def _in_json(character: str) -> str:
    return "".join(f"\\u{unit:04x}" for unit in memoryview(character.encode("utf-16-le")).cast("H"))
