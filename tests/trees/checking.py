"""A check of a tree in this process."""

from __future__ import annotations

from pathlib import Path

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rule import Finding, Severity
from constructs_lib.observed.read.repository import read


def judged(root: Path, **arguments: object) -> list[Finding]:
    """The errors and warnings about a tree, with paths below it."""
    found = run_rules(read([root], **arguments))  # type: ignore[arg-type]
    return [each for each in found if each.severity is not Severity.INFO]
