"""Counts of the house, as `make house` prints them: modules, lines by room, import circles, public names, long lines and test cases."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from constructs_lib.arguments.public_names import PACKAGES, public_names

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "constructs_lib"
PROSE, CODE = 120, 140
"""The longest line of a docstring or a comment, and of anything else."""


def rooms() -> tuple[str, ...]:
    """The rooms from the ground floor up, as the test of the doors has them."""
    for node in ast.parse((ROOT / "tests" / "test_doors.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ROOMS":
            return tuple(ast.literal_eval(node.value))
    raise LookupError("tests/test_doors.py has no ROOMS")


def modules() -> dict[str, Path]:
    """Each module of the library by its name below `constructs_lib`."""
    return {_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def _name(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(files: Mapping[str, Path]) -> dict[str, set[str]]:
    """The modules that each module imports, at any level, below the package."""
    found: dict[str, set[str]] = {}
    for name, path in files.items():
        parts = path.relative_to(PACKAGE).parts
        found[name] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = [*parts[: len(parts) - node.level], *(node.module.split(".") if node.module else [])]
                for alias in node.names:
                    full = ".".join([*base, alias.name])
                    found[name].add(full if full in files else ".".join(base))
        found[name] -= {name}
    return found


def circles(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The groups of modules that import each other, by Tarjan's algorithm."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        path.append(name)
        for other in sorted(graph.get(name, ())):
            if other not in order:
                visit(other)
            if other in path:
                low[name] = min(low[name], low[other])
        if low[name] == order[name]:
            group = path[path.index(name) :]
            del path[path.index(name) :]
            if len(group) > 1:
                found.append(sorted(group))

    for name in graph:
        if name not in order:
            visit(name)
    return sorted(found)


def long_lines(text: str) -> Iterator[tuple[int, bool]]:
    """The number of each line of Python that is too long, and whether prose makes it so."""
    prose: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            prose.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip():
            prose.add(token.start[0])
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > (PROSE if number in prose else CODE):
            yield number, number in prose


def test_cases() -> tuple[int, int]:
    """The test cases that pytest collects, and how many of them `make test` runs."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-m", "not thorough", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = re.search(r"^(?:(\d+)/)?(\d+) tests collected", done.stdout, re.MULTILINE)
    if found is None:
        raise RuntimeError(done.stdout[-2000:])
    return int(found[2]), int(found[1] or found[2])


def counts() -> Iterator[tuple[str, int]]:
    """What is counted without running the tests, each with its words."""
    files = modules()
    texts = {name: path.read_text(encoding="utf-8") for name, path in files.items()}
    lines = {name: len(text.splitlines()) for name, text in texts.items()}
    yield "modules", len(files)
    yield "lines", sum(lines.values())
    for room in ("", *rooms()):
        sizes = [number for name, number in lines.items() if (name.partition(".")[0] == room if room else files[name].parent == PACKAGE)]
        yield f"  {room or 'the face'}: {len(sizes)} modules, lines", sum(sizes)
    yield "lines of the longest module", max(lines.values())
    yield "median of the lines of a module", sorted(lines.values())[len(lines) // 2]
    yield "import circles", len(circles(imports(files)))
    yield "public names", sum(len(public_names(package)) for package in PACKAGES)
    too_long = [is_prose for text in texts.values() for _, is_prose in long_lines(text)]
    yield f"lines of prose over {PROSE}", sum(too_long)
    yield f"lines of code over {CODE}", len(too_long) - sum(too_long)


def main() -> None:
    """Print all counts, and each circle."""
    for words, number in counts():
        print(f"{number:>7,}  {words}")
    for words, number in zip(("test cases", "test cases of `make test`"), test_cases(), strict=True):
        print(f"{number:>7,}  {words}")
    for circle in circles(imports(modules())):
        print("circle:", *circle)


if __name__ == "__main__":
    main()
