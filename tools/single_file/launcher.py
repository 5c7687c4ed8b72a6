"""The start of `talos-gpu.pyz`: the command from a folder in the user's cache, or else from the archive itself.

Python keeps no bytecode of modules in an archive, so a start from the archive compiles them again. The first start therefore unpacks the archive into a
folder that is named by its content, and Python keeps the bytecode there. Where bytecode is unwanted (`PYTHONDONTWRITEBYTECODE`), or no cache can be
written, nothing is written, and each start is slower. This file is `__main__.py` of the archive.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

CONTENT = "unpacked"
"""The name of the folder: `make zipapp` puts the digest of the archive's files here."""
FILES = 0
"""The number of files in the folder; `make zipapp` puts it here."""
_OLDEST = (3, 11)
# A folder that only its owner can change, as os.lstat gives it: its files are code.
_MODE, _FOLDER = 0o170022, 0o040000


def start() -> int:
    """Choose the place of the modules, and run the command."""
    if sys.version_info < _OLDEST:
        sys.exit("talos-gpu: Python 3.11 or newer is needed")
    folder = None if sys.dont_write_bytecode or not hasattr(os, "getuid") else _unpacked(sys.path[0])
    if folder is not None:
        sys.path[0] = str(folder)
    from constructs_lib.cli.command import main

    return main()


def _unpacked(archive: str) -> Path | None:
    """The folder with the files of the archive, which the first start writes. None where it can't be written."""
    try:
        parent = _cache()
        folder = parent / CONTENT
        if not (_is_own(parent) and _is_own(folder)):
            _unpack(archive, parent, folder)
        elif not _is_whole(folder):  # a cleaner of caches took files: this start runs from the archive, and the next one unpacks anew
            import shutil

            shutil.rmtree(folder, ignore_errors=True)
            return None
    except (OSError, RuntimeError):  # no home, no space, or a place that is read-only
        return None
    return folder


def _cache() -> Path:
    """The folder of every version of the command, in the user's cache: https://specifications.freedesktop.org/basedir-spec/latest/."""
    home = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (home if home.is_absolute() else Path.home() / ".cache") / "talos-gpu"


def _is_own(folder: Path) -> bool:
    try:
        status = folder.lstat()
    except FileNotFoundError:
        return False
    return status.st_mode & _MODE == _FOLDER and status.st_uid == os.getuid()


def _is_whole(folder: Path) -> bool:
    found = 0
    for _, folders, files in os.walk(folder):
        if "__pycache__" in folders:
            folders.remove("__pycache__")
        found += len(files)
    return found >= FILES


def _unpack(archive: str, parent: Path, folder: Path) -> None:
    import shutil
    import tempfile
    import zipfile

    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _is_own(parent):
        raise PermissionError(f"{parent} belongs to somebody else, or others can write it")
    new = tempfile.mkdtemp(prefix="new-", dir=str(parent))
    try:
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(new)
        Path(new).rename(folder)  # as a whole: another process sees all files or none
    except OSError:
        if not _is_own(folder):  # else another process was first
            raise
    finally:
        shutil.rmtree(new, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(start())
