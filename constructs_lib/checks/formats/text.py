"""A report for people: the findings by file, and a summary."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

from ..._arguments.printable import printable
from ..finding import Finding, Severity
from ..report import Report, place

_RED, _YELLOW, _CYAN, _BOLD, _FAINT = "31", "33", "36", "1", "2"
_COLOURS = {Severity.ERROR: _RED, Severity.WARNING: _YELLOW, Severity.INFO: _CYAN}
_WIDEST = max(len(each) for each in Severity)


def text(report: Report, *, colour: bool = False, width: int | None = None) -> str:
    """The report, in colours for a terminal, and in lines no longer than `width` if it is given."""
    lines: list[str] = [*report.head, ""] if report.head else []
    for file, findings in groupby(report.findings, key=lambda each: each.file):
        of_file = list(findings)
        digits = max(len(_line(each)) for each in of_file)
        lines.append(_in(_BOLD, printable(file), colour=colour))
        for each in of_file:
            lines += _finding(each, digits, colour=colour, width=width)
        lines.append("")
    lines += _summary(report, colour=colour, width=width)
    lines.append("")
    return "\n".join(lines)


def _finding(finding: Finding, digits: int, *, colour: bool, width: int | None) -> Iterator[str]:
    severity = _in(_COLOURS[finding.severity], f"{finding.severity:<{_WIDEST}}", colour=colour)
    yield f"  {_line(finding):>{digits}}  {severity}  {finding.rule}  {printable(finding.object)}".rstrip()
    margin = " " * (digits + 4)
    yield from _wrapped(finding.message, margin, width)
    for line in _wrapped(f"fix: {finding.fix}", margin, width):
        yield _in(_FAINT, line, colour=colour)


@functools.lru_cache(maxsize=256)
def _wrapped(message: str, margin: str, width: int | None) -> Sequence[str]:
    """The lines of a message. Many findings of a report have the same message, which needs memory once."""
    words = printable(message)
    if width is None:
        return [margin + words]
    room = max(width, len(margin) + 40)
    return textwrap.wrap(words, room, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False, break_long_words=False)


def _line(finding: Finding) -> str:
    return "" if finding.line is None else str(finding.line)


def _summary(report: Report, *, colour: bool, width: int | None) -> Iterator[str]:
    for line in _wrapped(report.counts, "", width):
        yield _in(_BOLD, line, colour=colour)
    yield from (printable(f"silenced {place(each.file, each.line)}: {each.rule}, {each.ignored}") for each in report.silenced)
    yield from (f"skipped {each}" for each in [*report.skipped_nvidia, *report.skipped_rest])


def _in(code: str, words: str, *, colour: bool) -> str:
    return f"\x1b[{code}m{words}\x1b[0m" if colour else words
