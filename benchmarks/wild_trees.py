"""The trees of the benchmark on public clusters: their cases, their known faults, the errors that somebody judged, and what the checks find."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.formats.text import blocks, worst_first
from constructs_lib.checks.rule import Finding, Severity
from constructs_lib.observed.model import ChartRelease, Inputs, Read
from constructs_lib.observed.read.repository import read

FAULTS = Path(__file__).with_name("wild-faults.tsv")
ERRORS = Path(__file__).with_name("wild-errors.tsv")


class Verdict(StrEnum):
    """What an error is."""

    TRUE = "true"
    FALSE = "false"
    NOT_JUDGED = "not judged"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What failed in a case, the rules that find it, and why no rule does."""

    what: str
    rules: frozenset[str]
    why_not: str


@dataclass(frozen=True, kw_only=True)
class Case:
    """A file of a public repository at a commit, and what became of it."""

    repository: str
    commit: str
    folder: Path
    path: str
    talos: str | None
    verdict: str
    fault: Fault | None

    @property
    def file(self) -> str:
        """The path of the file."""
        return str(self.folder / self.path)


@dataclass(frozen=True, kw_only=True)
class JudgedError:
    """Somebody's judgement about the errors of one rule in one file."""

    verdict: Verdict
    reason: str


Place = tuple[str, str, str, str]
"""Repository, commit, path and rule."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the checks find in a case: with its tree and its Talos version, with its tree alone, and in its file alone."""

    case: Case
    with_talos: list[Finding]
    without_talos: list[Finding]
    alone: list[Finding]

    @property
    def findings(self) -> list[Finding]:
        """The findings with the Talos version, and those in the file alone."""
        return list(dict.fromkeys([*self.with_talos, *self.alone]))

    @property
    def rules(self) -> str:
        """The rules; with a `*` where the file alone shows the violation."""
        together = {finding.rule for finding in self.with_talos}
        return " ".join([*sorted(together), *(f"{rule}*" for rule in sorted({finding.rule for finding in self.alone} - together))])

    def is_found(self, findings: Iterable[Finding]) -> bool:
        """Whether a warning or an error is from a rule for the fault of the case."""
        rules = {finding.rule for finding in findings if finding.severity is not Severity.INFO}
        return self.case.fault is not None and bool(self.case.fault.rules & rules)


@dataclass(frozen=True, kw_only=True)
class Tree:
    """A repository at a commit, checked with its Talos version and without."""

    folder: Path
    outcomes: list[Outcome]
    with_talos: list[Finding]
    without_talos: list[Finding]
    judged: dict[Place, JudgedError]

    @property
    def alone(self) -> list[Finding]:
        """The findings in each case's file alone."""
        return [finding for outcome in self.outcomes for finding in outcome.alone]

    @property
    def fails(self) -> list[Outcome]:
        """The cases that are known to have failed."""
        return [outcome for outcome in self.outcomes if outcome.case.verdict == "fails"]

    def place(self, error: Finding) -> Place:
        """The repository, the commit, the path and the rule of an error."""
        case = self.outcomes[0].case
        return case.repository, case.commit, error.file.removeprefix(f"{self.folder}/"), error.rule

    def is_of_fault(self, error: Finding) -> bool:
        """Whether an error is from a rule for the known fault of its case."""
        return any(
            error.rule in outcome.case.fault.rules
            and (error in outcome.with_talos or error in outcome.without_talos or error in outcome.alone)
            for outcome in self.fails
            if outcome.case.fault
        )

    def judged_error(self, error: Finding) -> JudgedError | None:
        """Somebody's judgement about an error that is not about a known fault."""
        return None if self.is_of_fault(error) else self.judged.get(self.place(error))

    def verdict(self, error: Finding) -> Verdict:
        """An error about a known fault is true; of any other error the table of judged errors has the verdict."""
        if self.is_of_fault(error):
            return Verdict.TRUE
        judged = self.judged_error(error)
        return judged.verdict if judged else Verdict.NOT_JUDGED


