"""Files that a repository refers to and does not hold, because a tool makes them: ClusterTool, or one whose files git ignores."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from ...upstream.talos.folders import CLUSTERTOOL_FILE, CLUSTERTOOL_PATCHES
from .files import Files, exists

SOME_TOOL = "a tool"
_IGNORED = ".gitignore"


def maker_of(path: Path, files: Files) -> str:
    """The tool that makes a file outside of git: its name, or `a tool` for a file that git ignores. Empty for any other
    file."""
    if path.name in CLUSTERTOOL_PATCHES and any(exists(above / CLUSTERTOOL_FILE) for above in path.parents if files.holds(above)):
        return "ClusterTool"
    return SOME_TOOL if _is_ignored(path, files) else ""


def _is_ignored(path: Path, files: Files) -> bool:
    """Whether git ignores a path: the last pattern that matches the path, or a folder above it, decides."""
    ignored = False
    for folder in reversed([above for above in path.parents if files.holds(above)]):
        below = path.relative_to(folder)
        names = [each.as_posix() for each in (below, *below.parents[:-1])]
        for line in files.text(folder / _IGNORED, is_yaml=False).splitlines():
            pattern = line.strip()
            if pattern and not pattern.startswith("#") and _matches(pattern, names):
                ignored = not pattern.startswith("!")
    return ignored


def _matches(pattern: str, names: list[str]) -> bool:
    """Whether a pattern of git means one of these paths. A pattern without a slash inside is for a name in any
    folder."""
    plain = pattern.removeprefix("!").rstrip("/")
    is_anchored = "/" in plain
    return any(fnmatch(name if is_anchored else name.rpartition("/")[2], form) for name in names for form in _forms(plain))


def _forms(pattern: str) -> Iterator[str]:
    yield pattern.removeprefix("/")
    yield pattern.removeprefix("**/")
