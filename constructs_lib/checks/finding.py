"""What a check found: one thing that will not work, or may not, and how it is mended."""

from __future__ import annotations

from dataclasses import dataclass

from ..upstream.choice import Choice


class Severity(Choice):
    """How sure the check is, worst first."""

    ERROR = "error"
    """Both halves of a contradiction were read: it can't work."""
    WARNING = "warning"
    """The half that was not read is usually in the repository."""
    INFO = "info"
    """Worth knowing; a cluster may well work with it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """What one rule says about one place.

    `file` is a file's path, or the path of a construct in an app; `line` counts from 1 and is None where the place has none. `object` is
    `Kind namespace/name`, the name of a chart's release, or of a node. `ignored` is the reason with which its author silenced it.

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
