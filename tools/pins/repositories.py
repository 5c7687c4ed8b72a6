"""Repositories of upstream's: their tags, and single files at a tag, from a local copy or from GitHub."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import tarfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

_MODULES = {"kubernetes/kubernetes": "k8s.io/kubernetes"}
"""The Go modules that have another name than their repository."""


class UnreachableError(Exception):
    """A repository, a tag or a file that can't be read; the message says why."""


class Repository:
    """A git repository on this machine: a clone, or a bare mirror."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder

    @property
    def read_on(self) -> str:
        """The date up to which the copy is known to be complete: that of its newest branch or tag."""
        newest = self._git("for-each-ref", "--sort=-creatordate", "--count=1", "--format=%(creatordate:short)", "refs/heads", "refs/tags")
        return max(newest.decode().strip(), self._git("log", "-1", "--format=%cs").decode().strip())

    def tags(self) -> list[str]:
        """Every tag."""
        return self._git("tag", "--list").decode().split()

    def files(self, tag: str, *paths: str) -> dict[str, str]:
        """The text of files, and of every file below folders, at a tag, by their paths."""
        archive = self._git("archive", "--format=tar", f"refs/tags/{tag}", "--", *paths)
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            members = ((member, tar.extractfile(member)) for member in tar if member.isfile())
            return {member.name: content.read().decode("utf-8", "replace") for member, content in members if content}

    def sources(self, tag: str, folders: Sequence[str], endings: tuple[str, ...]) -> dict[str, str]:
        """The text of every file with one of the endings in those of the folders that a tag has, by their paths. No other file is read."""
        listed = self._git("ls-tree", "-r", "-z", "--full-tree", f"refs/tags/{tag}", "--", *folders).decode("utf-8", "replace")
        entries = (entry.partition("\t")[::2] for entry in listed.split("\0") if entry.endswith(endings))
        blobs = {path: about.split()[2] for about, path in entries if about.startswith("100")}
        read = self._git("cat-file", "--batch", given="".join(f"{blob}\n" for blob in blobs.values()).encode()) if blobs else b""
        texts: dict[str, str] = {}
        for path in blobs:
            header, _, read = read.partition(b"\n")
            if header.endswith(b" missing"):
                raise UnreachableError(f"{self.name}: {tag} has {path}, but not its content")
            size = int(header.split()[2])
            texts[path], read = read[:size].decode("utf-8", "replace"), read[size + 1 :]
        return texts

    def _git(self, *arguments: str, given: bytes = b"") -> bytes:
        return git(self.name, "--git-dir", str(self.folder), *arguments, given=given)


class GitHubRepository(Repository):
    """A repository that is read over the network: tags by name, and of the files only those that are asked for."""

    def __init__(self, name: str, folder: Path, server: str) -> None:
        super().__init__(name, folder)
        self.address = f"{server.rstrip('/')}/{name}"

    @property
    def read_on(self) -> str:
        """Today."""
        return datetime.now(tz=UTC).date().isoformat()

    def tags(self) -> list[str]:
        """Every tag."""
        listed = git(self.name, "ls-remote", "--tags", "--refs", self.address).decode()
        return [line.partition("refs/tags/")[2] for line in listed.splitlines()]

    def files(self, tag: str, *paths: str) -> dict[str, str]:
        """The text of files, and of every file below folders, at a tag, by their paths."""
        self._check_out(tag, paths)
        return _files(self.name, tag, self.folder, paths)

    def sources(self, tag: str, folders: Sequence[str], endings: tuple[str, ...]) -> dict[str, str]:
        """The text of every file with one of the endings in those of the folders that a tag has, by their paths."""
        self._check_out(tag, folders)
        return _sources(self.name, tag, self.folder, folders, endings)

    def _check_out(self, tag: str, paths: Sequence[str]) -> None:
        """Put files and folders into a sparse checkout: that fetches all of them at once, and nothing else."""
        if not self.folder.exists():
            git(self.name, "init", "--quiet", str(self.folder))
            self._git("config", "remote.origin.url", self.address)
            self._git("config", "remote.origin.promisor", "true")
        self._git("sparse-checkout", "set", "--no-cone", *(f"/{path}" for path in paths))
        self._git("fetch", "--quiet", "--depth=1", "--filter=blob:none", "origin", f"+refs/tags/{tag}:refs/tags/{tag}")
        self._git("checkout", "--quiet", "--force", "--detach", f"refs/tags/{tag}")

    def _git(self, *arguments: str, given: bytes = b"") -> bytes:
        return git(self.name, "-C", str(self.folder), *arguments, given=given)


def git(name: str, *arguments: str, given: bytes = b"") -> bytes:
    """What git prints, given its input. Raises UnreachableError for the repository `name` where git fails."""
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    done = subprocess.run(["git", *arguments], input=given, capture_output=True, env=environment, check=False)
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["git failed"]
        reason = next((line for line in lines if line.startswith("fatal:")), lines[-1])
        raise UnreachableError(f"{name}: {reason}")
    return done.stdout


class GoModule(Repository):
    """A repository as a Go module: the versions that the module cache of this machine has."""

    def __init__(self, name: str, cache: Path) -> None:
        module = re.sub("[A-Z]", lambda capital: f"!{capital[0].lower()}", _MODULES.get(name, f"github.com/{name}"))
        super().__init__(name, cache / module)
        self._facts = cache / "cache" / "download" / module / "@v"

    @property
    def read_on(self) -> str:
        """The day of the newest version."""
        return max((str(json.loads(file.read_text())["Time"])[:10] for file in self._facts.glob("*.info")), default="")

    def tags(self) -> list[str]:
        """Every version that is unpacked."""
        return [folder.name.partition("@")[2] for folder in sorted(self.folder.parent.glob(f"{self.folder.name}@v*"))]

    def files(self, tag: str, *paths: str) -> dict[str, str]:
        """The text of files, and of every file below folders, of a version, by their paths."""
        return _files(self.name, tag, self._root(tag), paths)

    def sources(self, tag: str, folders: Sequence[str], endings: tuple[str, ...]) -> dict[str, str]:
        """The text of every file with one of the endings in those of the folders that a version has, by their paths."""
        return _sources(self.name, tag, self._root(tag), folders, endings)

    def _root(self, tag: str) -> Path:
        return self.folder.with_name(f"{self.folder.name}@{tag}")


def _files(name: str, tag: str, root: Path, paths: Sequence[str]) -> dict[str, str]:
    missing = [path for path in paths if not (root / path).exists()]
    if missing:
        raise UnreachableError(f"{name}: {tag} has no {missing[0]}")
    found = (each for path in paths for each in [root / path, *sorted((root / path).rglob("*"))])
    return {
        file.relative_to(root).as_posix(): file.read_text("utf-8", "replace") for file in found if file.is_file() and not file.is_symlink()
    }


def _sources(name: str, tag: str, root: Path, folders: Sequence[str], endings: tuple[str, ...]) -> dict[str, str]:
    found = _files(name, tag, root, [folder for folder in folders if (root / folder).exists()])
    return {path: text for path, text in found.items() if path.endswith(endings)}


def local_repository(name: str, copies: Path, modules: Path | None = None) -> Repository:
    """The copy of a repository below a folder: in `owner+name` or `owner/name`, bare or with a work tree, or one folder deeper.

    A repository without a copy is read as a Go module, where the module cache has it.
    """
    for base in (copies / name.replace("/", "+"), copies / name):
        inner = sorted(base.glob("*")) if base.is_dir() else []
        for folder in (base / ".git", base, *inner):
            if (folder / "HEAD").is_file() and (folder / "objects").is_dir():
                return Repository(name, folder)
    if modules and (module := GoModule(name, modules)).tags():
        return module
    raise UnreachableError(f"{name}: no copy in {copies}")
