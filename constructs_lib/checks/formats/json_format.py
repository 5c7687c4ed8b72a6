"""A report for programs: a JSON list of the findings, without silenced ones."""

from __future__ import annotations

from ..._arguments.printable import json_text
from ..finding import Finding
from ..report import Report


def as_json(report: Report) -> str:
    """The findings as a JSON list."""
    return json_text([_finding(each) for each in report.findings])


def _finding(finding: Finding) -> dict[str, str | int | None]:
    return {
        "rule": finding.rule,
        "severity": str(finding.severity),
        "message": finding.message,
        "fix": finding.fix,
        "file": finding.file,
        "line": finding.line,
        "object": finding.object,
    }
