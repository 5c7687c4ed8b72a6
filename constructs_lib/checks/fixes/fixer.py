"""Makes fixes: edits in memory, each kept only if a new check of all files agrees."""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ..edit import Edit
from ..engine import finding_of, rules_of, violations_of
from ..finding import Finding, Severity
from ..loaders.files import absolute
from ..model import Inputs, Read
from ..model import Path as PathInside
from ..rule import Rule
from ..settings import Settings
from .edited_text import NotEditedError, edited, existing
from .untouched_files import why_untouched
from .written_files import contents, why_unwritable

_MOST_ROUNDS = 10
"""A fix may show another fault. Each round fixes what the round before has shown."""

Reading = Callable[[Mapping[Path, str]], Inputs]
"""Reads all inputs, with these texts in place of those of files."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Fix:
    """A finding with its edits."""

    finding: Finding
    edits: tuple[Edit, ...]
    about: Read
    path: PathInside

    @property
    def is_safe(self) -> bool:
        """Whether the fix is safe: of an error, with a certain value, and without another effect."""
        return self.finding.severity is Severity.ERROR and all(edit.is_safe for edit in self.edits)


@dataclass(frozen=True, kw_only=True, eq=False)
class Fixes:
    """The result of fixing: the inputs with the new texts of the files, and what became of the findings."""

    inputs: Inputs
    texts: Mapping[Path, str] = field(default_factory=dict)
    names: Mapping[Path, str] = field(default_factory=dict)
    """The files as reports name them."""
    before: int = 0
    """The number of findings before."""
    fixed: int = 0
    """The number of findings that are gone."""
    unsafe: Sequence[Finding] = ()
    """The findings whose fix is unsafe, and was not made."""
    left: Sequence[tuple[Finding, str]] = ()
    """The findings whose fix can't be made, with the reason."""
    without_fix: int = 0
    """The number of findings without a fix of one value or one line."""


def fixes(
    read: Reading,
    inputs: Inputs,
    roots: Iterable[Path],
    *,
    settings: Settings | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    unsafe: bool = False,
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
    """
    return _Fixer(read, inputs, [*roots], rules_of(select, ignore), settings).result(unsafe=unsafe)


def fixes_of(inputs: Inputs, rules: Iterable[Rule], settings: Settings | None = None) -> list[Fix]:
    """Every finding that is not silenced, with its edits. A rule that fails has no findings here: the report names it."""
    result: dict[Finding, Fix] = {}
    for rule in rules:
        with suppress(Exception):
            for each in violations_of(rule, inputs):
                finding = finding_of(rule, each, inputs)
                if settings is not None:
                    (finding,) = settings.silenced([finding])
                if finding.ignored is None:
                    result.setdefault(finding, Fix(finding=finding, edits=each.edits, about=each.about, path=each.path))
    return list(result.values())


class _Fixer:
    """The texts so far, and the findings in them."""

    def __init__(self, read: Reading, inputs: Inputs, roots: list[Path], rules: list[Rule], settings: Settings | None) -> None:
        self.read, self.inputs, self.roots, self.rules, self.settings = read, inputs, roots, rules, settings
        self.all = fixes_of(inputs, rules, settings)
        self.texts: dict[Path, str] = {}
        self.names: dict[Path, str] = {}
        self.left: list[tuple[Finding, str]] = []

    def result(self, *, unsafe: bool) -> Fixes:
        """Fix in rounds, until a round fixes nothing."""
        before = self.all
        for _ in range(_MOST_ROUNDS):
            self.left = []
            if not self.make([each for each in self.all if each.edits and (unsafe or each.is_safe)]):
                break
        left, self.left = self.left, []
        unsafe_fixes = [] if unsafe else [each.finding for each in self.all if each.edits and not each.is_safe and self.is_possible(each)]
        gone = _identities(before) - _identities(self.all)
        return Fixes(
            inputs=self.inputs,
            texts=self.texts,
            names=self.names,
            before=len(before),
            fixed=sum(gone.values()),
            unsafe=unsafe_fixes,
            left=[*left, *self.left],
            without_fix=sum(not each.edits for each in self.all),
        )

    def make(self, batch: list[Fix]) -> bool:
        """Make all fixes of a batch that a new check agrees with, and say whether there is one. A batch with a bad fix is halved."""
        texts, possible = dict(self.texts), []
        added = frozenset(key for fix in batch for edit in fix.edits for key in edit.path or fix.path)
        for fix in sorted(batch, key=lambda each: -(each.finding.line or 0)):  # an edit moves only the lines below it
            try:
                texts.update(self.edited(fix, texts, added))
                possible.append(fix)
            except NotEditedError as error:
                self.left.append((fix.finding, str(error)))
        if not possible:
            return False
        inputs = self.read(texts)
        found = fixes_of(inputs, self.rules, self.settings)
        problem = _problem(self.all, found, possible)
        if not problem:
            self.inputs, self.texts, self.all = inputs, texts, found
            return True
        if len(possible) == 1:
            self.left.append((possible[0].finding, problem))
            return False
        del inputs, found
        gc.collect()
        half = len(possible) // 2
        is_made = self.make(possible[:half])
        return self.make(self.again(possible[half:])) or is_made

    def is_possible(self, fix: Fix) -> bool:
        """Whether the text can be edited; if not, the reason is noted."""
        try:
            self.edited(fix, self.texts, frozenset())
        except NotEditedError as error:
            self.left.append((fix.finding, str(error)))
            return False
        return True

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

    def edited(self, fix: Fix, texts: Mapping[Path, str], added: frozenset[str | int]) -> dict[Path, str]:
        """The new texts of the files of a fix."""
        changed: dict[Path, str] = {}
        for edit in fix.edits:
            path = fix.path if edit.path is None else edit.path
            name = fix.about.file_of(existing(fix.about, path)) or fix.about.file
            if not name.isprintable():  # a line break in a name could begin the diff of another file
                raise NotEditedError("the file's name has characters that can't be printed")
            file = absolute(Path(name))
            if reason := why_unwritable(file, self.roots, texts):
                raise NotEditedError(reason)
            text = changed.get(file, texts.get(file)) or contents(file)
            if reason := why_untouched(file, text):
                raise NotEditedError(reason)
            changed[file] = edited(text, fix.about, path, edit, added)
            self.names[file] = name
        return changed


def _identity(finding: Finding) -> tuple[str, ...]:
    """A finding without its lines, which an edit above moves."""
    return finding.rule, finding.file, finding.object, re.sub(r":\d+", "", finding.message)


def _identities(fixes: Iterable[Fix]) -> Counter[tuple[str, ...]]:
    return Counter(_identity(fix.finding) for fix in fixes)


def _problem(old: list[Fix], new: list[Fix], made: list[Fix]) -> str:
    """Why the fixes of a batch are not good; empty for a good batch."""
    rest = _identities(old) - _identities(made)
    if any(number > rest[identity] for identity, number in _identities(new).items() if identity in _identities(made)):
        return "the finding stays after the fix: another place sets the value, too"
    worse = _places(new) - _places(old)
    if worse:
        rule, file = next(iter(worse))
        return f"the fix would cause {rule} in {file}"
    return ""


def _places(fixes: Iterable[Fix]) -> Counter[tuple[str, str]]:
    """The number of errors and warnings of each rule in each file."""
    return Counter((each.finding.rule, each.finding.file) for each in fixes if each.finding.severity is not Severity.INFO)
