"""The folder that a synthesis writes: everything is written beside it first, and takes its place when nothing was
refused.

Each cluster's folder has a record of the files that were written there. A file that is not in the record belongs to
somebody else: it is never replaced and never deleted.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Self

from ..arguments.commands import command
from ..arguments.errors import wrong
from ..arguments.output_paths import link_out

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


_LONGEST_NAME = 255
RECORD = ".talos-gpu.json"
"""The record in a cluster's folder: what was described, and the hash of each written file."""


@dataclass(frozen=True)
class Record:
    """The files that an earlier synthesis has written into a cluster's folder."""

    described: str = ""
    source: str = ""
    """The cluster file, from the output folder; empty where an older release has written the record."""
    files: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path) -> Self:
        """The record of a folder; an empty one where there is none that can be read."""
        try:
            content = json.loads((folder / RECORD).read_text(encoding="utf-8"))
            files = {name: digest for name, digest in content["files"].items() if _is_inside(name) and _is_digest(digest)}
            return cls(str(content["described"]), str(content.get("source", "")), files)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return cls()

    @property
    def text(self) -> str:
        """The record as JSON."""
        source = {"source": self.source} if self.source else {}
        return json.dumps({"described": self.described, **source, "files": dict(self.files)}, indent=2) + "\n"


@dataclass(frozen=True)
class Staged:
    """The changes that `take` will make to a cluster's folder: the files that are new or changed, and a sentence for
    each file that disappears."""

    changed: tuple[str, ...]
    notes: tuple[str, ...] = ()


class OutputFolder:
    """The output folder of a synthesis of one or many clusters."""

    def __init__(self, root: str, file: str = "") -> None:
        self.root = Path(root)
        self.source = _from_folder(root, file)

    def is_written(self, cluster: str, described: str) -> bool:
        """Whether the folder holds what this description of the same cluster file gave, unchanged."""
        folder = self.root / cluster
        record = Record.of(folder)
        if self._is_of_another_file(record) or _link_in(folder, record.files):
            return False
        return record.described == described and all(_digest_of(folder / name) == digest for name, digest in record.files.items())

    def left(self, name: str) -> list[str]:
        """A sentence about a folder that this cluster file has written, and no longer describes."""
        folder = self.root / name
        if not self.source or Record.of(folder).source != self.source:
            return []
        return [f"{folder} is left: the cluster file no longer describes it: {command('rm -r {folder}', folder=folder)}"]

    def stage(self, staging: Path, cluster: str, described: str, files: Mapping[str, str]) -> Staged:
        """Write the files of a cluster beside the output folder."""
        folder, record = self.root / cluster, Record.of(self.root / cluster)
        self._check_source(folder, record)
        _check_links(folder, [*files, *record.files])
        digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}
        changed, overwritten = [], []
        for name, text in files.items():
            path = folder / name
            there = _digest_of(path)
            if there == digests[name]:
                continue
            if os.path.lexists(path) and name not in record.files:
                hint = "the command has not written this file, and does not replace it: move it, or choose another folder"
                raise wrong("output_folder", "a folder without other files of these names", str(path), hint)
            if there and there != record.files[name]:
                overwritten.append(path)
            staged = staging / cluster / name
            staged.parent.mkdir(parents=True, exist_ok=True)
            staged.write_text(text, encoding="utf-8", newline="")
            changed.append(name)
        (staging / cluster).mkdir(parents=True, exist_ok=True)
        (staging / cluster / RECORD).write_text(Record(described, self.source or record.source, digests).text, encoding="utf-8")
        former = {folder / name: record.files[name] == _digest_of(folder / name) for name in sorted(record.files.keys() - digests.keys())}
        gone = [path for path, is_unchanged in former.items() if is_unchanged]
        kept = [path for path, is_unchanged in former.items() if not is_unchanged and path.exists()]
        notes = [f"{path} is replaced: somebody has edited it, and the edits are lost" for path in overwritten]
        notes += [f"{path} is kept: the cluster file and the flags no longer ask for it, but somebody has edited it" for path in kept]
        notes += [f"{path} is deleted: the cluster file and the flags no longer ask for it" for path in gone]
        return Staged(tuple(changed), tuple(notes))

    def _check_source(self, folder: Path, record: Record) -> None:
        """Refuse a folder that belongs to another cluster file."""
        if self._is_of_another_file(record):
            other = os.path.normpath(self.root / record.source)
            taken = command("sed -i.bak '/^  \"source\":/d' {record}", record=folder / RECORD)
            hint = f"{other!r} has written it: choose another folder or another name; where the cluster file was renamed: {taken}"
            raise wrong("output_folder", "a folder without clusters of these names from another cluster file", str(folder), hint)

    def _is_of_another_file(self, record: Record) -> bool:
        return bool(self.source and record.source and self.source != record.source)

    def staging(self) -> AbstractContextManager[Path]:
        """A folder beside the clusters' folders, on the same file system. It is deleted at the end."""
        if link := link_out(self.root):
            hint = f"{link} is a symbolic link: name the folder to which it leads"
            raise wrong("output_folder", "a folder to which no link leads out of the working folder", str(self.root), hint)
        return staging_folder(self.root)

    def take(self, staging: Path) -> None:
        """Move the staged files of every cluster into their place, and delete what an earlier synthesis has written and
        this one has not."""
        for staged in staging.iterdir():
            folder = self.root / staged.name
            _check_links(folder, [*Record.of(folder).files, *Record.of(staged).files])
        for staged in sorted(staging.iterdir()):
            folder = self.root / staged.name
            old, new = Record.of(folder), Record.of(staged)
            for path in sorted(each for each in staged.rglob("*") if each.is_file() and each.name != RECORD):
                target = folder / path.relative_to(staged)
                target.parent.mkdir(parents=True, exist_ok=True)
                path.replace(target)
            for name in old.files.keys() - new.files.keys():
                if _digest_of(folder / name) == old.files[name]:
                    (folder / name).unlink()
            folder.mkdir(exist_ok=True)
            (staged / RECORD).replace(folder / RECORD)


