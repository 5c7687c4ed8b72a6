"""The tests that a change asks for, as `make quick` runs them: those of the changed rooms, of the rooms above them, and of the whole house."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from tools.house import ROOT, rooms


def changed() -> list[str]:
    """The files that differ from the newest commit of main that this branch has, also those that are not committed."""
    bases = (_git("merge-base", "HEAD", main) for main in ("main", "origin/main"))
    base = next(filter(None, bases), "HEAD").strip()
    return [*_git("diff", "--name-only", base).splitlines(), *_git("ls-files", "--others", "--exclude-standard").splitlines()]


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False).stdout


def folders(files: Iterable[str], order: tuple[str, ...]) -> list[str]:
    """The names below tests/ for these files: a room and all above it for a module, its own folder for a test; `.` is the house itself."""
    found: set[str] = set()
    for file in files:
        top, _, rest = file.partition("/")
        room = rest.partition("/")[0]
        if top == "constructs_lib" and room in order:
            found.update((*order[order.index(room) :], "."))
        elif top == "tests" and "/" in rest:
            found.add(room)
        else:  # the face, the tools, the documentation
            found.update((".", *(("tools",) if top == "tools" else ())))
    return sorted(found)


def paths(names: Iterable[str], tests: Path) -> list[str]:
    """What pytest is given for these names: the folders that exist, and for the house the modules beside them."""
    found: list[str] = []
    for name in names:
        if name == ".":
            found += sorted(map(str, tests.glob("test_*.py")))
        elif (tests / name).is_dir():
            found.append(str(tests / name))
    return found


def main() -> None:
    """Print the paths for pytest, and on stderr in words what they are."""
    names = folders(changed(), rooms())
    print(*paths(names, Path("tests")))
    words = ", ".join(each if each != "." else "the house" for each in names)
    print(f"quick: the tests of {words}" if names else "quick: nothing has changed", file=sys.stderr)


if __name__ == "__main__":
    main()
