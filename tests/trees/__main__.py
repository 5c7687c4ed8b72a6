"""``python -m tests.trees``: what the checks find in working trees, and which planted faults they miss, as tables by rule and layout.

``python -m tests.trees working 2000`` tries so many trees, ``--first`` says from which seed on, and ``--keep DIR`` keeps those with a finding.
``python -m tests.trees faults 3`` plants each rule's fault so often into each layout.
"""

from __future__ import annotations

import argparse
import collections
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from constructs_lib.checks.rules import RULES

from .checking import found, judged
from .faults import LAYOUTS_OF
from .layouts import LAYOUTS
from .trees import faulty_tree, working_tree


@contextmanager
def folder(keep: Path | None, name: str) -> Iterator[Path]:
    """An empty folder; `keep` gets a copy of what its user marks by a file `.keep`."""
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)
        if keep and (Path(made) / ".keep").exists():
            shutil.copytree(made, keep / name, dirs_exist_ok=True)


def working(options: argparse.Namespace) -> int:
    """The errors and warnings in trees of clusters that work."""
    table: collections.Counter[tuple[str, str]] = collections.Counter()
    shown: collections.Counter[str] = collections.Counter()
    for seed in range(options.first, options.first + options.count):
        with folder(options.keep, str(seed)) as root:
            made = working_tree(seed, root)
            for each in judged(root):
                (root / ".keep").touch()
                table[each.rule, made.layout] += 1
                shown[each.rule] += 1
                if options.verbose or shown[each.rule] <= 2:
                    print(f"{made}\n   {each.severity} {each.rule} {each.file}:{each.line} [{each.object}] {each.message}")
    for (rule, layout), number in sorted(table.items()):
        print(f"{rule}  {layout:28} {number}")
    print(f"{options.count} working trees: {sum(table.values())} errors and warnings")
    return int(bool(table))


def faults(options: argparse.Namespace) -> int:
    """The planted faults that their rules miss."""
    missed: dict[str, list[str]] = {}
    planted = 0
    rules = options.rules.split(",") if options.rules else list(RULES)
    for rule in rules:
        for layout in LAYOUTS_OF.get(rule, LAYOUTS):
            for seed in range(options.first, options.first + options.count):
                with folder(options.keep, f"{rule}-{layout}-{seed}") as root:
                    made = faulty_tree(RULES[rule], layout, seed, root)
                    planted += 1
                    if not found(RULES[rule], made.cluster.talos, root):
                        (root / ".keep").touch()
                        missed.setdefault(rule, []).append(f"{layout}/{made.nodes}/{made.route}/{made.cluster.talos}")
    for rule, places in missed.items():
        print(
            f"{rule}  missed {len(places)} of {options.count * len(LAYOUTS_OF.get(rule, LAYOUTS))}: {', '.join(places if options.verbose else places[:3])}"
        )
    number = sum(map(len, missed.values()))
    print(f"{planted} planted faults of {len(rules)} rules: {planted - number} found ({100 * (planted - number) / planted:.1f} %)")
    return int(bool(missed))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=("working", "faults"), default="working")
    parser.add_argument("count", nargs="?", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--rules", help="the ids of the rules whose faults are planted; default: all")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    return working(options) if options.what == "working" else faults(options)


if __name__ == "__main__":
    sys.exit(main())
