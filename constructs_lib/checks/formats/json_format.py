"""A report for programs: a JSON object, as docs/report-schema.json describes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...arguments.printable import json_parts, printable
from ..blocks import worst_first
from ..report import Report
from ..rule import Finding, Severity

_VERSION = 1


def as_json(report: Report, *, capacity: Mapping[str, Any] | None = None) -> Iterator[str]:
    """The report as a JSON object, in parts: what was read and skipped, and the findings, worst first, remarks too."""
    inputs, findings = report.inputs, worst_first(report.findings)
    severities = [finding.severity for finding in findings]
    talos = None if inputs.talos_version is None else str(inputs.talos_version)
    head = {
        "version": _VERSION,
        "talos": {"version": talos, "source": report.talos_source},
        "kubernetes": {"version": inputs.kubernetes_version, "source": report.kubernetes_source},
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
