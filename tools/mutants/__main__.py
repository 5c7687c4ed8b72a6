"""The command: ``python -m tools.mutants --help``."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import queue
import re
import shutil
import signal
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.mutants.mutations import PACKAGE, Mutant, mutants, sample
from tools.mutants.processes import Processes

ROOT = Path(__file__).resolve().parent.parent.parent
EQUIVALENT = Path(__file__).with_name("equivalent.txt")
ROOMS = {
    "upstream": ("nodes", "manifests", "monitoring", "observed", "checks/rules", "talos"),
    "arguments": ("nodes", "manifests", "constructs"),
    "yaml": ("clusters", "checks/fixes", "observed/read"),
    "nodes": ("manifests", "checks/rules", "talos", "constructs"),
    "monitoring": ("constructs",),
    "manifests": ("constructs", "observed"),
    "observed": ("checks/rules", "checks", "talos"),
    "observed/model": ("observed/read", "observed", "checks/rules", "checks"),
    "observed/read": ("observed", "checks/rules", "checks"),
    "symptoms": ("cli", "doctor"),
    "observed/read/live": ("doctor", "cli"),
    "checks": ("cli",),
    "checks/fixes": ("checks", "cli"),
    "checks/formats": ("checks", "cli"),
    "checks/rules": ("checks",),
    "talos": ("cli",),
    "changes": ("cli",),
    "forges": ("cli",),
    "doctor": ("cli",),
    "doctor/formats": ("doctor", "cli"),
    "doctor/links": ("doctor", "cli"),
    "recipes": ("constructs",),
    "clusters": ("constructs", "cli"),
    "adoption": ("cli",),
    "constructs": (),
    "cli": (),
}
"""The rooms (folders of the library), and the folders whose tests run too when a room's own tests find nothing."""

NEAREST = 3
"""The number of test modules that run first: those which name most of what the changed module defines."""

LOT = 20
"""The most test modules that then run in one process, so that the limits hold for few tests."""

PROCESSOR = 300
"""Seconds of processor time for each lot of a mutant's tests: a mutant that never ends is killed, also on a busy machine."""

NAMED = {"survived": "survived", "ended": "ended by a limit, and counted as killed"}
"""The verdicts whose mutants are printed, with the words for them."""

NOT_COPIED = shutil.ignore_patterns(".git", ".venv", ".tools", ".*_cache", ".hypothesis", "__pycache__", "node_modules", "dist.new")


def near_tests(root: Path, room: str) -> list[Path]:
    """The test modules of a room and of the rooms above."""
    return [path for folder in (room, *ROOMS[room]) for path in sorted((root / "tests" / folder).glob("test_*.py"))]


def stages(root: Path, room: str, mutant: Mutant) -> list[list[Path]]:
    """The test modules for a mutant, in the order in which they run: the nearest ones, then the others in lots.

    The module of the same name is the nearest. Then a test module is the nearer, the more words of its name are those of the changed module,
    and the more names and rules that the changed module defines stand in it; a word in many test modules counts little.
    """
    module = root / mutant.path
    texts = {path: set(re.findall(r"\w+", path.read_text(encoding="utf-8"))) for path in near_tests(root, room)}
    defined = re.findall(r"\b(?:def|class) (\w+)|^(\w+)\b.* =|\b(TG\d{3})\b", module.read_text(encoding="utf-8"), re.MULTILINE)
    words = {module.stem, *itertools.chain(*defined)}
    modules = Counter(word for text in texts.values() for word in words & text)

    def distance(path: Path) -> tuple[bool, float]:
        name = set(path.stem.split("_")) & set(module.stem.split("_"))
        return path.stem != f"test_{module.stem}", -len(name) - sum(1 / modules[word] for word in words & texts[path])

    order = sorted(texts, key=distance)
    return [order[:NEAREST], *(order[start : start + LOT] for start in range(NEAREST, len(order), LOT))]


