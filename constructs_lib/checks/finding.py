"""A finding of the checks: a fault in the inputs, with its fix."""

from __future__ import annotations

from dataclasses import dataclass

from ..upstream.choice import Choice


class Severity(Choice):
    """How sure the check is, worst first."""

    ERROR = "error"
    """Both halves of a contradiction were read: the setup can't work."""
    WARNING = "warning"
    """One half of a contradiction was read; the missing half is usually in the repository."""
    INFO = "info"
    """A remark: the cluster may well work."""


FAIL_ON = ("error", "warning", "remark", "never")
"""The words of users for the least severity that makes a report fail."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A violation of one rule at one place.

    `file` is a file's path, or the path of a construct in an app; `line` counts from 1 and is None for a place without
    lines. `object` is `Kind namespace/name`, the name of a chart's release, or the name of a node. `ignored` is the
    reason with which the author silenced the finding.

    Example:
        >>> found = Finding(rule="TG045", severity=Severity.ERROR, message="half a GPU", fix="Ask for 1", file="pod.yaml", line=7)
        >>> f"{found.file}:{found.line} {found.severity}: {found.message}"
        'pod.yaml:7 error: half a GPU'

    https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
    """

    rule: str
    severity: Severity
    message: str
    fix: str
    file: str
    line: int | None = None
    object: str = ""
    ignored: str | None = None
