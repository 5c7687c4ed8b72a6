"""Markdown and lists of columns for the width of a terminal. A pipe and a file get the text as it is."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

from . import streams

_WIDEST = 120
"""Longer lines are hard to read."""
_LEAST = 40
_LEAST_COLUMN = 8
_GAP = "  "
_MARGIN = re.compile(r" *(?:[-*] (?:\[[ x]\] )?|#+ )?")


def fitted(text: str, options: argparse.Namespace) -> str:
    """The text in lines that fit the terminal, if the answer is for one."""
    _, width = streams.terminal(to_file=options.output is not None)
    return text if width is None else in_width(text, max(min(width, _WIDEST), _LEAST))


def in_width(text: str, width: int) -> str:
    """The text with wrapped sentences and aligned tables. Code keeps its lines: they are for the clipboard."""
    return "".join(f"{line}\n" for line in _lines(text.splitlines(), width))


def _lines(lines: Sequence[str], width: int) -> Iterator[str]:
    in_code = False
    for is_table, group in groupby(lines, lambda line: line.startswith("|")):
        if is_table and not in_code:
            yield from _table([_cells(line) for line in group], width)
            continue
        for line in group:
            is_fence = line.lstrip().startswith("```")
            in_code ^= is_fence
            yield from [line] if in_code or is_fence or line.startswith("    ") else _wrapped(line, width)


def _wrapped(line: str, width: int) -> list[str]:
    """A sentence in lines that begin below its first word. Columns that do not fit stand below one another."""
    if len(line) <= width:
        return [line]
    margin = " " * len(_MARGIN.match(line)[0])  # type: ignore[index]  # the pattern matches every line
    columns = re.split(r"(?<=\S)  +", line)
    if len(columns) > 1:
        return [columns[0], *(f"{margin}  {each}" for each in columns[1:])]
    return textwrap.wrap(line, width, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def _table(rows: list[list[str]], width: int) -> Iterator[str]:
    """A table of Markdown with aligned columns, of which the widest are wrapped."""
    if len(rows) < 2 or len({*map(len, rows)}) > 1:  # noqa: PLR2004  # a head and its rule; what is no table stays
        yield from (f"| {' | '.join(row)} |" for row in rows)
        return
    head, _, *body = rows
    widths = _widths([head, *body], width - len(_GAP) * (len(head) - 1))
    for row in [head, ["-" * size for size in widths], *body]:
        columns = [textwrap.wrap(cell, size, break_on_hyphens=False) or [""] for cell, size in zip(row, widths, strict=True)]
        for number in range(max(map(len, columns))):
            cells = (column[number] if number < len(column) else "" for column in columns)
            yield _GAP.join(cell.ljust(size) for cell, size in zip(cells, widths, strict=True)).rstrip()


def _widths(rows: list[list[str]], room: int) -> list[int]:
    """The width of each column. The widest gives until the table fits."""
    widths = [max(1, *map(len, column)) for column in zip(*rows, strict=True)]
    while sum(widths) > room and max(widths) > _LEAST_COLUMN:
        widths[widths.index(max(widths))] -= 1
    return widths
