"""A check of a tree in this process."""

from __future__ import annotations

from pathlib import Path

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rule import Finding, Rule, Severity
from constructs_lib.observed.read.repository import read


def judged(root: Path) -> list[Finding]:
    """The errors and warnings about a tree."""
    return [each for each in run_rules(read([root])) if each.severity is not Severity.INFO]


def found(rule: Rule, talos: str, root: Path) -> list[Finding]:
    """What a rule finds in a tree."""
    inputs = read([root], talos=None if rule.failing.nodes else talos.removeprefix("v").rpartition(".")[0], nodes=rule.failing.nodes)
    return [each for each in run_rules(inputs, select=[rule.id]) if not each.is_doubt]
