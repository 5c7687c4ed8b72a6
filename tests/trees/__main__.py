"""``python -m tests.trees``: what the checks find in working trees, as a table by rule and layout.

``python -m tests.trees 2000`` tries so many seeds, ``--first`` says from which one on, and ``--keep DIR`` keeps the trees with a finding.
"""

from __future__ import annotations

import argparse
import collections
import shutil
import sys
import tempfile
from pathlib import Path

from .checking import judged
from .trees import working_tree


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", nargs="?", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--pending", action="store_true", help="also the causes of false findings that are not mended yet")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    table: collections.Counter[tuple[str, str]] = collections.Counter()
    shown: collections.Counter[str] = collections.Counter()
    for seed in range(options.first, options.first + options.trees):
        with tempfile.TemporaryDirectory() as folder:
            made = working_tree(seed, Path(folder), pending=options.pending)
            findings = judged(Path(folder))
            for each in findings:
                table[each.rule, made.layout] += 1
                shown[each.rule] += 1
                if options.verbose or shown[each.rule] <= 2:
                    print(f"{made}\n   {each.severity} {each.rule} {each.file}:{each.line} [{each.object}] {each.message}")
            if findings and options.keep:
                shutil.copytree(folder, options.keep / str(seed), dirs_exist_ok=True)
    for (rule, layout), number in sorted(table.items()):
        print(f"{rule}  {layout:28} {number}")
    print(f"{options.trees} working trees, {sum(table.values())} errors and warnings")
    return int(bool(table))


if __name__ == "__main__":
    sys.exit(main())
