"""The root file system of the images: this machine's own shell, its tools and the C library, which every program of
an image finds there."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from .errors import RehearsalError
from .images import Entry, Folder, Layer, Link

_MERGED = ("bin", "lib", "lib64", "sbin")
"""The folders that are links into /usr, as on Debian."""
_NEEDED = (
    "sh",
    "basename",
    "cat",
    "cmp",
    "cp",
    "date",
    "env",
    "grep",
    "head",
    "id",
    "ls",
    "ln",
    "mkdir",
    "mv",
    "rm",
    "sleep",
    "touch",
    "true",
)
_USEFUL = (
    "bash",
    "chmod",
    "chown",
    "cut",
    "dirname",
    "find",
    "mktemp",
    "mount",
    "nproc",
    "sed",
    "seq",
    "sort",
    "stat",
    "tail",
    "tee",
    "timeout",
    "tr",
    "uname",
    "wc",
)
"""The programs of scripts, of our manifests and of NVIDIA's charts. dash has `[`, echo, printf, test and trap in
itself."""
_LIBRARIES = ("libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6", "libpthread.so.0", "libresolv.so.2", "librt.so.1")
"""The libraries that a driver's library asks for, beside those of the programs."""
_ACCOUNTS = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n",
    "etc/group": "root:x:0:\nvideo:x:44:\nrender:x:105:\nnobody:x:65534:\n",
}
_LDD = re.compile(r"(?:=> )?(/\S+) \(0x")


def absent_programs() -> list[str]:
    """The programs that scripts in containers need, and this machine lacks."""
    return [name for name in _NEEDED if shutil.which(name) is None]


@functools.cache
def base_layer() -> Layer:
    """The layer below every image: shell, tools, C library, accounts and /tmp.

    Raises:
        RehearsalError: This machine lacks a program that scripts in containers need.
    """
    if missing := absent_programs():
        raise RehearsalError(f"images for a rehearsal take their shell and tools from this machine, which lacks {', '.join(missing)}")
    found = {name: shutil.which(name) for name in (*_NEEDED, *_USEFUL)}
    programs = {f"usr/bin/{name}": Path(path).resolve() for name, path in found.items() if path is not None}
    links: dict[str, Entry] = {name: Link(f"usr/{name}") for name in _MERGED}
    folders: dict[str, Entry] = {**{f"usr/{name}": Folder() for name in _MERGED}, "tmp": Folder(0o1777), "root": Folder(0o700)}
    return {**links, **folders, **_ACCOUNTS, **programs, **libraries(programs.values()), **_of_drivers()}


def libraries(programs: Iterable[Path]) -> dict[str, Entry]:
    """The libraries that programs of this machine load when they start, at their places in an image."""
    return {_merged(path): Path(path).resolve() for path in _loaded(*programs)}


def _loaded(*programs: Path) -> list[str]:
    """The paths that ldd prints; none for a static program and for a script."""
    if not programs:
        return []
    listed = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})  # noqa: S603, S607
    return list(dict.fromkeys(_LDD.findall(listed.stdout)))


def _of_drivers() -> dict[str, Entry]:
    """The libraries of `_LIBRARIES` that lie beside the C library, and its loader."""
    shell = Path(shutil.which("cat") or "cat")
    folder = next((Path(path).parent for path in _loaded(shell) if Path(path).name == "libc.so.6"), None)
    if folder is None:
        return {}
    return {_merged(str(folder / name)): (folder / name).resolve() for name in _LIBRARIES if (folder / name).exists()}


def _merged(path: str) -> str:
    """The path in an image: /lib, /lib64, /bin and /sbin are links into /usr."""
    inside = path.lstrip("/")
    return f"usr/{inside}" if inside.partition("/")[0] in _MERGED else inside
