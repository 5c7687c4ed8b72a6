"""The picture of a chain: its links from bottom to top, on one line from left to right, each with a mark."""

from __future__ import annotations

from collections.abc import Mapping

from ..chain_shapes import Mark, Shape

UNICODE: Mapping[Mark, str] = {Mark.HEALTHY: "✔", Mark.BROKEN: "✘", Mark.UNKNOWN: "?", Mark.FOLLOWS: "↳"}
ASCII: Mapping[Mark, str] = {Mark.HEALTHY: "+", Mark.BROKEN: "X", Mark.UNKNOWN: "?", Mark.FOLLOWS: ">"}
"""The marks on a terminal that shows no other characters."""

_COLOURS = {Mark.HEALTHY: "32", Mark.BROKEN: "31", Mark.UNKNOWN: "33", Mark.FOLLOWS: "2"}


def picture(shape: Shape, *, ascii_only: bool = False, colour: bool = False) -> str:
    """The line of a shape: `✔ image ── ✘ modules ── ↳ driver`."""
    signs = ASCII if ascii_only else UNICODE
    links = (in_colour(_COLOURS[mark], f"{signs[mark]} {link}", colour=colour) for link, mark in shape.marks)
    return (" -- " if ascii_only else " ── ").join(links)


def legend(*, ascii_only: bool = False) -> str:
    """The meanings of the marks."""
    signs = ASCII if ascii_only else UNICODE
    return ", ".join(f"{signs[mark]} {mark.meaning}" for mark in Mark)


def in_colour(code: str, words: str, *, colour: bool) -> str:
    """The words in a colour of the terminal."""
    return f"\x1b[{code}m{words}\x1b[0m" if colour else words
