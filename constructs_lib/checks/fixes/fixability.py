"""Whether `talos-gpu check --fix` fixes a rule's failing example: the word of the rules' descriptions."""

from __future__ import annotations

from ...observed.read.repository import read_text
from ..rule import Rule
from .fixer import fixes_of

SAFE, UNSAFE = "--fix", "--fix --unsafe-fixes"


def flags_of_fix(rule: Rule) -> str:
    """The flags with which the failing example is fixed; empty for a rule whose fix is more than one value or one line."""
    example = rule.failing
    found = fixes_of(read_text(example.yaml, chart=example.chart, talos=example.talos, nodes=example.nodes), [rule])
    if not any(fix.edits for fix in found):
        return ""
    return SAFE if any(fix.edits and fix.is_safe for fix in found) else UNSAFE
