"""JSON's escapes of characters above U+FFFF, which YAML does not know."""

from __future__ import annotations

import re

_PAIR = re.compile(r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")


def without_pairs(text: str) -> str:
    """A text with the character in place of each surrogate pair of escapes. Its lines stay."""
    return _PAIR.sub(_character, text) if "\\u" in text else text


def _character(pair: re.Match[str]) -> str:
    return pair[1] + chr(0x10000 + ((int(pair[2], 16) & 0x3FF) << 10) + (int(pair[3], 16) & 0x3FF))
