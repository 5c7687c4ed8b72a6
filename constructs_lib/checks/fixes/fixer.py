"""Makes fixes: edits in memory, each kept only if a new check of all files agrees."""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...observed.model import Inputs
from ...observed.read.repository import read_text
from ...yaml.block import flow
from ..engine import findings_of, rules_of
from ..rule import SAFE, UNSAFE, Action, Finding, Rule, Severity
from .fix_batch import Fix, edited_batch, is_in_effect, why_not_edited, why_without_effect

if TYPE_CHECKING:  # a check of files without settings loads no GpuNodes
    from ..settings import Settings

_WITHOUT = "the fix is more than one value, one line or one manifest"
_DOUBTED = "the rule came to no conclusion, so the file stays as it is"
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


def fix_outcomes(
    read: Reading,
    inputs: Inputs,
    roots: Iterable[Path],
    settings: Settings | None = None,
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    most_readings: int | None = None,
) -> list[FixOutcome]:
    """The outcome of each finding, from the fixes that `--fix` and `--fix --unsafe-fixes` would make. After the most
    readings of all files, the other fixes count as ones that can't be made."""
    paths, found = [*roots], fixes_of(inputs, rules_of(select, ignore), settings)
    flags, reasons = dict[Finding, str](), dict[Finding, str]()
    for unsafe, word in ((False, SAFE), (True, UNSAFE)):
        if any(each.edits and each.finding not in flags for each in found):
            fixer = _Fixer(read, inputs, paths, rules_of(select, ignore), settings, most_readings)
            result = fixer.result(unsafe=unsafe, only=None)
            flags = {**dict.fromkeys(result.made, word), **flags}
            reasons |= dict(result.left)
    own = {each.finding for each in found if each.edits}
    return [_outcome(each.finding, flags.get(each.finding, ""), reasons.get(each.finding, ""), own) for each in found]


def with_fixes(findings: Sequence[Finding], outcomes: Iterable[FixOutcome]) -> list[Finding]:
    """The findings of a report, each with the flags that fix it: none for a fix that a file, or the check of the fixed
    files, does not take."""
    fixed: dict[tuple[object, ...], list[FixOutcome]] = {}
    for each in outcomes:
        if each.flags:
            fixed.setdefault(_place(each.finding), []).append(each)
    return [replace(each, fixed_by=next((one.flags for one in fixed.get(_place(each), ()) if one.is_of(each)), "")) for each in findings]


def _place(finding: Finding) -> tuple[object, ...]:
    return finding.rule, finding.file, finding.line


def fix_of(reported: Finding, read: Reading, inputs: Inputs, roots: Iterable[Path], settings: Settings | None = None) -> Fixes | None:
    """The fix of one finding of a report, which may be an unsafe one; None for a finding without a fix."""
    for each in fixes_of(inputs, rules_of(), settings):
        if each.edits and FixOutcome(finding=each.finding).is_of(reported):
            return fixes(read, inputs, roots, settings=settings, unsafe=True, only=each.finding)
    return None


def _outcome(finding: Finding, flags: str, reason: str, own: set[Finding]) -> FixOutcome:
    if finding.is_doubt:
        return FixOutcome(finding=finding, reason=_DOUBTED)
    if finding not in own:
        return FixOutcome(finding=finding, reason=_BESIDE if flags else _WITHOUT)
    return FixOutcome(finding=finding, flags=flags, reason="" if flags else reason)


_MOST_ROUNDS = 10
"""A fix may show another fault. Each round fixes what the round before has shown."""

_MOST_READINGS = 200
"""The most times that all files are read again. A batch with a bad fix is halved, and each half is read."""

_TOO_MANY = "too many fixes can't be made: change the files of the other fixes that are left, and fix again"

Reading = Callable[[Mapping[Path, str]], Inputs]
"""Reads all inputs, with these texts in place of those of files."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Fixes:
    """The result of fixing: the inputs with the new texts of the files, and what became of the findings."""

    inputs: Inputs
    texts: Mapping[Path, str] = field(default_factory=dict)
    names: Mapping[Path, str] = field(default_factory=dict)
    """The files as reports name them."""
    before: int = 0
    """The number of findings before."""
    made: Sequence[Finding] = ()
    """The findings that are gone, as they were before."""
    unsafe: Sequence[Finding] = ()
    """The findings whose fix is unsafe, and was not made."""
    left: Sequence[tuple[Finding, str]] = ()
    """The findings whose fix can't be made, with the reason."""
    without_fix: Sequence[Finding] = ()
    """The findings without a fix of one value, one line or one manifest."""

    @property
    def fixed(self) -> int:
        """The number of findings that are gone."""
        return len(self.made)


