"""The answer of files to one rule, for people: where the files violate the rule, or why the rule has no finding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..engine import is_applied
from ..report import Report, place
from ..report_head import read
from ..rules import RULES

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
    not_applied = [report for report in reports if not is_applied(RULES[rule], report.inputs)]
    versions = {report.inputs.talos_version for report in not_applied}
    if None in versions:
        return "Not applied: the Talos version is unknown; give --talos 1.13"
    if len(not_applied) == len(reports):
        return f"Not applied: the rule is not about Talos {' and '.join(sorted(map(str, versions)))}"
    if not any(report.parts for report in reports):
        return "Nothing was judged: no GPU part was read in these files"
    return "Not found in these files"


def _listed(verb: str, places: Iterable[str]) -> str:
    different = list(dict.fromkeys(places))
    more = f" and {len(different) - _MOST_PLACES} more" if len(different) > _MOST_PLACES else ""
    return f"{verb} {', '.join(different[:_MOST_PLACES])}{more}" if different else ""
