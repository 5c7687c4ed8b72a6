"""The checks on clusters of other people: public repositories in which NVIDIA GPUs on Talos are known to work, or are known to have failed.

Each case is a file of a repository at a commit. The checks read the whole repository, with the Talos version of the case (`--talos`) and
without, and then the file alone. A finding counts for the case when the finding is about what the file holds, or a part of it.

Each error is true or false. It is true when it is from a rule for the known fault of its case (`wild-faults.tsv`, which says by which rules a
fault is found, or why a manifest can't show the fault). Of every other error `wild-errors.tsv` has the verdict and the reason. Nothing is written into the
repositories. Run the benchmark from the checkout::

    .venv/bin/python benchmarks/wild.py DIR --cases wild-cases.tsv

`DIR` holds a folder `<owner>+<name>@<commit>` for each repository and commit. The cases are lines of repository, commit, path, Talos version,
verdict (works, fails, unknown) and reason, with tabs between and a head line. With `--write docs/rules.md` the totals and the faults are
written into the page, between `<!-- wild -->` and `<!-- end -->`. Exit status 1 for an error that is false or not judged, for a fault that
its rules do not find with the Talos version, and for a fault that is not in the table.
"""

import argparse
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from wild_trees import ERRORS, FAULTS, Case, Count, Outcome, Place, Tree, Verdict, cases, count, judged_errors, trees

from constructs_lib.checks.rule import Finding, Severity

