"""Files that a repository refers to and does not hold, because a tool makes them: ClusterTool, git with a submodule, or a
tool whose files git ignores."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from ...arguments.patterns import pattern
from ...upstream.talos.folders import CLUSTERTOOL, CLUSTERTOOL_FILE, CLUSTERTOOL_PATCHES
from .files import Files, exists

SOME_TOOL = "a tool"
_SUBMODULE = "git submodule update --init"
_SUBMODULES = ".gitmodules"
_PATH = pattern(r"^\s*path\s*=\s*(\S+)\s*$", re.MULTILINE)
_IGNORED = ".gitignore"


def maker_of(path: Path, files: Files) -> str:
    """The tool that makes a file which is not in the repository: its name, or `a tool` for a file that git ignores.
    Empty for any other file."""
    above = _above(path, files)
    if path.name in CLUSTERTOOL_PATCHES and any(exists(folder / CLUSTERTOOL_FILE) for folder in above):
        return CLUSTERTOOL
    if any(_is_submodule(path, folder, files) for folder in above):
        return _SUBMODULE
    return SOME_TOOL if _is_ignored(path, above, files) else ""


def _above(path: Path, files: Files) -> list[Path]:
    """The folders of the repository that exist above a file, from the nearest one up. A path may name any number of folders."""
    folder = path.parent
    while not exists(folder):
        folder = folder.parent
    return [each for each in (folder, *folder.parents) if files.holds(each)]


def _is_submodule(path: Path, root: Path, files: Files) -> bool:
    text = files.text(root / _SUBMODULES, is_yaml=False) if exists(root / _SUBMODULES) else ""
    return any(path.is_relative_to(root / match[1]) for match in _PATH.finditer(text))


def _is_ignored(path: Path, above: list[Path], files: Files) -> bool:
    """Whether git ignores a path: the last pattern that matches the path, or a folder above it, decides."""
    ignored = False
    for folder in reversed(above):
        lines = files.text(folder / _IGNORED, is_yaml=False).splitlines()
        parts = path.relative_to(folder).parts if lines else ()
        names = ["/".join(parts[:depth]) for depth in range(len(parts), 0, -1)]
        for written in map(str.strip, lines):
            if written and not written.startswith("#") and _matches(written, names):
                ignored = not written.startswith("!")
    return ignored


def _matches(written: str, names: list[str]) -> bool:
    """Whether a pattern of git means one of these paths. A pattern without a slash inside is for a name in any
    folder."""
    plain = written.removeprefix("!").rstrip("/")
    is_anchored = "/" in plain
    return any(fnmatch(name if is_anchored else name.rpartition("/")[2], form) for name in names for form in _forms(plain))


def _forms(plain: str) -> Iterator[str]:
    yield plain.removeprefix("/")
    yield plain.removeprefix("**/")
