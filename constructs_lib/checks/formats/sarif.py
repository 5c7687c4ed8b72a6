"""A report as SARIF 2.1.0 for code scanning, with the help text of each rule that has a finding.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...arguments.printable import json_parts
from ..blocks import worst_first
from ..report import Report
from ..rule import Finding, Rule, Severity
from ..rules import RULES

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def sarif(report: Report) -> Iterator[str]:
    """The report as a SARIF log with one run, in parts: all findings, worst first; a silenced finding is suppressed
    with its reason."""
    rules = sorted({each.rule for each in report.all_findings})
    index = {rule: number for number, rule in enumerate(rules)}
    run = {
        "tool": {"driver": {"name": "talos-gpu check", "rules": [_rule(RULES[each]) for each in rules]}},
        "invocations": [{"executionSuccessful": not report.unchecked, "toolExecutionNotifications": _notifications(report)}],
        "results": [],
    }
    results = (_result(each, index[each.rule]) for each in worst_first(report.all_findings))
    return json_parts({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, results)


def _rule(rule: Rule) -> dict[str, Any]:
    help_text = f"Symptom: {rule.symptom}\n\nFix: {rule.fix}\n\nSource: {rule.source}"
    markdown = f"**Symptom:** {rule.symptom}\n\n**Fix:** {rule.fix}\n\n**Source:** {rule.source}"
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.claim},
        "fullDescription": {"text": rule.symptom},
        "help": {"text": help_text, "markdown": markdown},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(finding: Finding, index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message}\nFix: {finding.fix}"},
        "locations": [_location(finding.file, finding.line, finding.object)],
    }
    if finding.ignored is not None:
        result["suppressions"] = [{"kind": "inSource", "justification": finding.ignored}]
    return result


def _location(file: str, line: int | None, name: str = "") -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(file)}}
    if line is not None:
        physical["region"] = {"startLine": line}
    location: dict[str, Any] = {"physicalLocation": physical}
    if name:
        location["logicalLocations"] = [{"fullyQualifiedName": name}]
    return location


def _uri(file: str) -> str:
    """A relative reference for a file below the working folder: code scanning accepts no other for files of the
    repository."""
    path = Path(file)
    if path.is_absolute():
        here = Path.cwd()
        return quote(path.relative_to(here).as_posix(), errors="surrogateescape") if path.is_relative_to(here) else path.as_uri()
    return quote(path.as_posix(), errors="surrogateescape")


def _notifications(report: Report) -> list[dict[str, Any]]:
    named = [{"level": "error", "message": {"text": sentence}} for sentence in report.unchecked]
    unknown = [{"level": "warning", "message": {"text": report.unknown_talos}}] if report.unknown_talos else []
    return [*named, *unknown, *_skipped(report)]


def _skipped(report: Report) -> list[dict[str, Any]]:
    return [
        {"level": "note", "message": {"text": f"not checked: {each.reason}"}, "locations": [_location(each.file, each.line)]}
        for each in report.inputs.skipped
    ]
