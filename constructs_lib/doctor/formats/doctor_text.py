"""The doctor's report for a terminal and a pager: a summary, the causes, the chains, and what is not known."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...arguments.colours import BOLD, RED, in_colour
from ...checks.report_words import count, place
from ...checks.rule import Finding
from ...checks.rules import RULES
from ...observed.model.live_object import LiveObject
from ..cause import Cause
from ..chain_shapes import Shape, legend, picture
from ..doctor_report import DoctorReport
from ..fault import Fix
from ..report_changes import Changes, changes
from ..report_names import names

_MARGIN = "   "
_LEAST_ROOM = 40
_EVIDENCE, _NAMES, _FINDINGS, _SYMPTOMS = 5, 8, 5, 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Style:
    """The abilities of the terminal. The default is a file: UTF-8, without colours, and with lines of any length."""

    colour: bool = False
    width: int | None = None
    ascii_only: bool = False


def doctor_text(report: DoctorReport, style: Style | None = None) -> Iterator[str]:
    """The lines of the report."""
    return (f"{line}\n" for line in _Text(report, style or Style()).lines())


def round_text(before: DoctorReport, after: DoctorReport, style: Style | None = None) -> Iterator[str]:
    """The lines of a round of `--watch`: what has changed since the report before."""
    return (f"{line}\n" for line in _Text(after, style or Style()).round(before, changes(before, after)))


class _Text:
    def __init__(self, report: DoctorReport, style: Style) -> None:
        self.report, self.style = report, style

    def lines(self) -> Iterator[str]:
        for index, each in enumerate(self.report.summary):
            code = BOLD if index or not self.report.diagnosis.causes else f"{BOLD};{RED}"
            yield from self._heading(each, code)
        for number, cause in enumerate(self.report.diagnosis.causes, start=1):
            yield ""
            yield from self._cause(number, cause)
        yield from self._section("remarks about cards", (line for each in self.report.card_lines for line in self._prose(each)))
        compared = (line for each in self.report.comparison.lines for line in self._prose(self.report.shown(each)))
        yield from self._section(self.report.comparison.title, compared)
        yield from self._section("the pod", (line for each in self.report.pod_lines for line in self._prose(each)))
        yield from self._section("other findings of talos-gpu check", self._unattached())
        yield from self._section("other known lines in logs", self._symptoms())
        yield from self._section("error lines in logs that are not explained here", self._unexplained())
        yield from self._section(f"chains ({legend(ascii_only=self.style.ascii_only)})", self._chains(self.report.shapes))
        yield from self._section("not known", self._unknown())
        yield from self._section("not read", self._unread())
        yield ""
        yield from self._prose(f"read: {self.report.what_was_read}", "")

    def round(self, before: DoctorReport, changed: Changes) -> Iterator[str]:
        """The changes since a report; the new causes as in the whole report."""
        counts = ((len(changed.new), "new"), (len(changed.gone), "gone"), (len(changed.stay), "stay" if len(changed.stay) > 1 else "stays"))
        causes = ", ".join(f"{number} {word}" for number, word in counts if number) or "none"
        yield f"{'changed' if changed.any else 'no change'}; causes: {causes}"
        for each in changed.gone:
            yield from self._heading(
                f"{'not seen any more, but less was read' if changed.is_less_read else 'gone'}: {before.headline(each)}"
            )
        for stay in changed.stay if changed.any else ():
            subjects = "; ".join(f"{word} {names(listed)}" for word, listed in (("also", stay.got), ("no more", stay.lost)) if listed)
            which = f" ({self.report.shown(subjects)})" if subjects else ""
            yield from self._heading(f"stays{which}: {self.report.headline(stay.cause)}")
        for number, cause in enumerate(self.report.diagnosis.causes, start=1):
            if cause in changed.new:
                yield from self._heading(f"new: {self.report.headline(cause)}", f"{BOLD};{RED}")
                yield from self._cause(number, cause)
        if not self.report.diagnosis.causes:
            yield from self._heading(self.report.summary[0])
        for sign in changed.signs:
            yield from self._prose(f"card: {self.report.shown(sign)}", "")
        if changed.without:
            yield from self._prose(f"no chain any more: {self.report.shown(names(changed.without, _NAMES))}", "")
        if changed.chains:
            yield from self._heading(f"chains that changed ({legend(ascii_only=self.style.ascii_only)})")
            yield from self._chains(changed.chains)
        yield from (line for each in self.report.gaps for line in self._prose(each, ""))

    def _section(self, title: str, lines: Iterable[str]) -> Iterator[str]:
        shown = list(lines)
        if shown:
            yield from ("", *self._heading(title), *shown)

    def _cause(self, number: int, cause: Cause) -> Iterator[str]:
        fault, report = cause.fault, self.report
        first, others = report.sentences(cause)
        yield from self._heading(f"{number}. {first}")
        if others:
            yield from self._prose(others)
        yield from self._prose(f"of: {report.shown(names(cause.subjects, _NAMES))}")
        if cause.link is not None:
            yield from self._prose(f"broken link: {cause.link} ({cause.link.claim})")
        if fault.is_hardware:
            yield from self._prose("hardware: the card or the machine has the fault, not the configuration")
        for each in fault.evidence[:_EVIDENCE]:
            yield f"{_MARGIN}evidence: {report.shown(each.text)}"
            yield f"{_MARGIN}          in {report.shown(each.source)}"
        if len(fault.evidence) > _EVIDENCE:
            yield f"{_MARGIN}{count(len(fault.evidence) - _EVIDENCE, 'more line')} of evidence with --format json"
        if fault.consequence:
            yield from self._prose(f"consequence: {report.shown(fault.consequence)}")
        if cause.followers:
            yield from self._prose(f"follows: {report.shown(names(cause.followers, _NAMES))}")
        for title, command in (("fix", fault.fix), ("verify", fault.verify)):
            yield f"{_MARGIN}{title}:"
            yield from self._command(command, cause.subjects, cause.about)
        if apart := report.apart(cause):
            yield from self._prose(f"apart: {apart}")
        yield from self._findings(cause)
        yield from self._prose(f"source: {report.shown(fault.source)}")

    def _command(self, fix: Fix, subjects: Sequence[str], about: Iterable[LiveObject] = ()) -> Iterator[str]:
        """A command or YAML as it is, to be pasted: no line is wrapped. The sentence of an advice is prose."""
        printed = self.report.printed(fix, subjects, about)
        if printed.advice:
            yield from self._prose(printed.advice + (":" if printed.lines else ""), _MARGIN + "  ")
        yield from (f"{_MARGIN}  {line}" for line in printed.lines)
        if printed.names:
            yield from self._prose(f"({printed.names})", _MARGIN + "  ")

    def _findings(self, cause: Cause) -> Iterator[str]:
        findings = self.report.findings[cause.fault.name]
        found = {each.rule for each in findings}
        for rule in cause.fault.rules:
            if rule in RULES and rule not in found:
                yield from self._prose(f"rule: {rule} {RULES[rule].claim}")
        for each in findings[:_FINDINGS]:
            yield from self._prose(f"rule: {self._finding(each)}")

    def _unattached(self) -> Iterator[str]:
        findings = self.report.unattached
        for each in findings[:_FINDINGS]:
            yield from self._prose(self._finding(each))
            yield from self._prose(f"fix: {each.fix}", _MARGIN * 2)
        if len(findings) > _FINDINGS:
            yield f"{_MARGIN}{len(findings) - _FINDINGS} more with --format json"

    def _finding(self, finding: Finding) -> str:
        return self.report.shown(f"{finding.severity} {finding.rule}: {finding.object}: {finding.message}")

    def _symptoms(self) -> Iterator[str]:
        symptoms = self.report.symptoms
        for log, match in symptoms[:_SYMPTOMS]:
            yield from self._prose(match.symptom.title)
            yield f"{_MARGIN * 2}{self.report.shown(match.text)}"
            yield f"{_MARGIN * 2}in {self.report.shown(place(log.source, match.line))}"
            yield from self._prose(f"fix: {match.symptom.remedy}", _MARGIN * 2)
        if len(symptoms) > _SYMPTOMS:
            yield f"{_MARGIN}{len(symptoms) - _SYMPTOMS} more with --format json"

    def _unexplained(self) -> Iterator[str]:
        lines = self.report.unexplained
        for each in lines[:_SYMPTOMS]:
            yield f"{_MARGIN}{self.report.shown(each.text)}"
            yield f"{_MARGIN * 2}in {self.report.shown(each.source)}"
            if origin := self.report.origins.get(each.text):
                yield f"{_MARGIN * 2}said by {origin}"
        if len(lines) > _SYMPTOMS:
            yield f"{_MARGIN}{len(lines) - _SYMPTOMS} more with --format json"

    def _chains(self, shapes: Iterable[Shape]) -> Iterator[str]:
        for each in shapes:
            yield from self._prose(self.report.shown(names(each.subjects, _NAMES)))
            yield f"{_MARGIN}{picture(each, ascii_only=self.style.ascii_only, colour=self.style.colour)}"

    def _unknown(self) -> Iterator[str]:
        for each in self.report.diagnosis.unseen:
            subjects = self.report.shown(names(each.subjects, _NAMES))
            yield from self._prose(f"{each.link} of {subjects}: whether {each.link.claim}; the output of this command tells")
            yield from self._command(each.command, each.subjects)

    def _unread(self) -> Iterator[str]:
        for each in self.report.unread:
            yield from self._prose(self.report.shown(f"{each.source}: {each.reason}"))

    def _heading(self, words: str, code: str = BOLD) -> Iterator[str]:
        return (in_colour(code, line, colour=self.style.colour) for line in self._prose(words, ""))

    def _prose(self, words: str, margin: str = _MARGIN) -> list[str]:
        if self.style.width is None:
            return [margin + words]
        room = max(self.style.width, len(margin) + _LEAST_ROOM)
        return textwrap.wrap(
            words, room, initial_indent=margin, subsequent_indent=f"{margin}  ", break_on_hyphens=False, break_long_words=False
        )
