"""The checks on clusters of other people: public repositories in which NVIDIA GPUs on Talos are known to work, or are known to have failed.

Each case is a file of a repository at a commit. It is checked with the whole repository, for the Talos of the case, and on its own, as by
somebody of whose cluster nothing else is known. A finding counts for the case when it is about what the file holds, or a part of it. A case
that works may get no error. One that failed should get a warning or an error for what it failed of: `wild-faults.tsv`, beside this file, says
by which rules, or why a manifest can't show it. Nothing is written into the repositories. Run it from the checkout::

    .venv/bin/python benchmarks/wild.py DIR --cases wild-cases.tsv

`DIR` holds a folder `<owner>+<name>@<commit>` for each repository and commit. The cases are lines of repository, commit, path, Talos version,
verdict (works, fails, unknown) and reason, with tabs between and a head line. With `--write docs/rules.md` the totals and the faults are
written into the page, between `<!-- wild -->` and `<!-- end -->`. Exit status 1 when a case that works gets an error, or a fault is not
found by its rules any more.
"""

import argparse
import csv
import re
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.finding import Finding, Severity
from constructs_lib.checks.fixes.fixer import fixes
from constructs_lib.checks.loaders.repository import read
from constructs_lib.checks.model import ChartRelease, Inputs, Read

