"""The doctor's report in Markdown, for an issue or a page."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator

from ...arguments.patterns import pattern
from ...checks.report_words import count, place
from ...checks.rule import Finding
from ...checks.rules import RULES
from ...observed.model.live_object import LiveObject
from ...symptoms.link import NODE_LINKS, POD_LINKS
from ..cause import Cause
from ..chain_shapes import UNICODE, Shape, legend
from ..doctor_report import DoctorReport
from ..fault import Fix
from ..report_names import names

_MARKS = pattern(r"([\\`*_{}\[\]<>()#+!|~&$])")
_MENTIONS = pattern(r"@(?=\w)")
_BEGINS_LIST = pattern(r"\A(\s*(?:\d+(?=[.)]))?)([-=:.)])")
_SOURCE = pattern(r"(?P<repository>[\w.-]+/[\w.-]+)(?:#(?P<number>\d+)| (?P<path>[\w./-]+))")


def plain(words: str) -> str:
    """The words as they are. A mention of GitHub's is cut by an empty comment."""
    escaped = _MARKS.sub(r"\\\1", words)
    return _MENTIONS.sub("@<!-- -->", _BEGINS_LIST.sub(r"\1\\\2", escaped))


def code(words: str) -> str:
    """The words as code on one line, also in a cell of a table."""
    fence = _fence(words, 1)
    edge = " " if words.startswith("`") or words.endswith("`") or not words.strip() else ""
    return f"{fence}{edge}{words}{edge}{fence}"


def block(lines: list[str], language: str = "") -> str:
    """The lines as a block of code."""
    fence = _fence("\n".join(lines), 3)
    return "\n".join([f"{fence}{language}", *lines, fence])


def source_link(source: str) -> str:
    """A source as a link: an address, `owner/repo#number`, or `owner/repo path`. Any other source is text."""
    if re.fullmatch(r"https://[\w./#?=&%:@~+-]+", source):
        return f"<{source}>"
    found = _SOURCE.fullmatch(source)
    if found is None:
        return plain(source)
    target = f"issues/{found['number']}" if found["number"] else f"blob/HEAD/{found['path']}"
    return f"[{source}](https://github.com/{found['repository']}/{target})"


def _fence(text: str, least: int) -> str:
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(least, longest + 1)


_EVIDENCE, _NAMES, _MOST = 5, 8, 10


def doctor_markdown(report: DoctorReport) -> Iterator[str]:
    """The parts of the report."""
    yield "# GPU report\n\n"
    yield "".join(f"{plain(each)}\\\n" for each in report.summary).removesuffix("\\\n") + "\n"
    for number, cause in enumerate(report.diagnosis.causes, start=1):
        yield from _cause(report, number, cause)
    yield from _section("Remarks about cards", (f"- {plain(each)}\n" for each in report.card_lines))
    comparison = report.comparison
    yield from _section(f"Compared with {plain(comparison.file)}", (f"- {_text(report, each)}\n" for each in comparison.lines))
    yield from _section("The pod", (f"- {plain(each)}\n" for each in report.pod_lines))
    yield from _section("Other findings of talos-gpu check", _findings(report, report.unattached))
    yield from _section("Other known lines in logs", _symptoms(report))
    yield from _section("Error lines in logs that are not explained here", _unexplained(report))
    yield from _section("Chains", _chains(report))
    yield from _section("Not known", _unknown(report))
    yield from _section("Not read", (f"- {_code(report, each.source)}: {_text(report, each.reason)}\n" for each in report.unread))
    yield f"\nRead: {plain(report.what_was_read)}\n"


def _text(report: DoctorReport, words: str) -> str:
    return plain(report.shown(words))


def _code(report: DoctorReport, words: str) -> str:
    return code(report.shown(words))


def _names(report: DoctorReport, listed: list[str]) -> str:
    more = f" and {len(listed) - _NAMES} more" if len(listed) > _NAMES + 1 else ""
    return ", ".join(_code(report, each) for each in (listed[:_NAMES] if more else listed)) + more


def _section(title: str, parts: Iterable[str]) -> Iterator[str]:
    shown = list(parts)
    if shown:
        yield from (f"\n## {title}\n\n", *shown)


