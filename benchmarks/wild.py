"""The checks on clusters of other people: public repositories in which NVIDIA GPUs on Talos are known to work, or are known to have failed.

Each case is a file of a repository at a commit. It is judged with the whole repository, as its author would, and on its own. A finding
counts for the case when it is about its file, or about an object that is in it. A case that works may get no error; one that failed should
get a warning or an error. Nothing is written into the repositories. Run it from the checkout::

    .venv/bin/python benchmarks/wild.py DIR --cases wild-cases.tsv

`DIR` holds a folder `<owner>+<name>@<commit>` for each repository and commit. The cases are lines of repository, commit, path, Talos
version, verdict (works, fails, unknown) and reason, with tabs between and a head line. Exit status 1 when a case that works gets an error.
"""

import argparse
import csv
import functools
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from constructs_lib.checks.engine import judge
from constructs_lib.checks.finding import Finding, Severity
from constructs_lib.checks.reading.repository import read

WORST_FIRST = [*Severity]
QUIET = "-"


@dataclass(frozen=True, kw_only=True)
class Case:
    """A file of somebody's repository, and what became of it."""

    folder: Path
    path: str
    talos: str | None
    verdict: str
    reason: str

    @property
    def file(self) -> Path:
        """The file itself."""
        return self.folder / self.path


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the checks say of a case: judged with the whole repository, and on its own."""

    case: Case
    together: list[Finding]
    alone: list[Finding]

    @property
    def worst(self) -> str:
        """The worst severity, `-` without a finding."""
        return worst([*self.together, *self.alone])

    @property
    def ids(self) -> str:
        """The rules; with a `*` where only the file on its own shows it."""
        together = {each.rule for each in self.together}
        alone = {each.rule for each in self.alone} - together
        return " ".join([*sorted(together), *(f"{each}*" for each in sorted(alone))])

    @property
    def is_wrong(self) -> bool:
        """Whether it works and gets an error."""
        return self.case.verdict == "works" and self.worst == Severity.ERROR

    @property
    def written(self) -> list[str]:
        """The findings, each on two lines."""
        return [written(each, self.case.folder) for each in dict.fromkeys([*self.together, *self.alone])]


def worst(findings: list[Finding]) -> str:
    """The worst severity, `-` without a finding."""
    return str(min((each.severity for each in findings), key=WORST_FIRST.index, default=QUIET))


def cases(file: Path, folder: Path) -> list[Case]:
    """The cases of a file, in its order."""
    with file.open(encoding="utf-8", newline="") as lines:
        return [
            Case(
                folder=folder / f"{row['repo'].replace('/', '+')}@{row['commit']}",
                path=row["path"],
                talos=None if "?" in row["talos_version"] else row["talos_version"],
                verdict=row["verdict"],
                reason=row["reason"],
            )
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]


def bare(label: str) -> str:
    """An object's label without what a kustomization adds: its namespace, and the version of a chart."""
    return re.sub(r"(?<=[( ])[^/( ]*/", "", re.sub(r" [^ (]+ \(", " (", label))


@functools.cache
def judged(path: Path, talos: str | None) -> tuple[list[Finding], float]:
    """What the checks find in a file or a folder, and the seconds that it took."""
    start = time.perf_counter()
    findings = judge(read([str(path)], talos=talos))
    return [each for each in findings if each.ignored is None], time.perf_counter() - start


def outcome(case: Case) -> Outcome:
    """What the checks say of a case."""
    inputs = read([str(case.file)], talos=case.talos)
    labels = {bare(each.label) for each in (*inputs.objects, *inputs.releases, *inputs.node_configs)}
    about = [each for each in judged(case.folder, case.talos)[0] if Path(each.file) == case.file or bare(each.object) in labels]
    return Outcome(case=case, together=about, alone=judged(case.file, case.talos)[0])


def elsewhere(outcomes: list[Outcome]) -> Iterator[tuple[Path, Finding]]:
    """The errors in other files of the repositories of which nothing is known to have failed."""
    failed = {each.case.folder for each in outcomes if each.case.verdict == "fails"}
    counted = {finding for each in outcomes for finding in each.together}
    for folder, talos in dict.fromkeys((each.case.folder, each.case.talos) for each in outcomes):
        for finding in judged(folder, talos)[0] if folder not in failed else ():
            if finding.severity is Severity.ERROR and finding not in counted:
                yield folder, finding


def written(finding: Finding, folder: Path) -> str:
    """A finding on two lines."""
    place = finding.file.removeprefix(f"{folder}/") + (f":{finding.line}" if finding.line else "")
    return f"    {finding.severity} {finding.rule} {place} ({finding.object})\n      {finding.message}"


def table(outcomes: list[Outcome], *, verbose: bool) -> Iterator[str]:
    """A line a case, and the totals."""
    yield f"{'repository':42} {'path':78} {'verdict':8} {'worst':8} rules"
    for each in outcomes:
        case = each.case
        yield f"{case.folder.name:42.42} {case.path[-78:]:78} {case.verdict:8} {each.worst:8} {each.ids}"
        if verbose:
            yield from each.written
    yield ""
    for verdict in ("works", "fails", "unknown"):
        mine = [each for each in outcomes if each.case.verdict == verdict]
        counts = ", ".join(f"{sum(each.worst == level for each in mine)} {level}" for level in (*map(str, WORST_FIRST), QUIET))
        yield f"{verdict:8} {len(mine):3} cases, by their worst finding: {counts}"


def surprises(outcomes: list[Outcome]) -> Iterator[str]:
    """What works and gets an error, what failed and gets no warning, and errors beside the cases."""
    for each in outcomes:
        case = each.case
        if each.is_wrong:
            yield f"\nworks, and gets an error: {case.folder.name} {case.path}: {case.reason}"
            yield from each.written
        elif case.verdict == "fails" and each.worst not in ("error", "warning"):
            yield f"\nfails, and gets no warning: {case.folder.name} {case.path}: {case.reason}"
    others = list(elsewhere(outcomes))
    if others:
        yield "\nErrors about other files of repositories of which nothing is known to have failed:"
        for folder, finding in others:
            yield f"  {folder.name}"
            yield written(finding, folder)


def timing(outcomes: list[Outcome]) -> str:
    """How long the repositories took."""
    places = {(each.case.folder, each.case.talos) for each in outcomes}
    seconds = {folder.name: judged(folder, talos)[1] for folder, talos in places}
    slowest = max(seconds, key=lambda each: seconds[each], default="none")
    return f"\n{len(seconds)} repositories in {sum(seconds.values()):.0f} s; the slowest is {slowest} with {seconds.get(slowest, 0):.1f} s."


def main() -> int:
    """Print the table; the exit status."""
    parser = argparse.ArgumentParser(description="the checks on public repositories")
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the repositories are checked out")
    parser.add_argument("--cases", type=Path, default=Path("wild-cases.tsv"), help="the table of cases (default: %(default)s)")
    parser.add_argument("--verbose", action="store_true", help="write out every finding about a case")
    arguments = parser.parse_args()
    every = cases(arguments.cases, arguments.folder.resolve())
    outcomes = [outcome(case) for case in every if case.file.is_file()]
    for line in table(outcomes, verbose=arguments.verbose):
        print(line)
    for case in every:
        if not case.file.is_file():
            print(f"not there: {case.file}")
    for line in surprises(outcomes):
        print(line)
    print(timing(outcomes))
    return 1 if any(each.is_wrong for each in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
