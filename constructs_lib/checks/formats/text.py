"""A report for people: what was read, the findings in blocks, worst first, so that each message and each fix is named
once, and a summary."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ...arguments.colours import BOLD, ORANGE, RED, TEAL, in_colour
from ...arguments.commands import command
from ...arguments.printable import printable
from ..report import Report
from ..report_words import place
from ..rule import SAFE, UNSAFE, Finding, Severity

_RANKS = {severity: number for number, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True)
class Group:
    """The findings with the same rule, severity, message and fix: they differ in their places alone."""

    message: str
    fix: str
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Block:
    """The groups of one rule and severity that have one fix, or that have one message."""

    rule: str
    severity: Severity
    groups: list[Group] = field(default_factory=list)


def worst_first(findings: Iterable[Finding], *, least: Severity = Severity.INFO) -> list[Finding]:
    """The findings that are at least as bad as a severity: errors, then warnings, then remarks. Those of one severity
    keep their order."""
    bad = (finding for finding in findings if _RANKS[finding.severity] <= _RANKS[least])
    return sorted(bad, key=lambda finding: _RANKS[finding.severity])


def blocks(findings: Iterable[Finding]) -> list[Block]:
    """The findings as blocks, in their order; a block stands where its first finding would.

    Groups with the same message and different fixes are one block, and groups with different messages and the same fix
    are another.
    """
    by_message: dict[tuple[str, Severity, str], dict[str, Group]] = {}
    for finding in findings:
        by_fix = by_message.setdefault((finding.rule, finding.severity, finding.message), {})
        by_fix.setdefault(finding.fix, Group(finding.message, finding.fix)).findings.append(finding)
    found: dict[tuple[str, Severity, str, bool], Block] = {}
    for (rule, severity, message), by_fix in by_message.items():
        has_one_fix = len(by_fix) == 1
        key = (rule, severity, next(iter(by_fix)) if has_one_fix else message, has_one_fix)
        found.setdefault(key, Block(rule, severity)).groups.extend(by_fix.values())
    return list(found.values())


_COLOURS = {Severity.ERROR: RED, Severity.WARNING: ORANGE, Severity.INFO: TEAL}
# So many messages of a block, and so many places of a message, are shown; of one more, that one is shown too.
_SHOWN = 8
_MARGIN = "  "
_LEAST_ROOM = 40


def text(
    report: Report,
    *,
    colour: bool = False,
    width: int | None = None,
    remarks: bool = False,
    everything: bool = False,
    is_fixed: bool = False,
) -> Iterator[str]:
    """The lines of the report.

    Args:
        report: The report.
        colour: Whether the report has the colours of a terminal.
        width: The width of the terminal. Default: a message, a fix and a place have one line each, however long.
        remarks: Whether remarks are shown. Default: they are counted.
        everything: Whether all places, messages and skipped inputs are shown. Default: a long list is cut, and its rest
            counted.
        is_fixed: Whether the fixes are made, and the report is about what is left.
    """
    for sentence in report.head:
        yield from _lines(sentence, width)
    if report.head:
        yield "\n"
    for block in blocks(worst_first(report.findings, least=Severity.INFO if remarks else Severity.WARNING)):
        yield from _block(block, colour=colour, width=width, everything=everything)
        yield "\n"
    for line in _lines(report.counts, width):
        yield in_colour(BOLD, line.rstrip(), colour=colour) + "\n"
    for sentence in notes(report, remarks=remarks, everything=everything):
        yield from _lines(sentence, width)
    for sentence in _next(worst_first(report.findings, least=Severity.INFO if remarks else Severity.WARNING), is_fixed=is_fixed):
        yield from _lines(sentence, width)


def _next(findings: Sequence[Finding], *, is_fixed: bool) -> Iterator[str]:
    """`3 fixable with --fix, 2 more with --unsafe-fixes; talos-gpu check --explain TG018`: what a reader does next."""
    if not findings:
        return
    flags = [] if is_fixed else [each.fixed_by for each in findings]
    safe, unsafe = flags.count(SAFE), flags.count(UNSAFE)
    parts = [f"{safe} fixable with {SAFE}"] if safe else []
    parts += [f"{unsafe} more with --unsafe-fixes" if safe else f"{unsafe} fixable with {UNSAFE}"] if unsafe else []
    explain = command("talos-gpu check --explain {rule}", rule=findings[0].rule)
    yield f"{', '.join(parts)}; {explain}" if parts else f"{explain}"


def _block(block: Block, *, colour: bool, width: int | None, everything: bool) -> Iterator[str]:
    """The lines of a block. Neighbours with the same message have it once, and neighbours with the same fix have that
    once."""
    severity = str(block.severity)
    shown = block.groups[: _most(block.groups, everything=everything)]
    for before, group, after in zip([None, *shown], shown, [*shown[1:], None], strict=False):
        if before is None or before.message != group.message:
            heading, *rest = _lines(f"{severity} {block.rule}: {group.message}", width)
            yield in_colour(_COLOURS[block.severity], severity, colour=colour) + heading.removeprefix(severity)
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
    halves = [finding.related for finding in shown]
    column = max(map(len, places))
    for finding, where, related, following in zip(shown, places, halves, [*halves[1:], None], strict=True):
        yield from _lines(f"{_MARGIN * 2}{where:<{column}}  {finding.object}".rstrip(), width)
        for half in related if related != following else ():  # findings with the same other halves have them once
            yield from _lines(f"{_MARGIN * 3}{place(half.file, half.line)}  {half.text}", width)
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


def notes(report: Report, *, remarks: bool, everything: bool) -> Iterator[str]:
    """The sentences. With `everything` each skipped input has one; otherwise those without the name of NVIDIA are
    counted."""
    hidden = 0 if remarks else sum(finding.severity is Severity.INFO for finding in report.findings)
    if hidden:
        yield "1 remark: --remarks shows it" if hidden == 1 else f"{hidden} remarks: --remarks shows them"
    for finding in report.silenced:
        yield printable(f"silenced {place(finding.file, finding.line)}: {finding.rule}, {finding.ignored}")
    if everything:
        for each in (*report.inputs.skipped, *report.inputs.unrecognized):
            yield printable(f"skipped {place(each.file, each.line)}: {each.reason}")
        return
    for sentence in report.skipped_nvidia:
        yield f"skipped {sentence}"
    if report.skipped_count:
        yield f"other skipped files and documents: {report.skipped_count} (--all lists them)"
