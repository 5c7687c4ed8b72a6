"""A log on standard input, line by line: a log may have any size, and its lines any length."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import BinaryIO

from . import streams

_PIECE = 65_536
_OVERLAP = 512
_BINARY_SEEN_IN = 8192


def log_on_stdin() -> Iterator[tuple[int, str]]:
    """The lines of standard input with their numbers."""
    if sys.stdin is None:
        raise ValueError("standard input is closed")
    if sys.stdin.isatty():
        streams.say("talos-gpu why: reading a log from the terminal; Ctrl-D ends the log")
    return log_lines(sys.stdin.buffer)


def log_lines(log: BinaryIO) -> Iterator[tuple[int, str]]:
    """The lines of a log with their numbers. A long line comes in pieces of one number, which overlap, so that no
    phrase is cut in two."""
    number, before = 1, b""
    while piece := log.readline(_PIECE):
        if number == 1 and not before and b"\0" in piece[:_BINARY_SEEN_IN]:
            raise ValueError("standard input must be a log in UTF-8 (got binary data); unpack the file, or write UTF-16 anew as UTF-8")
        yield number, (before + piece).decode("utf-8", errors="replace")
        if piece.endswith(b"\n"):
            number, before = number + 1, b""
        else:
            before = piece[-_OVERLAP:]
    if number == 1 and not before:
        raise ValueError("standard input must be a log (got nothing)")
