"""A report for people: what was read, the findings in blocks, worst first, and a summary."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from ...arguments.printable import printable
from ..blocks import Block, blocks, worst_first
from ..report import Report, place
from ..rule import Finding, Severity

_RED, _YELLOW, _CYAN, _BOLD = "31", "33", "36", "1"
_COLOURS = {Severity.ERROR: _RED, Severity.WARNING: _YELLOW, Severity.INFO: _CYAN}
_NAMES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "remark"}
# So many messages of a block, and so many places of a message, are shown; of one more, that one is shown too.
_SHOWN = 8
_MARGIN = "  "
_LEAST_ROOM = 40


def text(
    report: Report, *, colour: bool = False, width: int | None = None, remarks: bool = False, everything: bool = False
) -> Iterator[str]:
    """The lines of the report.

    Args:
        report: The report.
        colour: Whether the report has the colours of a terminal.
        width: The width of the terminal. Default: a message, a fix and a place have one line each, however long.
        remarks: Whether remarks are shown. Default: they are counted.
        everything: Whether all places, messages and skipped inputs are shown. Default: a long list is cut, and its rest
            counted.
    """
    for sentence in report.head:
        yield from _lines(sentence, width)
    if report.head:
        yield "\n"
    for block in blocks(worst_first(report.findings, least=Severity.INFO if remarks else Severity.WARNING)):
        yield from _block(block, colour=colour, width=width, everything=everything)
        yield "\n"
    for line in _lines(report.counts, width):
        yield _in(_BOLD, line.rstrip(), colour=colour) + "\n"
    for sentence in notes(report, remarks=remarks, everything=everything):
        yield from _lines(sentence, width)


def _block(block: Block, *, colour: bool, width: int | None, everything: bool) -> Iterator[str]:
    """The lines of a block. Neighbours with the same message have it once, and neighbours with the same fix have that
    once."""
    severity = _NAMES[block.severity]
    shown = block.groups[: _most(block.groups, everything=everything)]
    for before, group, after in zip([None, *shown], shown, [*shown[1:], None], strict=False):
        if before is None or before.message != group.message:
            heading, *rest = _lines(f"{severity} {block.rule}: {group.message}", width)
            yield _in(_COLOURS[block.severity], severity, colour=colour) + heading.removeprefix(severity)
            yield from rest
        yield from _places(group.findings, width, everything=everything)
        if after is None or after.fix != group.fix:
            yield from _lines(f"{_MARGIN}fix: {group.fix}", width)
    if len(block.groups) > len(shown):
        hidden = sum(len(group.findings) for group in block.groups[len(shown) :])
        yield from _lines(f"{_MARGIN}and {hidden} more findings of {block.rule} (--all shows them)", width)


def _places(findings: Sequence[Finding], width: int | None, *, everything: bool) -> Iterator[str]:
    shown = findings[: _most(findings, everything=everything)]
    places = [printable(place(finding.file, finding.line)) for finding in shown]
    column = max(map(len, places))
    for finding, where in zip(shown, places, strict=True):
        yield from _lines(f"{_MARGIN * 2}{where:<{column}}  {finding.object}".rstrip(), width)
    if len(findings) > len(shown):
        yield from _lines(f"{_MARGIN * 2}and {len(findings) - len(shown)} more places (--all shows them)", width)


def _most(entries: Sequence[object], *, everything: bool) -> int:
    """The number of entries that are shown."""
    return len(entries) if everything or len(entries) <= _SHOWN + 1 else _SHOWN


def _lines(words: str, width: int | None) -> list[str]:
    """The lines of a sentence with its margin; those after the first are indented further."""
    margin = words[: len(words) - len(words.lstrip(" "))]
    sentence = margin + printable(words[len(margin) :])
    if width is None:
        return [f"{sentence}\n"]
    room = max(width, len(margin) + _LEAST_ROOM)
    lines = textwrap.wrap(sentence, room, subsequent_indent=margin + _MARGIN, break_on_hyphens=False, break_long_words=False)
    return [f"{line}\n" for line in lines]


def _in(code: str, words: str, *, colour: bool) -> str:
    return f"\x1b[{code}m{words}\x1b[0m" if colour else words


def notes(report: Report, *, remarks: bool, everything: bool) -> Iterator[str]:
    """The sentences. With `everything` each skipped input has one; otherwise those without the name of NVIDIA are
    counted."""
    hidden = 0 if remarks else sum(finding.severity is Severity.INFO for finding in report.findings)
    if hidden:
        yield "1 remark: --remarks shows it" if hidden == 1 else f"{hidden} remarks: --remarks shows them"
    for finding in report.silenced:
        yield printable(f"silenced {place(finding.file, finding.line)}: {finding.rule}, {finding.ignored}")
    if everything:
        for each in report.inputs.skipped:
            yield printable(f"skipped {place(each.file, each.line)}: {each.reason}")
        return
    for sentence in report.skipped_nvidia:
        yield f"skipped {sentence}"
    if report.skipped_count:
        yield f"other skipped files and documents: {report.skipped_count} (--all lists them)"