WORST_FIRST = [*map(str, Severity)]
NOTHING = "-"
WAYS = {"with_talos": "with --talos", "without_talos": "without", "alone": "each file alone"}
_PART = re.compile(r"^<!-- wild -->\n.*?^<!-- end -->\n", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Run:
    """All trees, checked."""

    trees: list[Tree]
    absent: list[Case]
    seconds: float

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """The outcomes of all cases."""
        return [outcome for tree in self.trees for outcome in tree.outcomes]

    @cached_property
    def errors(self) -> list[tuple[Tree, Finding, Verdict]]:
        """Every error with its verdict; the same error of several ways once."""
        return [
            (tree, error, tree.verdict(error))
            for tree in self.trees
            for error in dict.fromkeys([*tree.with_talos, *tree.without_talos, *tree.alone])
            if error.severity is Severity.ERROR
        ]

    @property
    def wrong(self) -> list[tuple[Tree, Finding, Verdict]]:
        """The errors that are false or not judged."""
        return [each for each in self.errors if each[2] is not Verdict.TRUE]

    @property
    def missed(self) -> list[Outcome]:
        """The cases that failed, and whose fault is not found with the Talos version."""
        return [outcome for tree in self.trees for outcome in tree.fails if not outcome.is_found(outcome.with_talos)]

    @property
    def unexplained(self) -> list[Outcome]:
        """The missed cases for which no reason is known."""
        return [outcome for outcome in self.missed if not (outcome.case.fault and outcome.case.fault.why_not)]

    def total(self, way: str) -> Count:
        """The count of all trees in one way."""
        return sum((count(tree, way) for tree in self.trees), Count())

    def worst(self, verdict: str) -> list[str]:
        """The worst severity of each case with a verdict."""
        of_verdict = [outcome.findings for outcome in self.outcomes if outcome.case.verdict == verdict]
        return [min((str(each.severity) for each in findings), key=WORST_FIRST.index, default=NOTHING) for findings in of_verdict]


def report(run: Run, judged: set[Place], *, verbose: bool) -> Iterator[str]:
    """A line for each tree in two ways, the totals, and what is not as it should be."""
    if verbose:
        yield from each_case(run)
    ways = ("with_talos", "without_talos")
    yield f"{'':44}" + "".join(f" | {WAYS[way]:^47}" for way in ways)
    yield f"{'tree':44}" + f" | {'errors: true':>12} {'false':>5} {'not judged':>10}  {'faults':>7}  findings  blocks" * len(ways)
    for tree in run.trees:
        yield f"{tree.folder.name[-44:]:44}" + "".join(f" | {line(count(tree, way))}" for way in ways)
    yield ""
    for way, name in WAYS.items():
        yield f"{name:44} | {line(run.total(way))}"
    yield ""
    for tree, error, verdict in run.errors:
        if not tree.is_of_fault(error):
            yield f"error {verdict}: {tree.folder.name}"
            yield written(error, tree.folder)
            judged_error = tree.judged_error(error)
            if judged_error:
                yield f"      {judged_error.reason}"
    read = {(outcome.case.repository, outcome.case.commit) for outcome in run.outcomes}
    given = {tree.place(error) for tree, error, _ in run.errors}
    yield from (f"judged, and no error any more: {' '.join(place)}" for place in sorted(judged - given) if place[:2] in read)
    for outcome in run.missed:
        fault = outcome.case.fault
        why = (fault.why_not or f"ITS RULES DO NOT FIND IT: {' '.join(fault.rules)}") if fault else "NOT YET EXPLAINED"
        yield f"missed: {outcome.case.folder.name} {outcome.case.path}: {why}"
    yield from (f"not there: {case.file}" for case in run.absent)
    total = run.total("with_talos")
    yield f"known faults found: {total.found} of {total.faults}; errors that are false or not judged: {len(run.wrong)}"
    yield f"{len(run.trees)} trees in {run.seconds:.0f} s of processor time"


def each_case(run: Run) -> Iterator[str]:
    """A line for each case, and its findings."""
    for outcome in run.outcomes:
        case = outcome.case
        yield f"{case.folder.name:44.44} {case.path[-78:]:78} {case.verdict:8} {outcome.rules}"
        yield from (written(finding, case.folder) for finding in outcome.findings)
    yield ""


def line(counts: Count) -> str:
    """A count as a part of a line."""
    faults = f"{counts.found} of {counts.faults}" if counts.faults else ""
    return f"{counts.true:12} {counts.false:5} {counts.not_judged:10}  {faults:>8} {counts.findings:9} {counts.blocks:7}"


def written(finding: Finding, folder: Path) -> str:
    """A finding on two lines."""
    place = finding.file.removeprefix(f"{folder}/") + (f":{finding.line}" if finding.line else "")
    return f"    {finding.severity} {finding.rule} {place} ({finding.object})\n      {finding.message}"


def section(run: Run) -> Iterator[str]:
    """The totals and the faults as Markdown."""
    yield f"| {len(run.outcomes)} files of {len({outcome.case.repository for outcome in run.outcomes})} repositories | error | warning | remark | nothing |"
    yield "|---|--:|--:|--:|--:|"
    for verdict, meaning in (("works", "known to work"), ("fails", "known to have failed"), ("unknown", "not known")):
        worst = run.worst(verdict)
        yield f"| {len(worst)} {meaning} | {' | '.join(str(worst.count(each)) for each in (*WORST_FIRST, NOTHING))} |"
    yield ""
    yield f"| {len(run.trees)} trees | true errors | false errors | known faults found | findings | blocks that a report shows |"
    yield "|---|--:|--:|--:|--:|--:|"
    for way, name in WAYS.items():
        total = run.total(way)
        found = f"{total.found} of {total.faults}"
        yield f"| {name} | {total.true} | {total.false + total.not_judged} | {found} | {total.findings} | {total.blocks} |"
    yield ""
    yield "| what failed | where | found by |"
    yield "|---|---|---|"
    for outcome in run.outcomes:
        case, fault = outcome.case, outcome.case.fault
        if fault:
            link = f"[{case.repository}](https://github.com/{case.repository}/blob/{case.commit}/{case.path})"
            rules = " ".join(f"[{rule}](#{rule.lower()})" for rule in sorted(fault.rules))
            yield f"| {fault.what} | {link} | {f'not found: {fault.why_not}' if outcome in run.missed else rules} |"
    yield ""
    yield "| other errors | where | judged | because |"
    yield "|---|---|---|---|"
    for (repository, commit, path, rule), judged in {tree.place(error): tree.judged_error(error) for tree, error, _ in run.errors}.items():
        if judged:
            link = f"[{repository}](https://github.com/{repository}/blob/{commit}/{path})"
            yield f"| [{rule}](#{rule.lower()}) | {link} | {judged.verdict} | {judged.reason} |"


def main() -> int:
    """Print the report; the exit status."""
    parser = argparse.ArgumentParser(description="the checks on public repositories")
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the repositories are checked out")
    parser.add_argument("--cases", type=Path, default=Path("wild-cases.tsv"), help="the table of cases (default: %(default)s)")
    parser.add_argument(
        "--faults", type=Path, default=FAULTS, help="what failed in them, and the rules that find it (default: %(default)s)"
    )
    parser.add_argument("--errors", type=Path, default=ERRORS, help="the verdicts on other errors (default: %(default)s)")
    parser.add_argument("--verbose", action="store_true", help="write out each case with its findings")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the totals and the faults into this page")
    arguments = parser.parse_args()
    every = cases(arguments.cases, arguments.faults, arguments.folder.resolve())
    present = [case for case in every if Path(case.file).is_file()]
    judged = judged_errors(arguments.errors)
    start = time.process_time()
    checked = list(trees(present, judged))
    run = Run(trees=checked, absent=[case for case in every if case not in present], seconds=time.process_time() - start)
    for each in report(run, set(judged), verbose=arguments.verbose):
        print(each)
    if arguments.write:
        part = "\n".join(["<!-- wild -->", *section(run), "<!-- end -->", ""])
        arguments.write.write_text(_PART.sub(lambda _: part, arguments.write.read_text(encoding="utf-8")), encoding="utf-8")
    return 1 if run.wrong or run.unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