FAULTS = Path(__file__).with_name("wild-faults.tsv")
WORST_FIRST = [*map(str, Severity)]
QUIET = "-"
_PART = re.compile(r"^<!-- wild -->\n.*?^<!-- end -->\n", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What failed in a case, the rules that say so, and why none does."""

    what: str
    rules: frozenset[str]
    why_not: str


@dataclass(frozen=True, kw_only=True)
class Case:
    """A file of somebody's repository, and what became of it."""

    repository: str
    commit: str
    folder: Path
    path: str
    talos: str | None
    verdict: str
    fault: Fault | None

    @property
    def file(self) -> str:
        """The file itself."""
        return str(self.folder / self.path)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the checks say of a case: checked with the whole repository, and on its own."""

    case: Case
    together: list[Finding]
    alone: list[Finding]

    @property
    def findings(self) -> list[Finding]:
        """All of them, each once."""
        return list(dict.fromkeys([*self.together, *self.alone]))

    @property
    def worst(self) -> str:
        """The worst severity."""
        return min((str(each.severity) for each in self.findings), key=WORST_FIRST.index, default=QUIET)

    @property
    def rules(self) -> str:
        """The rules; with a `*` where only the file on its own shows it."""
        together = {each.rule for each in self.together}
        return " ".join([*sorted(together), *(f"{each}*" for each in sorted({each.rule for each in self.alone} - together))])

    @property
    def is_wrong(self) -> bool:
        """Whether it works and gets an error."""
        return self.case.verdict == "works" and self.worst == Severity.ERROR

    @property
    def is_missed(self) -> bool:
        """Whether it failed, and the whole repository gets no warning or error for what it failed of."""
        said = {each.rule for each in self.together if each.severity is not Severity.INFO}
        return self.case.verdict == "fails" and not (self.case.fault and self.case.fault.rules & said)


@dataclass(kw_only=True)
class Run:
    """Everything that was checked."""

    outcomes: list[Outcome] = field(default_factory=list)
    absent: list[Case] = field(default_factory=list)
    beside: list[tuple[Path, Finding]] = field(default_factory=list)
    """Errors about other files of repositories of which nothing is known to have failed."""
    seconds: dict[str, float] = field(default_factory=dict)
    fixed: list[str] = field(default_factory=list)
    """A line for each repository with safe fixes, as `--fixes` makes them in memory."""
    wrong_fixes: list[str] = field(default_factory=list)
    """Files of working cases that a safe fix would change, and repositories that a second run would change again."""

    def of(self, verdict: str) -> list[Outcome]:
        """The cases with a verdict."""
        return [each for each in self.outcomes if each.case.verdict == verdict]


def rows(file: Path) -> Iterator[dict[str, str]]:
    """The lines of a table."""
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


def found(path: str, talos: str | None) -> tuple[Inputs, list[Finding]]:
    """What is in a file or a folder, and what the checks find in it."""
    inputs = read([path], talos=talos)
    return inputs, [each for each in run_rules(inputs) if each.ignored is None]


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


def fix(run: Run, folder: Path, talos: str | None, inputs: Inputs, working: set[str]) -> None:
    """Make the safe fixes of a repository in memory, twice."""

    def reading(texts: Mapping[Path, str]) -> Inputs:
        return read([folder], texts=texts, talos=talos)

    result = fixes(reading, inputs, [folder])
    again = fixes(lambda texts: reading({**result.texts, **texts}), result.inputs, [folder])
    if result.texts:
        run.fixed.append(
            f"{folder.name}: {result.fixed} of {result.before} findings in {', '.join(result.names[file] for file in result.texts)}"
        )
    run.wrong_fixes += [f"works, and a safe fix changes it: {file}" for file in map(str, result.texts) if file in working]
    run.wrong_fixes += [f"a second run changes {file}" for file in again.texts]


def tried(every: list[Case], *, with_fixes: bool = False) -> Run:
    """Every repository read once, and every case checked."""
    run = Run(absent=[case for case in every if not Path(case.file).is_file()])
    present = [case for case in every if case not in run.absent]
    for folder, talos in dict.fromkeys((case.folder, case.talos) for case in present):
        start = time.perf_counter()
        inputs, findings = found(str(folder), talos)
        run.seconds[folder.name] = time.perf_counter() - start
        if with_fixes:
            fix(run, folder, talos, inputs, {case.file for case in present if case.verdict == "works"})
        mine = [case for case in present if (case.folder, case.talos) == (folder, talos)]
        counted = set()
        for case in mine:
            labels = {each.label for each in (*inputs.objects, *inputs.releases, *inputs.node_configs) if is_from(each, case.file)}
            together = [each for each in findings if each.file == case.file or each.object in labels]
            run.outcomes.append(Outcome(case=case, together=together, alone=found(case.file, None)[1]))
            counted.update(together)
        if all(case.verdict != "fails" for case in mine):
            run.beside += [(folder, each) for each in findings if each.severity is Severity.ERROR and each not in counted]
    return run


def written(finding: Finding, folder: Path) -> str:
    """A finding on two lines."""
    place = finding.file.removeprefix(f"{folder}/") + (f":{finding.line}" if finding.line else "")
    return f"    {finding.severity} {finding.rule} {place} ({finding.object})\n      {finding.message}"


def report(run: Run, *, verbose: bool) -> Iterator[str]:
    """A line a case, the totals, and what is not as it should be."""
    yield f"{'repository':42} {'path':78} {'verdict':8} {'worst':8} rules"
    for each in run.outcomes:
        yield f"{each.case.folder.name:42.42} {each.case.path[-78:]:78} {each.case.verdict:8} {each.worst:8} {each.rules}"
        if verbose or each.is_wrong:
            yield from (written(finding, each.case.folder) for finding in each.findings)
    yield ""
    for verdict in ("works", "fails", "unknown"):
        worst = [each.worst for each in run.of(verdict)]
        yield f"{verdict:8} {len(worst):3} cases, by their worst finding: {', '.join(f'{worst.count(w)} {w}' for w in (*WORST_FIRST, QUIET))}"
    yield f"works    {sum(each.is_wrong for each in run.outcomes):3} with an error, and {len(run.beside)} errors in other files of these repositories"
    for folder, finding in run.beside:
        yield f"  {folder.name}\n{written(finding, folder)}"
    missed = [each for each in run.outcomes if each.is_missed]
    yield f"fails    {len(run.of('fails')) - len(missed):3} found by a rule for it, {len(missed)} not:"
    for each in missed:
        why = each.case.fault.why_not or "ITS RULES DO NOT FIND IT" if each.case.fault else "NOT YET EXPLAINED"
        yield f"  {each.case.folder.name} {each.case.path}: {why}"
    yield from (f"not there: {case.file}" for case in run.absent)
    yield from (f"fixed    {line}" for line in run.fixed)
    yield from run.wrong_fixes
    slowest = max(run.seconds, key=lambda each: run.seconds[each], default=QUIET)
    yield f"{len(run.seconds)} repositories in {sum(run.seconds.values()):.0f} s, the slowest in {run.seconds.get(slowest, 0):.1f} s: {slowest}"


def section(run: Run) -> Iterator[str]:
    """The totals and the faults as Markdown."""
    yield f"| {len(run.outcomes)} files of {len({each.case.repository for each in run.outcomes})} repositories | error | warning | remark | nothing |"
    yield "|---|--:|--:|--:|--:|"
    for verdict, meaning in (("works", "known to work"), ("fails", "known to have failed"), ("unknown", "not known")):
        worst = [each.worst for each in run.of(verdict)]
        yield f"| {len(worst)} {meaning} | {' | '.join(str(worst.count(w)) for w in (*WORST_FIRST, QUIET))} |"
    yield ""
    yield "| what failed | where | found by |"
    yield "|---|---|---|"
    for each in run.of("fails"):
        fault = each.case.fault
        if fault:
            link = f"[{each.case.repository}](https://github.com/{each.case.repository}/blob/{each.case.commit}/{each.case.path})"
            rules = " ".join(f"[{rule}](#{rule.lower()})" for rule in sorted(fault.rules))
            yield f"| {fault.what} | {link} | {f'not found: {fault.why_not}' if each.is_missed else rules} |"


def main() -> int:
    """Print the report; the exit status."""
    parser = argparse.ArgumentParser(description="the checks on public repositories")
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the repositories are checked out")
    parser.add_argument("--cases", type=Path, default=Path("wild-cases.tsv"), help="the table of cases (default: %(default)s)")
    parser.add_argument("--faults", type=Path, default=FAULTS, help="what failed in them, and the rules that say so (default: %(default)s)")
    parser.add_argument("--verbose", action="store_true", help="write out every finding about a case")
    parser.add_argument("--fixes", action="store_true", help="make the safe fixes in memory: no case that works may change")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the totals and the faults into this page")
    arguments = parser.parse_args()
    run = tried(cases(arguments.cases, arguments.faults, arguments.folder.resolve()), with_fixes=arguments.fixes)
    for line in report(run, verbose=arguments.verbose):
        print(line)
    if arguments.write:
        part = "\n".join(["<!-- wild -->", *section(run), "<!-- end -->", ""])
        arguments.write.write_text(_PART.sub(lambda _: part, arguments.write.read_text(encoding="utf-8")), encoding="utf-8")
    is_lost = any(each.is_missed and not (each.case.fault and each.case.fault.why_not) for each in run.outcomes)
    return 1 if is_lost or run.wrong_fixes or any(each.is_wrong for each in run.outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
