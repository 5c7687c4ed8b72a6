"""The answer of files to one rule, for people: where the files violate the rule, or why the rule has no finding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..engine import rules_without_talos
from ..report import Report, place
from ..report_head import read

_MOST_PLACES = 3


def rule_answer(rule: str, reports: Sequence[Report]) -> str:
    """`FOUND in a.yaml:11`, `Not found in these files`. There is one report for each cluster."""
    findings = [finding for report in reports for finding in report.all_findings if finding.rule == rule]
    places = [(place(finding.file, finding.line), finding.ignored) for finding in findings]
    if places:
        found = _listed("FOUND in", (where for where, ignored in places if ignored is None))
        silenced = _listed("Silenced in", (f"{where} ({ignored})" for where, ignored in places if ignored is not None))
        return ". ".join(filter(None, (found, silenced)))
    if not any(read(report.inputs) for report in reports):
        return "Nothing was read in these files"
    if any(rules_without_talos(report.inputs, select=[rule]) for report in reports):
        return "Not applied: the Talos version is unknown; give --talos 1.13"
    if not any(report.parts for report in reports):
        return "Nothing was judged: no GPU part was read in these files"
    return "Not found in these files"


def _listed(verb: str, places: Iterable[str]) -> str:
    different = list(dict.fromkeys(places))
    more = f" and {len(different) - _MOST_PLACES} more" if len(different) > _MOST_PLACES else ""
    return f"{verb} {', '.join(different[:_MOST_PLACES])}{more}" if different else ""
