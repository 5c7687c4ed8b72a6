"""The files of a commit, as git keeps them. No filter, hook or attribute of the repository runs or changes a byte."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from ..arguments import programs
from ..observed.read.files import KUSTOMIZATIONS, READ, UNREAD

_SECONDS = 120
_LARGEST = 20_000_000
"""The largest file of a commit that is read, in bytes: that of the readers of files."""
_MOST = 2_000_000_000
"""The files of a commit that are written, in bytes of all together."""
_MOST_FILES = 200_000
"""The files of a commit, of which each can be the same empty one: a small pack has a million."""
_MOST_NAMES = 100_000_000
"""The list of the files, in bytes: folders that are the same one stand in it as often as they are named."""
_DEEPEST = 100
"""The folders above a file."""
_LINK_MODE, _MODULE_MODE = "120000", "160000"
"""The modes of links and of submodules; every other one that is listed is that of a file.

Source: https://git-scm.com/docs/git-ls-tree (2026-11-28)
"""
_INSTEAD = "give two folders with the files of the cluster instead"
_LIST = ("ls-tree", "-r", "-z", "--full-tree")
# A repository can't choose a program to run: no watcher of files, no hooks, no fetch of missing objects.
_SAFE = ("--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never")


class _Blob(NamedTuple):
    name: str
    path: str
    mode: str


def commit_of(ref: str) -> str | None:
    """The commit that a ref of the current folder's repository names; None if it names none."""
    if ref.startswith("-") or "\0" in ref:
        return None
    done = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    return done.output.strip() if done.status == 0 else None


def sides_of(range_: str) -> tuple[str, str]:
    """The sides of `A...B`: the commit at which B left A, and B, which is HEAD where none is given.

    Source: https://git-scm.com/docs/git-diff, "git diff A...B" (2026-11-28)
    """
    old, _, new = range_.partition("...")
    old, new = old or "HEAD", new or "HEAD"
    commits = [_commit(each) for each in (old, new)]
    done = _git("merge-base", *commits)
    if done.status != 0:
        raise ValueError(f"OLD and NEW must have a common ancestor in this clone (got {range_!r}){_if_shallow('; ')}")
    return done.output.strip(), new


def _commit(ref: str) -> str:
    commit = commit_of(ref)
    if commit is None:
        inside = _git("rev-parse", "--is-inside-work-tree").status == 0
        known = f"git knows no such commit; {_if_shallow() or '`git fetch` may bring it'}"
        hint = known if inside else "the current folder is in no git repository"
        raise ValueError(f"OLD and NEW must each be a file, a folder, or a ref of git (got {ref!r}); {hint}")
    return commit


def _if_shallow(before: str = "") -> str:
    is_shallow = _git("rev-parse", "--is-shallow-repository").output.strip() == "true"
    fix = "this clone is shallow: `git fetch --unshallow` brings it (in CI: fetch-depth: 0 of actions/checkout, GIT_DEPTH: 0 of GitLab)"
    return f"{before}{fix}" if is_shallow else ""


class WrittenCommit(NamedTuple):
    """The files of a commit in a folder."""

    folder: Path
    """The current folder, as the commit has it."""
    missing: Mapping[str, str]
    """The names of the objects that the commit has and this clone has not, by path, of the formats that say something about a cluster."""
    outside: Mapping[str, str]
    """The targets of the links that lead out of the commit's files, by path."""
    left_out: Mapping[str, tuple[str, str]]
    """The other files that are not read, by path: the name of the object, and the reason."""
    top: Path = Path()
    """The folder of the whole commit, where the paths begin."""


def write_commit(ref: str, folder: Path) -> WrittenCommit:
    """Write the files of a commit below a folder."""
    commit = _commit(ref)
    prefix = _git("rev-parse", "--show-prefix").output.rstrip("\n")
    absent = _absent(commit)
    listed = list(_listed(commit, absent))
    reasons = {each: reason for each in listed if (reason := _refusal(each))}
    links: list[tuple[Path, str]] = []
    for blob, content in _contents([each for each in listed if each.name not in absent and each not in reasons]):
        path = folder / blob.path
        if content is None:
            reasons[blob] = f"larger than {_LARGEST:,} bytes"
        elif blob.mode == _LINK_MODE:
            links.append((path, os.fsdecode(content)))
        elif reason := _write(path, content):
            reasons[blob] = reason
    # The reader of a folder ends at the repository, as it does in the working tree.
    (folder / ".git").mkdir(parents=True, exist_ok=True)
    missing = {each.path: each.name for each in listed if each.name in absent and _is_read(each.path)}
    outside = {f"{path.relative_to(folder)}": target for path, target in _outside(links, folder)}
    left_out = {each.path: (each.name, reason) for each, reason in reasons.items() if each.mode == _MODULE_MODE or _is_read(each.path)}
    return WrittenCommit(folder / prefix, missing, outside, left_out, folder)


def _write(path: Path, content: bytes) -> str:
    """Write a file; the reason if the system takes no file of its name, such as one that is there already."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(content)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise
        return f"{error.strerror}"
    return ""


def same_links(folder: Path, outside: Mapping[str, str]) -> dict[str, str]:
    """Those of a commit's links that a folder has too, with the same target."""
    return {path: target for path, target in outside.items() if (folder / path).is_symlink() and f"{(folder / path).readlink()}" == target}


