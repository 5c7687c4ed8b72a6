"""The folder beside the clusters' folders in which a run writes its files first. The next run deletes the folder of a
run that was killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows: folders of killed runs stay
    fcntl = None  # type: ignore[assignment]

_PREFIX, _LOCK, _FILES = ".talos-gpu-", "lock", "files"
_LONGEST = 100


@contextlib.contextmanager
def staging_folder(root: Path) -> Iterator[Path]:
    """A folder on the file system of `root`. It is deleted at the end."""
    root.mkdir(parents=True, exist_ok=True)
    _delete_leftovers(root)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=root))
    try:
        # The file gets its name when it is locked: no other run sees the folder without its lock.
        with (folder / f"new-{_LOCK}").open("w") as file:
            _lock(file)
            file.write(_identity(folder))
            file.flush()
            (folder / f"new-{_LOCK}").rename(folder / _LOCK)
            (folder / _FILES).mkdir()
            yield folder / _FILES
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _delete_leftovers(root: Path) -> None:
    """Delete the folders of runs that were killed: the system has released their locks.

    The lock of a folder of ours names the folder by its number on this file system, which no repository can know.
    """
    for folder in root.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError, UnicodeDecodeError), _opened(folder / _LOCK) as file:
            if not folder.is_symlink() and file.read(_LONGEST) == _identity(folder) and _lock(file):
                shutil.rmtree(folder, ignore_errors=True)


def _opened(path: Path) -> IO[str]:
    """A lock that was there. A link is not followed, and a pipe is not waited for."""
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    return open(path, "r+", encoding="ascii", opener=lambda name, given: os.open(name, given | flags))


def _identity(folder: Path) -> str:
    found = folder.lstat()
    return f"{found.st_dev} {found.st_ino}\n"


def _lock(file: IO[str]) -> bool:
    """Whether a file could be locked, which no other process has. The processes of a run do not inherit the lock."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (OSError, AttributeError):
        return False
    return True