def verdict_on(processes: Processes, root: Path, room: str, mutant: Mutant) -> str:
    """Whether a test that is near fails with the change, which is taken back."""
    path = root / mutant.path
    text = path.read_bytes()
    path.write_bytes(mutant.applied(text))
    try:
        runs = (processes.pytest(root, stage, processor=PROCESSOR) for stage in stages(root, room, mutant))
        failed = next((run.status for run in runs if run.status), 0)
    finally:
        path.write_bytes(text)
    return "survived" if failed == 0 else "killed" if failed > 0 else "ended"


def equivalents(path: Path) -> dict[str, str]:
    """The changes that change nothing, by key, with the reason: two lines each, the reason is indented."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {key: reason.strip() for key, reason in zip(lines[::2], lines[1::2], strict=True)}


def main(arguments: list[str] | None = None) -> int:
    """Run the sample, and print the survivors and the score."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=sys.modules["tools.mutants"].__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository (default: this one)")
    parser.add_argument("--room", choices=ROOMS, action="append", help="a folder of the library; may be repeated (default: all)")
    parser.add_argument("--count", type=int, default=250, help="the number of mutants in all (default: 250)")
    parser.add_argument("--seed", type=int, default=1, help="another seed is another sample (default: 1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mutants at a time (default: one for each processor)")
    parser.add_argument("--equivalent", type=Path, default=EQUIVALENT, help="the list of equivalent mutants")
    options = parser.parse_args(arguments)
    rooms = options.room or [room for room in ROOMS if (options.root / PACKAGE / room).is_dir()]
    listed = equivalents(options.equivalent)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    processes = Processes()
    with (
        tempfile.TemporaryDirectory(prefix="mutants-") as folder,
        ThreadPoolExecutor(options.jobs) as pool,
        contextlib.ExitStack() as ending,
    ):
        ending.callback(pool.shutdown, cancel_futures=True)
        ending.callback(processes.end)
        copies: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for job in range(options.jobs):
            copies.put(Path(shutil.copytree(options.root, Path(folder, str(job)), ignore=NOT_COPIED, symlinks=True)))

        def failure(job: int) -> str:
            """What a share of the tests prints when it fails without a change."""
            tests = list(dict.fromkeys(path for room in rooms for path in near_tests(Path(folder, str(job)), room)))
            run = processes.pytest(Path(folder, str(job)), share, processor=None) if (share := tests[job :: options.jobs]) else None
            return run.output if run and run.status else ""

        if failures := list(filter(None, pool.map(failure, range(options.jobs)))):
            print(*failures, "mutants: the tests fail without a change; run `make test`", sep="\n", file=sys.stderr)
            return 2

        def verdict(room: str, mutant: Mutant) -> None:
            root = copies.get()
            try:
                answer = "equivalent" if mutant.key in listed else verdict_on(processes, root, room, mutant)
            finally:
                copies.put(root)
            counts[room][answer] += 1
            if answer in NAMED:
                print(f"{NAMED[answer]}: {mutant}", flush=True)

        shares = {room: options.count // len(rooms) + (index < options.count % len(rooms)) for index, room in enumerate(rooms)}
        chosen = [(room, mutant) for room in rooms for mutant in sample(mutants(options.root, room, ROOMS), shares[room], options.seed)]
        for _ in pool.map(verdict, *zip(*chosen, strict=True)):
            pass
    for room in rooms:
        print(f"{room:16}{report(counts[room])}")
    total = sum(counts.values(), Counter())
    print(f"{'in all':16}{report(total)} (seed {options.seed})")
    return int(total["survived"] > 0)


def report(counts: Counter[str]) -> str:
    """The score of one room, or of all."""
    killed = counts["killed"] + counts["ended"]
    return f"{killed} of {killed + counts['survived']} killed, {counts['equivalent']} equivalent"


if __name__ == "__main__":
    # A signal to end is an exit, so that the runs are ended and the copies are deleted.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    sys.exit(main())
