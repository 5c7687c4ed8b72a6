"""The benchmarks: ``make bench`` writes their table into docs/benchmarks.md, ``make bench BENCH='--quick'`` prints a small one.

Every measurement has a process of its own. The ways that are compared take turns, and the best of several turns counts, so that another program on the
machine changes little. The table has ratios and counts; seconds are of one machine, and not in it.
"""

import argparse
import compileall
import datetime as dt
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from measurements import WORKLOADS_OF_A_CLUSTER, Measured
from platforms import PLATFORMS, workloads_of

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
_TABLES = re.compile(r"(?<=^<!-- bench -->\n).*?(?=^<!-- end -->$)", re.MULTILINE | re.DOTALL)

LIBRARY, RAW, PLUS = PLATFORMS
LONG = 1_000


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """The sizes of a run. Measurements of many objects take half of the turns."""

    turns: int
    objects: tuple[int, ...]
    clusters: int
    synthesized: tuple[int, int]
    """The clusters of the cluster file, and those of the apps of the same content."""
    kept_clusters: int
    checked_objects: tuple[int, int]
    files: tuple[int, int]
    workloads: int

    @property
    def few_turns(self) -> int:
        """The turns of a measurement that takes long."""
        return max(self.turns // 2, 1)


def full(turns: int) -> Sizes:
    """The sizes of the page."""
    return Sizes(
        turns=turns,
        objects=(50, 500, 4_000),
        clusters=1_000,
        synthesized=(1_000, 40),
        kept_clusters=50,
        checked_objects=(1_000, 16_000),
        files=(1_000, 4_000),
        workloads=1_000,
    )


QUICK = Sizes(
    turns=1, objects=(50, 200), clusters=8, synthesized=(16, 4), kept_clusters=5, checked_objects=(200, 800), files=(40, 160), workloads=50
)


@dataclass(frozen=True)
class Row:
    """A measurement with a goal: the result may be at most the goal. A row without a goal is the floor of the rows before it."""

    measurement: str
    result: float
    goal: float | None

    def __str__(self) -> str:
        if self.goal is None:
            return f"| {self.measurement} | {self.result:.2f} | | floor |"
        return f"| {self.measurement} | {self.result:.2f} | {self.goal:.2f} | {'met' if round(self.result, 2) <= self.goal else 'missed'} |"


def measured(*what: object) -> Measured:
    """One measurement in a process of its own; `whole` is the processor's time of the process and its children."""
    command = [sys.executable, str(Path(__file__).with_name("measurements.py")), *map(str, what)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    printed = process.stdout.read()
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    found: Measured = json.loads(printed)
    return {**found, "whole": usage.ru_utime + usage.ru_stime}


def compile_sources() -> None:
    """Compile the sources, as pip does when it installs a package: cdk8s is compiled too. `PYTHONDONTWRITEBYTECODE` would compile them at each start."""
    for package in ("constructs_lib", "benchmarks"):
        compileall.compile_dir(ROOT / package, quiet=1)


def best(measurements: dict[str, Callable[[], Measured]], turns: int) -> dict[str, Measured]:
    """The smallest numbers of several measurements, which take turns."""
    found: dict[str, list[Measured]] = {name: [] for name in measurements}
    for _ in range(turns):
        for name, measurement in measurements.items():
            found[name].append(measurement())
    return {name: {key: min(each[key] for each in every) for key in every[0]} for name, every in found.items()}


def exponent(small: float, large: float, times: float) -> float:
    """The exponent of the growth from a small size to one that is so many times larger: 1 is linear."""
    return math.log(large / small) / math.log(times)


def of_ways(name: str, number: int, turns: int) -> dict[str, Measured]:
    """A measurement of each way."""
    return best({way: lambda way=way: measured(name, way, number) for way in PLATFORMS}, turns)


def platform_rows(sizes: Sizes, built: dict[int, dict[str, Measured]]) -> Iterator[Row]:
    """The rows on one platform in three ways."""
    yield Row("cold start: import and first synth, to raw objects", built[1][LIBRARY]["whole"] / built[1][RAW]["whole"], 1.05)
    yield from _ratios(sizes, built, LIBRARY, RAW, "to raw objects", 1.10)
    yield from _ratios(sizes, built, LIBRARY, PLUS, "to cdk8s-plus", 0.60)
    yield from _ratios(sizes, built, RAW, PLUS, "raw objects to cdk8s-plus", None)
    small, large = built[sizes.objects[-2]][LIBRARY], built[sizes.objects[-1]][LIBRARY]
    times = large["objects"] / small["objects"]
    yield Row(f"growth to {int(large['objects']):,} objects, exponent", exponent(small["inside"], large["inside"], times), 1.05)
    yield Row("memory at that size, to raw objects", large["peak"] / built[sizes.objects[-1]][RAW]["peak"], 1.10)


def _ratios(sizes: Sizes, built: dict[int, dict[str, Measured]], way: str, other: str, words: str, goal: float | None) -> Iterator[Row]:
    """The rows on one way beside another one, at each size."""
    for objects in sizes.objects:
        ways = built[objects]
        for part, name in (("whole", "whole process"), ("inside", "build and synth")):
            yield Row(f"{int(ways[way]['objects']):,} objects, {name}, {words}", ways[way][part] / ways[other][part], goal)


def fleet_rows(sizes: Sizes, fleet: Measured, kept: dict[str, Measured]) -> Iterator[Row]:
    """The rows on a fleet."""
    yield Row(f"a fleet of {sizes.clusters:,} apps in one process, the last quarter to the first", fleet["last"] / fleet["first"], 1.05)
    yield Row(
        "KB of Python that stay after an app; the goal is that of raw objects", kept[LIBRARY]["bytes"] / 1000, kept[RAW]["bytes"] / 1000
    )


def synth_rows(sizes: Sizes) -> Iterator[Row]:
    """The rows on clusters from one file."""
    clusters, few = sizes.synthesized
    found = best({"file": lambda: measured("synth", clusters), "apps": lambda: measured("apps", few)}, sizes.few_turns)
    file, apps = found["file"], found["apps"]
    words = f"{clusters:,} clusters of {int(file['objects'] / clusters)} objects from one file"
    yield Row(f"{words}, processor seconds of a core", file["inside"], 8.0 * clusters / 1_000)
    yield Row(f"{words}, the last quarter to the first", file["growth"], 1.05)
    yield Row(f"{words}, memory to that after a quarter", file["memory"], 1.05)
    yield Row(f"{words}, a cluster to an app of the same content with `attach`", file["each"] / apps["each"], 0.10)


def check_rows(sizes: Sizes) -> Iterator[Row]:
    """The rows on the checks."""
    for name, numbers, words in (("checks", sizes.checked_objects, "objects in one text"), ("files", sizes.files, "files in a repository")):
        each = {str(number): lambda name=name, number=number: measured(name, number) for number in numbers}
        found = best(each, sizes.few_turns)
        small, large = found[str(numbers[0])]["inside"], found[str(numbers[-1])]["inside"]
        growth = exponent(small, large, numbers[-1] / numbers[0])
        yield Row(f"checks of {numbers[0]:,} to {numbers[-1]:,} {words}, exponent of the growth", growth, 1.05)
    builders = best({"builders": lambda: measured("builders", sizes.workloads)}, sizes.turns)["builders"]
    yield Row("workloads without cdk8s, to deep copies of their objects", builders["inside"] / builders["copy"], 3.0)


STARTS = {"talos-gpu --version": (("--version",), 3.0), "talos-gpu check of one file": (("check", "pod.yaml", "--talos", "1.13"), 12.0)}
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: cuda, namespace: ai}
spec:
  runtimeClassName: nvidia
  containers: [{name: cuda, image: "nvcr.io/nvidia/cuda:12.6.3-base-ubuntu24.04", resources: {limits: {nvidia.com/gpu: 1}}}]
"""


def start_rows(sizes: Sizes) -> Iterator[Row]:
    """The rows on the start of the command, beside that of Python."""
    run = "import sys; from constructs_lib.cli import main; sys.exit(main())"  # the script `talos-gpu`
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "pod.yaml").write_text(POD, encoding="utf-8")
        ways = {name: lambda given=given: _started(folder, run, *given) for name, (given, _) in STARTS.items()}
        found = best({"python": lambda: _started(folder, "pass"), **ways}, 3 * sizes.turns)
    for name, (_, goal) in STARTS.items():
        yield Row(f"{name}, to `python -c pass`", found[name]["whole"] / found["python"]["whole"], goal)


def _started(folder: str, *arguments: str) -> Measured:
    """The processor's time of Python with this program."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-c", *arguments], cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):  # 1: the check finds something
        raise subprocess.CalledProcessError(process.returncode, arguments)
    return {"whole": usage.ru_utime + usage.ru_stime}


def counts(sizes: Sizes, built: dict[int, dict[str, Measured]], kept: dict[str, Measured]) -> Iterator[str]:
    """The table of exact counts."""
    yield "| count | this library | raw objects | cdk8s-plus |"
    yield "|---|---|---|---|"
    few, many = built[sizes.objects[0]], built[sizes.objects[-1]]
    more = workloads_of(sizes.objects[-1]) - workloads_of(sizes.objects[0])
    cluster = f"a cluster of {WORKLOADS_OF_A_CLUSTER} workloads ({1 + 3 * WORKLOADS_OF_A_CLUSTER} objects)"
    yield _line(
        "round trips to jsii's kernel for a workload (3 objects)", lambda way: (many[way]["requests"] - few[way]["requests"]) / more
    )
    yield _line(f"objects that jsii's kernel keeps after {cluster}", lambda way: kept[way]["kernel"])
    yield _line(f"KB of Python that stay after {cluster}", lambda way: round(kept[way]["bytes"] / 1000, 1))


def _line(name: str, number: Callable[[str], float]) -> str:
    return f"| {name} | {' | '.join(f'{number(way):g}' for way in PLATFORMS)} |"


def tables(sizes: Sizes) -> str:
    """Both tables, with the date and the class of the machine."""
    built = {objects: of_ways("build", objects, sizes.turns if objects < LONG else sizes.few_turns) for objects in (1, *sizes.objects)}
    fleet = best({LIBRARY: lambda: measured("fleet", LIBRARY, sizes.clusters)}, sizes.few_turns)[LIBRARY]
    kept = of_ways("kept", sizes.kept_clusters, 1)
    rows = [*platform_rows(sizes, built), *fleet_rows(sizes, fleet, kept), *synth_rows(sizes), *check_rows(sizes), *start_rows(sizes)]
    today, python = dt.datetime.now(tz=dt.UTC).date(), f"{sys.version_info.major}.{sys.version_info.minor}"
    turns = f"turns: {sizes.turns}, of long measurements {sizes.few_turns}"
    lines = [
        f"Measured on {today} with {os.cpu_count()} cores, a load of {os.getloadavg()[1]:.0f}, and Python {python}; {turns}.",
        "",
        "| measurement | result | goal, at most | |",
        "|---|---|---|---|",
        *map(str, rows),
        "",
        *counts(sizes, built, kept),
    ]
    return "\n".join(lines) + "\n"


def with_tables(page: str, text: str) -> str:
    """A page with these tables between its markers."""
    if not _TABLES.search(page):
        raise ValueError("the page must have the lines <!-- bench --> and <!-- end -->")
    return _TABLES.sub(lambda _: text, page)


def main() -> None:
    """Run the benchmarks."""
    parser = argparse.ArgumentParser(prog="make bench", description="Measure this library beside raw cdk8s and cdk8s-plus-28.")
    parser.add_argument("--quick", action="store_true", help="small sizes and one turn; the tables are printed, and no page is written")
    parser.add_argument("--turns", type=int, default=3, help="the turns of a measurement; more on a busy machine (default: %(default)s)")
    arguments = parser.parse_args()
    compile_sources()
    if arguments.quick:
        print(tables(QUICK), end="")
        return
    text = tables(full(arguments.turns))
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), text), encoding="utf-8")
    print(f"bench: {PAGE.relative_to(Path.cwd()) if PAGE.is_relative_to(Path.cwd()) else PAGE} written")


if __name__ == "__main__":
    main()
