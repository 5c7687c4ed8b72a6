"""A report for programs: a JSON object (docs/report-schema.json), workflow commands of GitHub, and a SARIF 2.1.0
log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...arguments.printable import json_parts, printable
from ...observed.model.stated_versions import KUBERNETES, TALOS
from ..report import Report
from ..report_words import place, source
from ..rule import Finding, Rule, Severity
from ..rules import RULES
from .text import worst_first

_VERSION = 2


def as_json(report: Report, *, capacity: Mapping[str, Any] | None = None) -> Iterator[str]:
    """The report as a JSON object, in parts: what was read and skipped, and the findings, worst first, remarks too."""
    inputs, findings = report.inputs, worst_first(report.findings)
    severities = [finding.severity for finding in findings]
    talos = None if inputs.talos_version is None else str(inputs.talos_version)
    head = {
        "version": _VERSION,
        "talos": {"version": talos, "source": source(TALOS, inputs.talos_version, inputs)},
        "kubernetes": {"version": inputs.kubernetes_version, "source": source(KUBERNETES, inputs.kubernetes_version, inputs)},
        "settings": None if report.settings is None else printable(report.settings),
        "rules_not_applied": report.not_applied,
        "failures": report.unchecked,
        "counts": {str(severity): severities.count(severity) for severity in Severity},
        "read": {
            "objects": len(inputs.objects),
            "charts": len(inputs.releases),
            "node_configurations": len(inputs.node_configs),
            "gpu_parts": dict(report.parts),
        },
        "skipped": [{"file": each.file, "line": each.line, "reason": each.reason} for each in inputs.skipped],
        "silenced": [{**_finding(each), "reason": each.ignored} for each in report.silenced],
    }
    table = {} if capacity is None else {"capacity": capacity}
    return json_parts({**head, **table, "findings": []}, map(_finding, findings))


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "severity": str(finding.severity),
        "message": finding.message,
        "fix": finding.fix,
        "file": finding.file,
        "line": finding.line,
        "object": finding.object,
        "related": [{"file": each.file, "line": each.line, "text": each.text} for each in finding.related],
    }


_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def github(report: Report, *, remarks: bool = False) -> Iterator[str]:
    """A workflow command for each finding, worst first, because GitHub shows only the first of a step; remarks only if
    they are asked for."""
    findings = worst_first(report.findings, least=Severity.INFO if remarks else Severity.WARNING)
    return (f"{_command(finding)}\n" for finding in findings)


def _command(finding: Finding) -> str:
    given = {"file": finding.file, "line": finding.line, "title": f"{finding.rule} {finding.object}".rstrip()}
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in given.items() if value is not None)
    related = "".join(f"\n{place(each.file, each.line)}  {each.text}" for each in finding.related)
    return f"::{_COMMANDS[finding.severity]} {properties}::{_message(f'{finding.message}; fix: {finding.fix}{related}')}"


# actions/toolkit packages/core/src/command.ts: the message and the properties are escaped differently.
def _message(words: str) -> str:
    return printable(words.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(words: str) -> str:
    return _message(words).replace(":", "%3A").replace(",", "%2C")


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
    if related := finding.related:
        result["relatedLocations"] = [{**_location(each.file, each.line), "message": {"text": each.text}} for each in related]
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
    skipped = [
        {"level": "note", "message": {"text": f"not checked: {each.reason}"}, "locations": [_location(each.file, each.line)]}
        for each in report.inputs.skipped
    ]
    return [*named, *unknown, *skipped]
