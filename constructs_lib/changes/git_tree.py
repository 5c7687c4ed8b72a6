"""The files of a commit, as git keeps them. No filter, hook or attribute of the repository runs or changes a byte."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..arguments import programs
from ..observed.read.files import READ, UNREAD

_SECONDS = 120
_LARGEST = 20_000_000
"""The largest file of a commit that is read, in bytes: that of the readers of files."""
_FILE_MODES = ("100644", "100755")
"""The modes of files. A link, and a submodule, is no file of the commit.

Source: https://git-scm.com/docs/git-ls-tree (2026-11-28)
"""
# A repository can't choose a program to run: no watcher of files, no hooks, no fetch of missing objects.
_SAFE = ("--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never")


class _Blob(NamedTuple):
    name: str
    path: str
    size: int | None
    """The size in bytes; None for a file that a partial clone has not."""


def commit_of(ref: str) -> str | None:
    """The commit that a ref of the current folder's repository names; None if it names none."""
    if ref.startswith("-") or "\0" in ref:
        return None
    done = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    return done.output.strip() if done.status == 0 else None


class WrittenCommit(NamedTuple):
    """The files of a commit in a folder."""

    folder: Path
    """The current folder, as the commit has it."""
    missing: tuple[str, ...]
    """The files that the commit has and this clone has not, of the formats that say something about a cluster."""


def write_commit(ref: str, folder: Path) -> WrittenCommit:
    """Write the files of a commit below a folder."""
    commit = commit_of(ref)
    if commit is None:
        inside = _git("rev-parse", "--is-inside-work-tree").status == 0
        hint = "git knows no such commit; `git fetch` may bring it" if inside else "the current folder is in no git repository"
        raise ValueError(f"OLD and NEW must each be a file, a folder, or a ref of git (got {ref!r}); {hint}")
    prefix = _git("rev-parse", "--show-prefix").output.rstrip("\n")
    listed = list(_listed(commit))
    blobs = [each for each in listed if each.size is not None and each.size <= _LARGEST and _is_plain(each.path)]
    for blob, content in zip(blobs, _contents(blobs), strict=True):
        path = folder / blob.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    # The reader of a folder ends at the repository, as it does in the working tree.
    (folder / ".git").mkdir(parents=True, exist_ok=True)
    return WrittenCommit(folder / prefix, tuple(each.path for each in listed if each.size is None and each.path.endswith((*READ, *UNREAD))))


def _git(*words: str, given: str = "") -> programs.Finished:
    try:
        return programs.run("git", [*_SAFE, *words], given=given, seconds=_SECONDS)
    except FileNotFoundError:
        raise ValueError("git must be installed to read a ref; give two folders instead") from None


def _is_plain(path: str) -> bool:
    """Whether a path is one of a folder below: no commit of git's own makes another one."""
    parts = path.split("/")
    return not any(part in ("", ".", "..") or part.lower() == ".git" or "\\" in part for part in parts)


def _listed(commit: str) -> Iterator[_Blob]:
    listing = _git("ls-tree", "-r", "-z", "--long", "--full-tree", commit)
    if listing.status != 0:
        raise ValueError(f"the files of the commit {commit} can't be listed: {listing.complaint.strip()}")
    for entry in filter(None, listing.output.split("\0")):
        about, _, path = entry.partition("\t")
        mode, _, name, size = about.split()
        if mode in _FILE_MODES:
            yield _Blob(name, path, int(size) if size.isdecimal() else None)


def _contents(blobs: list[_Blob]) -> Iterator[bytes]:
    """The contents of the files, in their order."""
    with tempfile.TemporaryFile() as file:
        done = programs.run(
            "git", [*_SAFE, "cat-file", "--batch"], given="".join(f"{each.name}\n" for each in blobs), output=file, seconds=_SECONDS
        )
        if done.status != 0:
            raise ValueError(f"the files of the commit can't be read: {done.complaint.strip()}")
        file.seek(0)
        for blob in blobs:
            name, kind, *size = file.readline().decode().split()
            if kind != "blob" or name != blob.name:
                raise ValueError(f"the commit has no file in place of {blob.path}: {kind}")
            yield file.read(int(size[0]))
            file.read(1)
