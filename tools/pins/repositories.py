"""Repositories of upstream's: their tags, and single files at a tag, from a local copy or from GitHub."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from datetime import UTC, datetime
from pathlib import Path


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

    def _git(self, *arguments: str) -> bytes:
        return git(self.name, "--git-dir", str(self.folder), *arguments)


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
        """The text of files, and of every file below folders, at a tag, by their paths.

        They are read where a sparse checkout puts them: that fetches all of them at once, and nothing else.
        """
        if not self.folder.exists():
            git(self.name, "init", "--quiet", str(self.folder))
            self._git("config", "remote.origin.url", self.address)
            self._git("config", "remote.origin.promisor", "true")
        self._git("sparse-checkout", "set", "--no-cone", *(f"/{path}" for path in paths))
        self._git("fetch", "--quiet", "--depth=1", "--filter=blob:none", "origin", f"+refs/tags/{tag}:refs/tags/{tag}")
        self._git("checkout", "--quiet", "--force", "--detach", f"refs/tags/{tag}")
        missing = [path for path in paths if not (self.folder / path).exists()]
        if missing:
            raise UnreachableError(f"{self.name}: {tag} has no {missing[0]}")
        found = (each for path in paths for each in [self.folder / path, *sorted((self.folder / path).rglob("*"))])
        return {
            file.relative_to(self.folder).as_posix(): file.read_text("utf-8", "replace")
            for file in found
            if file.is_file() and not file.is_symlink()
        }

    def _git(self, *arguments: str) -> bytes:
        return git(self.name, "-C", str(self.folder), *arguments)


def git(name: str, *arguments: str) -> bytes:
    """What git prints. Raises UnreachableError for the repository `name` where git fails."""
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    done = subprocess.run(["git", *arguments], capture_output=True, env=environment, check=False)
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["git failed"]
        reason = next((line for line in lines if line.startswith("fatal:")), lines[-1])
        raise UnreachableError(f"{name}: {reason}")
    return done.stdout


def local_repository(name: str, copies: Path) -> Repository:
    """The copy of a repository below a folder: in `owner+name` or `owner/name`, bare or with a work tree, or one folder deeper."""
    for base in (copies / name.replace("/", "+"), copies / name):
        inner = sorted(base.glob("*")) if base.is_dir() else []
        for folder in (base / ".git", base, *inner):
            if (folder / "HEAD").is_file() and (folder / "objects").is_dir():
                return Repository(name, folder)
    raise UnreachableError(f"{name}: no copy in {copies}")