def _cause(report: DoctorReport, number: int, cause: Cause) -> Iterator[str]:
    fault = cause.fault
    first, others = report.sentences(cause)
    yield f"\n## {number}. {plain(first)}\n\n{plain(others)}" + ("\n\n" if others else "")
    yield f"- Of: {_names(report, cause.subjects)}\n"
    if cause.link is not None:
        yield f"- Broken link: {cause.link} ({cause.link.claim})\n"
    if fault.is_hardware:
        yield "- Hardware: the card or the machine has the fault, not the configuration\n"
    for each in fault.evidence[:_EVIDENCE]:
        yield f"- Evidence: {_code(report, each.text)} in {_code(report, each.source)}\n"
    if len(fault.evidence) > _EVIDENCE:
        yield f"- {count(len(fault.evidence) - _EVIDENCE, 'more line')} of evidence with `--format json`\n"
    if fault.consequence:
        yield f"- Consequence: {_text(report, fault.consequence)}\n"
    if apart := report.apart(cause):
        yield f"- Apart: {plain(apart)}\n"
    if cause.followers:
        yield f"- Follows: {_names(report, cause.followers)}\n"
    findings = report.findings[cause.fault.name]
    found = {each.rule for each in findings}
    yield from (f"- Rule: {rule} {plain(RULES[rule].claim)}\n" for rule in fault.rules if rule in RULES and rule not in found)
    yield from (f"- Rule: {_finding(report, each)}\n" for each in findings[:_MOST])
    yield f"- Source: {', '.join(map(source_link, report.shown(fault.source).split('; ')))}\n"
    yield f"\nFix:\n\n{_command(report, fault.fix, cause.subjects, cause.about)}\nVerify:\n\n{_command(report, fault.verify, cause.subjects, cause.about)}"


def _command(report: DoctorReport, fix: Fix, subjects: list[str], about: Iterable[LiveObject] = ()) -> str:
    """A command or YAML as a block to be pasted, below the sentence of an advice, and below the block the names for its
    placeholders."""
    printed = report.printed(fix, subjects, about)
    advice = f"{plain(printed.advice)}{':' if printed.lines else ''}\n" if printed.advice else ""
    lines = f"{block(printed.lines, 'yaml' if advice else '')}\n" if printed.lines else ""
    return "\n".join(filter(None, (advice, lines, f"{_code(report, printed.names)}\n" if printed.names else "")))


def _finding(report: DoctorReport, finding: Finding) -> str:
    return f"{finding.severity} {finding.rule}, {_code(report, finding.object)}: {_text(report, finding.message)}"


def _findings(report: DoctorReport, findings: list[Finding]) -> Iterator[str]:
    yield from (f"- {_finding(report, each)}. Fix: {_text(report, each.fix)}\n" for each in findings[:_MOST])
    if len(findings) > _MOST:
        yield f"- {len(findings) - _MOST} more with `--format json`\n"


def _symptoms(report: DoctorReport) -> Iterator[str]:
    for log, match in report.symptoms[:_MOST]:
        where = _code(report, place(log.source, match.line))
        yield f"- {plain(match.symptom.title)}: {_code(report, match.text)} in {where}. Fix: {plain(match.symptom.remedy)}\n"
    if len(report.symptoms) > _MOST:
        yield f"- {len(report.symptoms) - _MOST} more with `--format json`\n"


def _unexplained(report: DoctorReport) -> Iterator[str]:
    lines = report.unexplained
    for each in lines[:_MOST]:
        origin = report.origins.get(each.text, "")
        yield f"- {_code(report, each.text)} in {_code(report, each.source)}{f', said by {plain(origin)}' if origin else ''}\n"
    if len(lines) > _MOST:
        yield f"- {len(lines) - _MOST} more with `--format json`\n"


def _chains(report: DoctorReport) -> Iterator[str]:
    """A table of the nodes and one of the pods: a row for each shape, a column for each link."""
    for links, is_of_pod in ((NODE_LINKS, False), (POD_LINKS, True)):
        rows = [each for each in report.shapes if each.is_of_pod is is_of_pod]
        if rows:
            yield f"| {'pods' if is_of_pod else 'nodes'} | {' | '.join(links)} |\n|---|{':-:|' * len(links)}\n"
            yield from (_row(report, each) for each in rows)
            yield "\n"
    if report.shapes:
        yield f"{plain(legend())}\n"


def _row(report: DoctorReport, shape: Shape) -> str:
    subjects = plain(report.shown(names(shape.subjects)))
    return f"| {subjects} | {' | '.join(UNICODE[mark] for _, mark in shape.marks)} |\n"


def _unknown(report: DoctorReport) -> Iterator[str]:
    for each in report.diagnosis.unseen:
        yield f"- {each.link} of {_names(report, each.subjects)}: whether {each.link.claim}; the output of this command tells:\n\n"
        yield textwrap.indent(_command(report, each.command, each.subjects), "  ")
