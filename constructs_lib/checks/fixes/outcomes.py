"""The outcome of fixing for each finding: the flags with which `talos-gpu check` fixes it, or the reason for which it
is left."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ...observed.model import Inputs
from ..engine import rules_of
from ..rule import Finding
from ..settings import Settings
from .fixer import SAFE, UNSAFE, Fixes, Reading, fixes, fixes_of

_WITHOUT = "the fix is more than one value, one line or one manifest"
_BESIDE = "the fix of another finding removes it"


@dataclass(frozen=True, kw_only=True)
class FixOutcome:
    """The outcome of a finding: the flags that fix it, or else the reason for which it is left."""

    finding: Finding
    flags: str = ""
    reason: str = ""

    def is_of(self, reported: Finding) -> bool:
        """Whether a finding of a report is this one. A report names several objects with one cause in one finding, at
        the first of them."""
        mine, place = self.finding, (reported.rule, reported.file, reported.line, reported.object)
        return (mine.rule, mine.file, mine.line, mine.object) == place and reported.message.startswith(mine.message)


def fix_outcomes(read: Reading, inputs: Inputs, roots: Iterable[Path], settings: Settings | None = None) -> list[FixOutcome]:
    """The outcome of each finding, from the fixes that `--fix` and `--fix --unsafe-fixes` would make."""
    paths, found = [*roots], fixes_of(inputs, rules_of(), settings)
    flags, reasons = dict[Finding, str](), dict[Finding, str]()
    for unsafe, word in ((False, SAFE), (True, UNSAFE)):
        if any(each.edits and each.finding not in flags for each in found):
            result = fixes(read, inputs, paths, settings=settings, unsafe=unsafe)
            flags = {**dict.fromkeys(result.made, word), **flags}
            reasons |= dict(result.left)
    own = {each.finding for each in found if each.edits}
    return [_outcome(each.finding, flags.get(each.finding, ""), reasons.get(each.finding, ""), own) for each in found]


def fix_of(reported: Finding, read: Reading, inputs: Inputs, roots: Iterable[Path], settings: Settings | None = None) -> Fixes | None:
    """The fix of one finding of a report, which may be an unsafe one; None for a finding without a fix."""
    for each in fixes_of(inputs, rules_of(), settings):
        if each.edits and FixOutcome(finding=each.finding).is_of(reported):
            return fixes(read, inputs, roots, settings=settings, unsafe=True, only=each.finding)
    return None


def _outcome(finding: Finding, flags: str, reason: str, own: set[Finding]) -> FixOutcome:
    if finding not in own:
        return FixOutcome(finding=finding, reason=_BESIDE if flags else _WITHOUT)
    return FixOutcome(finding=finding, flags=flags, reason="" if flags else reason)
