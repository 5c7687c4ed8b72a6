"""The safe fixes of `talos-gpu check --fix` on the public clusters of `wild.py`, made in memory: nothing is written.

A file of a case that works may not change, and a second run may change nothing. Run it from the checkout::

    .venv/bin/python benchmarks/wild_fixes.py DIR --cases wild-cases.tsv

Exit status 1 where one of the two is not so.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from wild_trees import FAULTS, cases

from constructs_lib.checks.fixes.fixer import Fixes, fixes
from constructs_lib.observed.model import Inputs
from constructs_lib.observed.read.repository import read


def made(folder: Path, talos: str | None) -> tuple[Fixes, Fixes]:
    """The safe fixes of a tree, and those of a second run."""

    def reading(texts: Mapping[Path, str]) -> Inputs:
        return read([folder], texts=texts, talos=talos)

    first = fixes(reading, reading({}), [folder])
    return first, fixes(lambda texts: reading({**first.texts, **texts}), first.inputs, [folder])


def wrong(first: Fixes, second: Fixes, working: set[str]) -> Iterator[str]:
    """A line about each file that should not change."""
    yield from (f"works, and a safe fix changes it: {file}" for file in map(str, first.texts) if file in working)
    yield from (f"a second run changes {file}" for file in second.texts)


def main() -> int:
    """Print a line for each tree that has safe fixes; the exit status."""
    parser = argparse.ArgumentParser(description="the safe fixes on public repositories")
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the repositories are checked out")
    parser.add_argument("--cases", type=Path, default=Path("wild-cases.tsv"), help="the table of cases (default: %(default)s)")
    parser.add_argument("--faults", type=Path, default=FAULTS, help="what failed in them (default: %(default)s)")
    arguments = parser.parse_args()
    present = [case for case in cases(arguments.cases, arguments.faults, arguments.folder.resolve()) if Path(case.file).is_file()]
    working = {case.file for case in present if case.verdict == "works"}
    problems = []
    for folder, talos in dict.fromkeys((case.folder, case.talos) for case in present):
        first, second = made(folder, talos)
        if first.texts:
            print(f"{folder.name}: {first.fixed} of {first.before} findings in {', '.join(first.names[file] for file in first.texts)}")
        problems += wrong(first, second, working)
    print("\n".join(problems) or "no working case changes, and a second run changes nothing")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
