"""The adoption of public clusters: of how many trees `talos-gpu adopt` describes the GPU stack in a cluster file, and how much of it.

Each tree of the cases (see wild.py) is adopted with its Talos version. The written file is read and synthesized again. Run the benchmark from
the checkout::

    .venv/bin/python benchmarks/wild_adoption.py DIR --cases wild-cases.tsv

Exit status 1 for a tree that can't be adopted for another reason than its Talos version, for a file that is refused, and for an error of the rules
that the tree lacks.
"""

import argparse
import re
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from wild_trees import FAULTS, cases

from constructs_lib.adoption.adopted_cluster import adopt
from constructs_lib.adoption.differences import Outcome, differences, outcome
from constructs_lib.arguments.errors import Refusal
from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rule import Severity
from constructs_lib.clusters.cluster_file import ClusterFile
from constructs_lib.clusters.synthesis import synthesize
from constructs_lib.observed.read.repository import read


class Counts:
    """The counts of all trees."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.explanations: Counter[str] = Counter()
        self.parts: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.with_old_errors = 0

    def add(self, folder: Path, talos: str | None) -> str:
        """Adopt a tree; a line about it."""
        inputs = read([folder], talos=talos)
        try:
            adoption = adopt(inputs, talos)
        except Refusal as error:
            self.outcomes[Outcome.NOT_AT_ALL] += 1
            if error.argument != "talos":
                self.wrong.append(f"{folder.name}: {error}")
            return f"{folder.name:46.46} {Outcome.NOT_AT_ALL}: {error}"
        explained = differences(adoption)
        result = outcome(adoption, explained)
        self.outcomes[result] += 1
        self.explanations.update(str(each.explanation) for each in explained)
        self.parts.update(part.name for part in adoption.parts)
        self.reasons.update(_reason(left.reason) for left in adoption.left if left.is_object)
        self._check(folder, adoption.text, {each.rule for each in run_rules(inputs) if each.severity is Severity.ERROR})
        of_tree = Counter(str(each.explanation) for each in explained)
        return f"{folder.name:46.46} {result:30} " + ", ".join(f"{number} {name}" for name, number in of_tree.items())

    def _check(self, folder: Path, text: str, known: set[str]) -> None:
        ((_, description),) = ClusterFile("cluster.yaml", text).clusters()
        result = synthesize(description, lambda _: "")
        self.wrong += [f"{folder.name}: {error.path}: {error.error}" for error in result.errors]
        rules = {str(error.error).partition(" ")[0] for error in result.violations}
        self.with_old_errors += bool(rules & known)
        self.wrong += [f"{folder.name}: {rule} is new" for rule in sorted(rules - known)]


def _reason(text: str) -> str:
    """A reason without what is particular to a tree."""
    return re.sub(r"'[^']*'|\(.*|: .*", "…", text)[:100]


def main() -> int:
    """Print the counts; the exit status."""
    parser = argparse.ArgumentParser(description="the adoption of public repositories")
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the repositories are checked out")
    parser.add_argument("--cases", type=Path, default=Path("wild-cases.tsv"), help="the table of cases (default: %(default)s)")
    parser.add_argument("--only", metavar="WORD", default="", help="only the trees with this word in their name")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    every = cases(arguments.cases, FAULTS, arguments.folder.resolve())
    trees = dict.fromkeys((case.folder, case.talos) for case in every if case.folder.is_dir() and arguments.only in case.folder.name)
    counts, start = Counts(), time.process_time()
    for folder, talos in trees:
        print(counts.add(folder, talos), flush=True)
    print()
    for kind in Outcome:
        print(f"{counts.outcomes[kind]:4} {kind}")
    print(f"parts: {', '.join(f'{number} {name}' for name, number in counts.parts.most_common())}")
    print(f"lines: {', '.join(f'{number} {name}' for name, number in counts.explanations.most_common())}")
    for reason, number in counts.reasons.most_common(20):
        print(f"{number:4} stay: {reason}")
    print(f"{counts.with_old_errors} files keep an error of the rules that the tree has")
    for each in counts.wrong:
        print(f"WRONG: {each}")
    print(f"{len(trees)} trees in {time.process_time() - start:.0f} s of processor time")
    return 1 if counts.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
