"""The paths that a command writes: no symbolic link of somebody's repository leads the command to another file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

_SYSTEM = ("/dev/", "/proc/")
"""The system's own links, such as /dev/stdout and the /dev/fd/63 of a shell."""


def link_out(path: str | Path) -> Path | None:
    """The first symbolic link on a path that leads out of the working folder. None without one.

    Links above the working folder, and on the way to a folder elsewhere, are those of whoever gives the path.
    """
    given, here = Path(path), Path.cwd()
    if f"{given}".startswith(_SYSTEM):
        return None
    steps = [each for each in reversed(given.parents) if not given.is_absolute() or each.is_relative_to(here)]
    links = (each for each in (*steps, given) if each.is_symlink())
    return next((each for each in links if not Path(os.path.realpath(each)).is_relative_to(os.path.realpath(here))), None)


def is_link(path: str | Path) -> bool:
    """Whether a symbolic link stands at the end of a path; the system's own ones are none."""
    return not f"{path}".startswith(_SYSTEM) and Path(path).is_symlink()


def open_output(path: str | Path, mode: str = "w") -> IO[str]:
    """Open a file for text in UTF-8, and follow no link at its end. Raises `OSError`."""
    flag = 0 if f"{path}".startswith(_SYSTEM) else getattr(os, "O_NOFOLLOW", 0)
    return open(  # the caller closes it
        path, mode, encoding="utf-8", errors="backslashreplace", newline="", opener=lambda name, flags: os.open(name, flags | flag, 0o666)
    )