@dataclass(frozen=True, kw_only=True)
class Count:
    """What the checks of one tree, or of all trees, come to in one way."""

    true: int = 0
    false: int = 0
    not_judged: int = 0
    found: int = 0
    faults: int = 0
    findings: int = 0
    blocks: int = 0

    def __add__(self, other: "Count") -> "Count":
        return Count(**{name: getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__})


def count(tree: Tree, way: str) -> Count:
    """The count of a tree in one way: `with_talos`, `without_talos` or `alone`."""
    findings: list[Finding] = getattr(tree, way)
    verdicts = [tree.verdict(finding) for finding in findings if finding.severity is Severity.ERROR]
    return Count(
        true=verdicts.count(Verdict.TRUE),
        false=verdicts.count(Verdict.FALSE),
        not_judged=verdicts.count(Verdict.NOT_JUDGED),
        found=sum(outcome.is_found(getattr(outcome, way)) for outcome in tree.fails),
        faults=len(tree.fails),
        findings=len(findings),
        blocks=len(blocks(worst_first(findings, least=Severity.WARNING))),
    )


def rows(file: Path) -> Iterator[dict[str, str]]:
    """The rows of a table."""
    with file.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


def cases(file: Path, faults_file: Path, folder: Path) -> list[Case]:
    """The cases of a table."""
    faults = {
        (row["repo"], row["commit"], row["path"]): Fault(what=row["what"], rules=frozenset(row["rules"].split()), why_not=row["why not"])
        for row in rows(faults_file)
    }
    return [
        Case(
            repository=row["repo"],
            commit=row["commit"],
            folder=folder / f"{row['repo'].replace('/', '+')}@{row['commit']}",
            path=row["path"],
            talos=row["talos_version"].removesuffix("?") or None,
            verdict=row["verdict"],
            fault=faults.get((row["repo"], row["commit"], row["path"])),
        )
        for row in rows(file)
    ]


def judged_errors(file: Path) -> dict[Place, JudgedError]:
    """The errors that somebody judged."""
    return {
        (row["repo"], row["commit"], row["path"], row["rule"]): JudgedError(verdict=Verdict(row["verdict"]), reason=row["reason"])
        for row in rows(file)
    }


def trees(present: list[Case], judged: dict[Place, JudgedError]) -> Iterator[Tree]:
    """Each tree, read with the Talos version of its cases and without."""
    for folder, talos in dict.fromkeys((case.folder, case.talos) for case in present):
        of_tree = [case for case in present if (case.folder, case.talos) == (folder, talos)]
        given, with_talos = checked(str(folder), talos)
        inferred, without_talos = checked(str(folder), None)
        yield Tree(
            folder=folder,
            outcomes=[
                Outcome(
                    case=case,
                    with_talos=about(case, given, with_talos),
                    without_talos=about(case, inferred, without_talos),
                    alone=checked(case.file, None)[1],
                )
                for case in of_tree
            ],
            with_talos=with_talos,
            without_talos=without_talos,
            judged=judged,
        )


def checked(path: str, talos: str | None) -> tuple[Inputs, list[Finding]]:
    """What is in a file or a folder, and what the checks find."""
    inputs = read([path], talos=talos)
    return inputs, [finding for finding in run_rules(inputs) if finding.ignored is None]


def about(case: Case, inputs: Inputs, findings: list[Finding]) -> list[Finding]:
    """The findings about what the file of a case holds, or a part of it."""
    labels = {each.label for each in (*inputs.objects, *inputs.releases, *inputs.node_configs) if is_from(each, case.file)}
    return [finding for finding in findings if finding.file == case.file or finding.object in labels]


def is_from(each: Read, file: str) -> bool:
    """Whether a file holds it, or any part of it: a patch, the values of a release."""
    values = paths(each.values, each.values_path) if isinstance(each, ChartRelease) else ()
    return each.file == file or any(each.file_of(path) == file for path in (*paths(each.body, ()), *values))


def paths(value: object, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """The paths of everything in a value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from paths(item, (*path, key))
