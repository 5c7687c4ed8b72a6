"""A report for programs: a JSON list of the findings, without silenced ones; with the capacity an object with both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..._arguments.printable import json_text
from ..finding import Finding
from ..report import Report


def as_json(report: Report, *, capacity: Mapping[str, Any] | None = None) -> str:
    """The findings as a JSON list; with a capacity an object with `findings` and `capacity`."""
    findings = [_finding(each) for each in report.findings]
    return json_text(findings if capacity is None else {"findings": findings, "capacity": capacity})


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
