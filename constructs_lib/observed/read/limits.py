"""The limits of one reading: the folders that it may enter, and the steps that all of its files together may cause.

Files that are small may name each other, so that the product of their sizes is read, merged or written: a base under
many kustomizations, a patch for many objects, a variable in the value of another. A step is a character of an object
that a kustomization changes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

MOST = 2_000_000_000
ALIASED = 1000
"""The steps of a value that an alias repeats."""
READ_AGAIN = 10
"""The steps of a character of a manifest, in each kustomization and each deployer that includes the manifest."""
WRITTEN = 100
"""The steps of a character from a variable, a template or a generator, and of a value in a merged patch of Talos."""
SEARCHED = 4000
"""The steps of a file in the folder of a deployer or an ApplicationSet."""
GENERATED = 100_000
"""The steps of a generated Application, and of a dependency of a Helm chart, in each release of the chart."""
MODULE = 500_000
"""The steps of a module of Terraform, in each instance that calls it."""

OUTSIDE = "outside of the repository"
_KERNEL = ("/proc", "/sys")
"""The file systems of the kernel. Their files have no size, and reading one may wait without end."""


class GitRoots:
    """The git roots around the given paths. Without a git root, the given folder, or the folder of the given file.

    Paths are compared without their symbolic links. Without given paths, the working folder is the given one.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self._roots: dict[str, None] = {}
        self._given: set[str] = set()
        self._folders: dict[str, str] = {}
        for path in list(paths) or [Path.cwd()]:
            self._add(path)

    def _add(self, path: Path) -> None:
        folder = path if os.path.isdir(path) else path.parent  # noqa: PTH112  # Path's own raises for a name that is too long
        git = next((each for each in (folder, *folder.parents) if os.path.lexists(each / ".git")), None)
        self._roots[_real(git or folder)] = None
        if git is None:
            self._given.add(_real(path))

    def excludes(self, path: Path) -> bool:
        """Whether an absolute path, or the target of its symbolic links, is outside."""
        real = self._resolved(path)
        if any(_is_below(real, each) for each in _KERNEL):
            return True
        return real not in self._given and not any(_is_below(real, root) for root in self._roots)

    def _resolved(self, path: Path) -> str:
        """The path without symbolic links. Each folder is resolved once."""
        if os.path.islink(path):  # noqa: PTH114  # as in `_add`
            return _real(path)
        folder = os.path.dirname(path)  # noqa: PTH120  # fast
        if folder not in self._folders:
            self._folders[folder] = _real(folder)
        return os.path.join(self._folders[folder], path.name)  # noqa: PTH118


def _real(path: Path | str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # no file has this name
        return os.path.normpath(path)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