def fixes(
    read: Reading,
    inputs: Inputs,
    roots: Iterable[Path],
    *,
    settings: Settings | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    unsafe: bool = False,
    only: Finding | None = None,
) -> Fixes:
    """Fix in memory what can be fixed.

    Args:
        read: Reads all inputs, with texts in place of those of files.
        inputs: The inputs as they are.
        roots: The files and folders that may change.
        settings: The settings, which may silence findings. A silenced finding is not fixed. Default: none.
        select: The ids of the rules that run. Default: all rules.
        ignore: The ids of the rules that do not run. Default: none.
        unsafe: Whether unsafe fixes are made, too.
        only: The only finding that is fixed. Default: each.
    """
    return _Fixer(read, inputs, [*roots], rules_of(select, ignore), settings).result(unsafe=unsafe, only=only)


def fixes_of(inputs: Inputs, rules: Iterable[Rule], settings: Settings | None = None) -> list[Fix]:
    """Every finding that is not silenced, with its edits. A rule that fails has no findings here: the report names
    it."""
    result: dict[Finding, Fix] = {}
    for rule in rules:
        with suppress(Exception):
            for each, found in findings_of(rule, inputs):
                (finding,) = [found] if settings is None else settings.silenced([found])
                if finding.ignored is None:
                    edits = tuple(replace(edit, path=each.path if edit.path is None else edit.path) for edit in each.edits)
                    equal = result.get(finding)  # of another container on the same line
                    if equal is None:
                        result[finding] = Fix(finding=finding, edits=edits, about=each.about, path=each.path)
                    elif equal.about is each.about:
                        result[finding] = replace(equal, edits=(*equal.edits, *(edit for edit in edits if edit not in equal.edits)))
    return [replace(each, without_effect=why_without_effect(each.edits, each.about, inputs)) for each in result.values()]


class _Fixer:
    """The texts so far, and the findings in them."""

    def __init__(
        self,
        read: Reading,
        inputs: Inputs,
        roots: list[Path],
        rules: list[Rule],
        settings: Settings | None,
        most_readings: int | None = None,
    ) -> None:
        self.unsafe, self.most_readings = False, most_readings or _MOST_READINGS
        self.read, self.inputs, self.rules, self.settings = read, inputs, rules, settings
        self.roots = frozenset(root.resolve() for root in roots)
        self.readings = 0
        self.all = fixes_of(inputs, rules, settings)
        self.texts: dict[Path, str] = {}
        self.names: dict[Path, str] = {}
        self.left: list[tuple[Finding, str]] = []

    def result(self, *, unsafe: bool, only: Finding | None) -> Fixes:
        """Fix in rounds, until a round fixes nothing."""
        before, self.unsafe = self.all, unsafe
        for _ in range(_MOST_ROUNDS):
            self.left = []
            wanted = [each for each in self.all if only is None or _identity(each.finding) == _identity(only)]
            if not self.make([each for each in wanted if each.edits and (unsafe or each.is_safe)]):
                break
        unsafe_fixes = [] if unsafe else [each for each in self.all if each.edits and not each.is_safe]
        impossible = {fix.finding: reason for fix, reason in why_not_edited(unsafe_fixes, self.texts, self.roots)}
        return Fixes(
            inputs=self.inputs,
            texts=self.texts,
            names=self.names,
            before=len(before),
            made=_gone(before, self.all),
            unsafe=[each.finding for each in unsafe_fixes if each.finding not in impossible],
            left=[*self.left, *impossible.items()],
            without_fix=[each.finding for each in self.all if not each.edits],
        )

    def make(self, batch: list[Fix], manifests: Sequence[Fix] = ()) -> bool:
        """Make all fixes of a batch that a new check agrees with, and say whether there is one. A batch with a bad fix
        is halved.

        `manifests` are the fixes of findings that the batch would cause: the objects that it needs.
        """
        ordered = sorted(batch, key=lambda each: -(each.finding.line or 0))  # where fixes hinder each other, the lowest one comes first
        result = edited_batch([*ordered, *manifests], self.texts, self.roots)
        self.left += [(fix.finding, reason) for fix, reason in result.left if fix not in manifests]
        self.names.update(result.names)
        possible, late = [fix for fix in result.edited if fix not in manifests], [fix for fix, _ in result.late]
        if not possible or self.readings == self.most_readings:
            self.left += [(fix.finding, reason) for fix, reason in [*((fix, _TOO_MANY) for fix in possible), *result.late]]
            return False
        problem, needed = result.problem, list[Fix]()
        if not problem:
            self.readings += 1
            inputs = self.read(result.texts)
            found = fixes_of(inputs, self.rules, self.settings)
            inputs.answers.pop(findings_of, None)  # findings hold their inputs: in a circle, only the garbage collector would free them
            problem = _problem(self.all, found, result.edited, inputs)
            if not problem:
                self.inputs, self.texts, self.all = inputs, result.texts, found
                self.left += [(fix.finding, reason) for fix, reason in result.late]  # the next round makes them
                return True
            needed = _needed(self.all, found)
            del inputs, found
        if needed and self.unsafe and not manifests:
            return self.make(batch, needed)
        if len(possible) == 1:
            advice = "" if self.unsafe else ", or fix with --unsafe-fixes, which adds it"
            what = "; ".join(dict.fromkeys(flow(edit.value) for fix in needed for edit in fix.edits))
            self.left.append((possible[0].finding, f"{problem}: add the manifest {what}{advice}" if needed else problem))
            return bool(late) and self.make(late)
        del needed
        gc.collect()
        half = len(possible) // 2
        is_made = self.make(possible[:half])
        return self.make(self.again([*possible[half:], *late])) or is_made

    def again(self, batch: list[Fix]) -> list[Fix]:
        """The fixes of a batch that are still to be made, with their lines in the texts so far."""
        wanted = _identities(batch)
        result = []
        for fix in self.all:
            identity = _identity(fix.finding)
            if fix.edits and wanted[identity] > 0:
                wanted[identity] -= 1
                result.append(fix)
        return result


