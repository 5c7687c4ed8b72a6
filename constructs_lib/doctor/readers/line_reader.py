"""Lines."""

from __future__ import annotations

from .dump_builder import DumpBuilder
from .dump_place import Place


def read_lines(text: str, first: int, place: Place, source: str, builder: DumpBuilder) -> None:
    builder.unread(source, "lines")
