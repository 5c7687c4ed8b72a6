"""The files that fixes change: their texts with every byte, differences, and writing in one step."""

from __future__ import annotations

import difflib
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

_BOM = "\ufeff"


def contents(file: Path) -> str:
    """The text of a file, with its line ends, and without a byte order mark."""
    return file.read_bytes().decode("utf-8-sig")


def why_unwritable(file: Path, roots: frozenset[Path], names: Mapping[Path, Path]) -> str | None:
    """The reason for which a file can't be written; None for a file below the roots, which have no symbolic links.

    `names` are the files that are to be written, too: the name of each by its path without symbolic links.
    """
    if not file.is_file():
        return "the value does not stand in a file"
    real = file.resolve()
    if roots.isdisjoint([real, *real.parents]):
        return "the file is outside of the given files and folders"
    if not os.access(real, os.W_OK):
        return "the file is not writable"
    if names.get(real, file) != file:
        return "the file has another name, under which it is fixed"
    return None


def write(texts: Mapping[Path, str]) -> None:
    """Write each text in one step: a reader sees the old file or the new file. A file keeps its mode, and a symbolic
    link stays one."""
    for file, text in texts.items():
        real = file.resolve()
        mark = _BOM if real.read_bytes().startswith(_BOM.encode()) else ""
        handle, name = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name}.")
        try:
            with os.fdopen(handle, "wb") as new:
                new.write((mark + text).encode())
            Path(name).chmod(stat.S_IMODE(real.stat().st_mode))
            Path(name).replace(real)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise


def differences(texts: Mapping[Path, str], names: Mapping[Path, str]) -> str:
    """The changes as a unified diff, which `patch -p0` and `git apply -p0` accept."""
    return "".join(line for file in sorted(texts) for line in _difference(contents(file), texts[file], names[file]))


def _difference(old: str, new: str, name: str) -> Iterator[str]:
    for line in difflib.unified_diff(_lines(old), _lines(new), name, name):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """The lines with their ends. `splitlines` would split at form feeds, too."""
    return [line for line in text.replace("\n", "\n\0").split("\0") if line]
