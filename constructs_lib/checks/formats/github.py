"""A report for a GitHub workflow, which shows each finding at its line in the pull request.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

from collections.abc import Iterator

from ...arguments.printable import printable
from ..blocks import worst_first
from ..report import Report
from ..rule import Finding, Severity

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def github(report: Report, *, remarks: bool = False) -> Iterator[str]:
    """A workflow command for each finding, worst first, because GitHub shows only the first of a step; remarks only if
    they are asked for."""
    findings = worst_first(report.findings, least=Severity.INFO if remarks else Severity.WARNING)
    return (f"{_command(finding)}\n" for finding in findings)


def _command(finding: Finding) -> str:
    given = {"file": finding.file, "line": finding.line, "title": f"{finding.rule} {finding.object}".rstrip()}
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in given.items() if value is not None)
    return f"::{_COMMANDS[finding.severity]} {properties}::{_message(f'{finding.message}; fix: {finding.fix}')}"


# actions/toolkit packages/core/src/command.ts: the message and the properties are escaped differently.
def _message(words: str) -> str:
    return printable(words.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(words: str) -> str:
    return _message(words).replace(":", "%3A").replace(",", "%2C")
