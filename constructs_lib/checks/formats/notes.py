"""The sentences below the findings of a report: hidden remarks, silenced findings, and inputs that were skipped."""

from __future__ import annotations

from collections.abc import Iterator

from ...arguments.printable import printable
from ..finding import Severity
from ..report import Report, place


def notes(report: Report, *, remarks: bool, everything: bool) -> Iterator[str]:
    """The sentences. With `everything` each skipped input has one; otherwise those without the name of NVIDIA are counted."""
    hidden = 0 if remarks else sum(finding.severity is Severity.INFO for finding in report.findings)
    if hidden:
        yield "1 remark: --remarks shows it" if hidden == 1 else f"{hidden} remarks: --remarks shows them"
    for finding in report.silenced:
        yield printable(f"silenced {place(finding.file, finding.line)}: {finding.rule}, {finding.ignored}")
    if everything:
        for each in report.inputs.skipped:
            yield printable(f"skipped {place(each.file, each.line)}: {each.reason}")
        return
    for sentence in report.skipped_nvidia:
        yield f"skipped {sentence}"
    if report.skipped_count:
        yield f"other skipped files and documents: {report.skipped_count} (--all lists them)"
