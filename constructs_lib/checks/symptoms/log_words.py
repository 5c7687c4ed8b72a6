"""The words of a log line, without the parts that differ from machine to machine: colours, escapes, punctuation, addresses of cards."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"""(?:\x1b|\\+u001b|\\+x1b|\\+033|\^\[)\[[0-9;?]*[a-z]   # colours of a terminal, also escaped
    |\\+(?:u[0-9a-f]{4}|x[0-9a-f]{2}|[nrtbfv])?""",  # escapes of JSON, Go and dmesg
    re.VERBOSE,
)
_CARD = re.compile(r"pci:[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-7])?")
_WORD = re.compile(r"[a-z_]+|[0-9]+")


def words_of(line: str) -> list[str]:
    """The words and numbers of a line in lower case. A mark, a letter beside a digit, and an escape end a word."""
    text = _CARD.sub("pci ", line.lower())
    if "\\" in text or "\x1b" in text or "^[" in text:  # most lines have no escape, and the search for one is slow
        text = _ESCAPE.sub(" ", text)
    return _WORD.findall(text)
