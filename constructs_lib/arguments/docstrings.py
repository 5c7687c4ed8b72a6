"""The parts of a docstring that are about arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .patterns import pattern

_SECTION = pattern(r"^( *)Args:\n((?:\1 {4}.*(?:\n|\Z))+)", re.MULTILINE)
_ARGUMENT = pattern(r"^( *)(\w+): .*(?:\n|\Z)(?:\1 +\S.*(?:\n|\Z))*", re.MULTILINE)


def argument_lines(text: str | None) -> dict[str, str]:
    """The lines of each argument in the section `Args:`, by name."""
    section = _SECTION.search(text or "")
    return {} if section is None else {match[2]: match[0] for match in _ARGUMENT.finditer(section[2])}


def documented(text: str | None, names: Iterable[str], *others: str | None) -> str:
    """The docstring with all of these arguments in its section `Args:`, in their order.

    What the text does not say of an argument, the other docstrings say, the first before the next.
    """
    lines: dict[str, str] = {}
    for each in (*reversed(others), text):
        lines |= argument_lines(each)
    section = "".join(lines[name] for name in names if name in lines)
    return _SECTION.sub(lambda match: f"{match[1]}Args:\n{section}", text or "", count=1)


def argument_sentences(text: str | None) -> dict[str, str]:
    """The sentences about each argument, on one line."""
    return {name: _on_one_line(lines.partition(":")[2]) for name, lines in argument_lines(text).items()}


def summary(text: str | None) -> str:
    """The first paragraph, on one line."""
    return _on_one_line((text or "").strip().partition("\n\n")[0])


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