def _outside(links: list[tuple[Path, str]], folder: Path) -> list[tuple[Path, str]]:
    """Write the links, which come after all files: no file is written through one. Those that lead out of the folder, also by another
    link, are taken away."""
    for path, target in links:
        # A target that the system takes for no path, such as none, makes no link.
        with suppress(OSError, ValueError):
            if path.parent.resolve() == path.parent:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.symlink_to(target)
    outside = [(path, target) for path, target in links if not (path.is_symlink() and _leads_into(path, folder))]
    for path, _ in outside:
        if path.is_symlink():
            path.unlink()
    return outside


def _leads_into(link: Path, folder: Path) -> bool:
    try:
        return link.resolve().is_relative_to(folder)
    except (OSError, RuntimeError, ValueError):  # a circle of links
        return False


def _git(*words: str, given: str = "") -> programs.Finished:
    try:
        return programs.run("git", [*_SAFE, *words], given=given, seconds=_SECONDS)
    except FileNotFoundError:
        raise ValueError("git must be installed to read a ref; give two folders instead") from None


def _is_read(path: str) -> bool:
    """Whether a file has a format that says something about a cluster."""
    return path.endswith((*READ, *UNREAD, *KUSTOMIZATIONS))


def _refusal(blob: _Blob) -> str:
    """Why an entry is no file of a folder below. No commit of git's own has a name such as `..`."""
    parts = blob.path.split("/")
    if blob.mode == _MODULE_MODE:
        return "a submodule"
    if len(parts) > _DEEPEST:
        return f"below more than {_DEEPEST} folders"
    is_separator = os.sep == "\\" and "\\" in blob.path
    return "its name is that of no file" if is_separator or any(part in ("", ".", "..") or part.lower() == ".git" for part in parts) else ""


def _listed(commit: str, absent: Collection[str]) -> Iterator[_Blob]:
    hint = "; this partial clone lacks its folders: `git fetch --refetch --no-filter` brings them" if absent else ""
    # The sizes of a partial clone's files would be fetched: they are asked for where the file is here.
    with _written(f"the files of the commit {commit} can't be listed{hint}", *_LIST, commit, most=_MOST_NAMES) as file:
        names = file.read()
    number = names.count(b"\0")
    if number > _MOST_FILES:
        raise ValueError(f"the commit has {number:,} files, more than {_MOST_FILES:,}; {_INSTEAD}")
    for entry in filter(None, names.split(b"\0")):
        about, _, path = entry.partition(b"\t")
        mode, _, name = about.decode().split()
        yield _Blob(name, os.fsdecode(path), mode)


def _absent(commit: str) -> Collection[str]:
    """The names of the objects that a partial clone does not have. `rev-list` fetches none of them.

    Source: https://git-scm.com/docs/git-rev-list, --missing=print (2026-11-28)
    """
    with _written(
        f"the objects of the commit {commit} can't be listed",
        "rev-list",
        "--no-walk",
        "--objects",
        "--no-object-names",
        "--missing=print",
        commit,
        "--",  # a file may have the name of the commit
    ) as file:
        return {line[1:].decode() for line in file.read().split() if line.startswith(b"?")}


def _contents(blobs: list[_Blob]) -> Iterator[tuple[_Blob, bytes | None]]:
    """The files with their contents, in their order; first those that are too large, with None."""
    problem = "the files of the commit can't be read"
    with _written(problem, "cat-file", "--batch-check=%(objectsize)", given=_names(blobs)) as file:
        sizes = file.read().split()
    small = [blob for blob, size in zip(blobs, sizes, strict=True) if int(size) <= _LARGEST]
    total = sum(size for size in map(int, sizes) if size <= _LARGEST)
    if total > _MOST:
        raise ValueError(f"the commit has {total:,} bytes in files, more than {_MOST:,}; {_INSTEAD}")
    yield from ((blob, None) for blob, size in zip(blobs, sizes, strict=True) if int(size) > _LARGEST)
    with _written(problem, "cat-file", "--batch", given=_names(small)) as file:
        for blob in small:
            name, kind, *size = file.readline().decode().split()
            if kind != "blob" or name != blob.name:
                raise ValueError(f"the commit has no file in place of {blob.path}: {kind}")
            yield blob, file.read(int(size[0]))
            file.read(1)


def _names(blobs: list[_Blob]) -> str:
    return "".join(f"{each.name}\n" for each in blobs)


@contextmanager
def _written(problem: str, *words: str, given: str = "", most: int | None = None) -> Iterator[IO[bytes]]:
    """The bytes that git writes: a path may be no text."""
    with tempfile.TemporaryFile() as file:
        try:
            done = programs.run("git", [*_SAFE, *words], given=given, output=file, most=most, seconds=_SECONDS)
        except (OverflowError, TimeoutError) as error:
            raise ValueError(f"{problem}: {error}; {_INSTEAD}") from None
        if done.status != 0:
            raise ValueError(f"{problem}: {done.complaint.strip()}")
        file.seek(0)
        yield file
