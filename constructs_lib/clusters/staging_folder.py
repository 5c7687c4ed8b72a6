"""The folder beside the clusters' folders in which a run writes its files first. The next run deletes the folder of a run that was killed."""

from __future__ import annotations

import contextlib
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
            (folder / f"new-{_LOCK}").rename(folder / _LOCK)
            (folder / _FILES).mkdir()
            yield folder / _FILES
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _delete_leftovers(root: Path) -> None:
    """Delete the folders of runs that were killed: the system has released their locks."""
    for lock in root.glob(f"{_PREFIX}*/{_LOCK}"):
        with contextlib.suppress(OSError), lock.open("r+") as file:
            if _lock(file):
                shutil.rmtree(lock.parent, ignore_errors=True)


def _lock(file: IO[str]) -> bool:
    """Whether a file could be locked, which no other process has. The processes of a run do not inherit the lock."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (OSError, AttributeError):
        return False
    return True
