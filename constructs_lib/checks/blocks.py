"""The findings as a report shows them: worst first, in blocks, so that each message and each fix is named once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .rule import Finding, Severity

_RANKS = {severity: number for number, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True)
class Group:
    """The findings with the same rule, severity, message and fix: they differ in their places alone."""

    message: str
    fix: str
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Block:
    """The groups of one rule and severity that have one fix, or that have one message."""

    rule: str
    severity: Severity
    groups: list[Group] = field(default_factory=list)


def worst_first(findings: Iterable[Finding], *, least: Severity = Severity.INFO) -> list[Finding]:
    """The findings that are at least as bad as a severity: errors, then warnings, then remarks. Those of one severity
    keep their order."""
    bad = (finding for finding in findings if _RANKS[finding.severity] <= _RANKS[least])
    return sorted(bad, key=lambda finding: _RANKS[finding.severity])


def blocks(findings: Iterable[Finding]) -> list[Block]:
    """The findings as blocks, in their order; a block stands where its first finding would.

    Groups with the same message and different fixes are one block, and groups with different messages and the same fix
    are another.
    """
    by_message: dict[tuple[str, Severity, str], dict[str, Group]] = {}
    for finding in findings:
        by_fix = by_message.setdefault((finding.rule, finding.severity, finding.message), {})
        by_fix.setdefault(finding.fix, Group(finding.message, finding.fix)).findings.append(finding)
    found: dict[tuple[str, Severity, str, bool], Block] = {}
    for (rule, severity, message), by_fix in by_message.items():
        has_one_fix = len(by_fix) == 1
        key = (rule, severity, next(iter(by_fix)) if has_one_fix else message, has_one_fix)
        found.setdefault(key, Block(rule, severity)).groups.extend(by_fix.values())
    return list(found.values())