def _from_folder(root: str, file: str) -> str:
    """The path of a cluster file from the output folder: the same in each copy of a repository. Empty for a pipe."""
    try:
        return Path(os.path.relpath(file, root)).as_posix() if Path(file).is_file() else ""
    except (OSError, ValueError):  # ValueError: another drive of Windows
        return ""


def _link_in(folder: Path, names: Iterable[str]) -> Path | None:
    """The first symbolic link from a cluster's folder down to its files: what is written or deleted there may be
    outside."""
    paths = {folder: None}
    for name in (RECORD, *names):
        paths |= dict.fromkeys(folder / each for each in (*reversed(Path(name).parents), Path(name)))
    return next((path for path in paths if path.is_symlink()), None)


def _check_links(folder: Path, names: Iterable[str]) -> None:
    if link := _link_in(folder, names):
        hint = f"it may lead out of the folder: replace the link by what it leads to, or delete it: {command('rm {link}', link=link)}"
        raise wrong("output_folder", "a folder without symbolic links below it", str(link), hint)


def _is_inside(name: str) -> bool:
    """Whether a name in a record is that of a file below the folder, as `stage` writes names."""
    path = Path(name)
    is_plain = path.as_posix() == name and len(name) <= _LONGEST_NAME
    return is_plain and not path.is_absolute() and ".." not in path.parts and name not in (".", RECORD)


def _is_digest(text: str) -> bool:
    return re.fullmatch("[0-9a-f]{64}", text) is not None


def _digest_of(path: Path) -> str:
    """The hash of a file; empty where there is none, and for a link and a pipe."""
    try:
        return "" if path.is_symlink() or not path.is_file() else hashlib.sha256(path.read_bytes()).hexdigest()
    except (OSError, ValueError):  # ValueError: a name that no file can have
        return ""