def _identity(finding: Finding) -> tuple[str, ...]:
    """A finding without its lines, which an edit above moves."""
    name = re.sub(r" \S+(?= \()", "", finding.object)  # the version of a release, which an edit changes
    return finding.rule, finding.file, name, re.sub(r":\d+", "", finding.message)


def _identities(fixes: Iterable[Fix]) -> Counter[tuple[str, ...]]:
    return Counter(_identity(fix.finding) for fix in fixes)


def _gone(before: list[Fix], after: list[Fix]) -> list[Finding]:
    """The findings that were there before and no longer are."""
    rest, gone = _identities(after), []
    for each in before:
        rest[_identity(each.finding)] -= 1
        if rest[_identity(each.finding)] < 0:
            gone.append(each.finding)
    return gone


def _problem(old: list[Fix], new: list[Fix], made: list[Fix], inputs: Inputs) -> str:
    """Why the fixes of a batch are not good; empty for a good batch."""
    fixed = _identities(made)
    rest = _identities(old) - fixed
    if any(number > rest[identity] for identity, number in _identities(new).items() if identity in fixed):
        return "the finding stays after the fix: another place sets the value, too"
    if not all(is_in_effect(edit, fix.about, inputs) for fix in made for edit in fix.edits):
        return "the fix would change the text only: the cluster would get the same as before"
    worse = _places(new) - _places(old)
    if worse:
        rule, file = next(iter(worse))
        return f"the fix would cause {rule} in {file}"
    return ""


def _needed(old: list[Fix], new: list[Fix]) -> list[Fix]:
    """The fixes of new findings that add an object, one for each object."""
    worse = _places(new) - _places(old)
    causes = [fix for fix in new if (fix.finding.rule, fix.finding.file) in worse and fix.edits]
    return [fix for fix in causes if all(edit.action is Action.MANIFEST for edit in fix.edits)]


def _places(fixes: Iterable[Fix]) -> Counter[tuple[str, str]]:
    """The number of errors and warnings of each rule in each file."""
    return Counter((each.finding.rule, each.finding.file) for each in fixes if each.finding.severity is not Severity.INFO)


def flags_of_fix(rule: Rule) -> str:
    """The flags with which the failing example is fixed; empty for a rule whose fix is more than one value or one
    line."""
    example = rule.failing
    found = fixes_of(read_text(example.yaml, chart=example.chart, talos=example.talos, nodes=example.nodes), [rule])
    if not any(fix.edits for fix in found):
        return ""
    return SAFE if any(fix.edits and fix.is_safe for fix in found) else UNSAFE
