"""A folder with go.mod and go.sum: what it pins, and Go in it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .errors import RehearsalError

DEFAULT_PROXY = "https://proxy.golang.org,direct"
"""Source: https://go.dev/ref/mod#environment-variables, GOPROXY (2026-11-24)"""
_LAST_WORDS = 25
"""How many lines of a failed command an error shows."""


@dataclass(frozen=True)
class GoModule:
    """The Go module of a folder. Its go.mod names each version, and its go.sum the checksum of each."""

    folder: Path

    @cached_property
    def go(self) -> str:
        """The oldest Go that builds the module, such as 1.26.0."""
        return self._statements("go")[0]

    @cached_property
    def tools(self) -> tuple[str, ...]:
        """The packages of the `tool` lines: other modules' commands."""
        return tuple(self._statements("tool"))

    @cached_property
    def versions(self) -> Mapping[str, str]:
        """The version of each required module, where a `replace` line has the last word."""
        required = dict(line.split()[:2] for line in self._statements("require"))
        for line in self._statements("replace"):
            old, new = (side.split() for side in line.split("=>"))
            if old[0] in required:
                required[old[0]] = new[1]
        return required

    def _statements(self, verb: str) -> list[str]:
        """What stands behind a word of go.mod, on its line or in its block."""
        found, block = [], ""
        for line in (self.folder / "go.mod").read_text().splitlines():
            text = line.split("//")[0].strip()
            first, _, rest = text.partition(" ")
            if rest == "(":
                block = first
            elif text == ")":
                block = ""
            elif text and verb == (block or first):
                found.append(text if block else rest.strip())
        return found

    def lacks(self, packages: Sequence[str], cgo: bool) -> bool:
        """Whether Go has to download modules before it can build the packages."""
        return bool(self._run(["list", "-deps", "-f", ".", *packages], {"GOPROXY": "off", "CGO_ENABLED": str(int(cgo))}).returncode)

    def source_folder(self, module: str) -> Path:
        """The folder with the sources of a required module, downloaded if need be and verified by go.sum."""
        return Path(json.loads(self.run("mod", "download", "-json", module))["Dir"])

    def run(self, *arguments: str, **variables: str) -> str:
        """The output of Go in the folder. It changes neither file there, and downloads no other Go."""
        done = self._run(arguments, variables)
        if done.returncode:
            words = "\n".join((done.stderr or done.stdout).strip().splitlines()[-_LAST_WORDS:])
            raise RehearsalError(f"go {arguments[0]} failed in {self.folder}:\n{words}")
        return done.stdout

    def _run(self, arguments: Sequence[str], variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        pinned = {"GOFLAGS": "-mod=readonly -buildvcs=false", "GOTOOLCHAIN": "local", "GOWORK": "off"}
        return subprocess.run(  # noqa: S603  # our own words, and a program that the PATH names
            ["go", *arguments],  # noqa: S607
            cwd=self.folder,
            env={**os.environ, **pinned, **variables},
            capture_output=True,
            text=True,
            check=False,
        )


def proxy() -> str:
    """Where Go downloads modules from, without names and passwords: as Go says, or Go's default where there is no Go."""
    if not shutil.which("go"):
        return DEFAULT_PROXY
    found = subprocess.run(["go", "env", "GOPROXY"], capture_output=True, text=True, check=False).stdout.strip()  # noqa: S607
    return re.sub(r"//[^/,|\s]*@", "//", found) or DEFAULT_PROXY


def need_go(oldest: str, program: str) -> None:
    """Fail in one sentence if the PATH has no Go, or one that is too old for a program."""
    minor = ".".join(oldest.split(".")[:2])
    needs = f"rehearsal needs Go {minor} or newer to build {program}"
    fix = "install it from https://go.dev/dl/ and put its bin folder on the PATH"
    if not shutil.which("go"):
        raise RehearsalError(f"{needs}; it is not on the PATH: {fix}")
    found = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=False).stdout.strip()  # noqa: S607
    if _numbers(found) < _numbers(oldest):
        raise RehearsalError(f"{needs} (got {found or 'a go that does not say its version'}); {fix}")


def need_gcc(program: str) -> None:
    """Fail in one sentence if the PATH has no C compiler."""
    if not shutil.which("gcc"):
        raise RehearsalError(
            f"rehearsal needs gcc to build {program}; it is not on the PATH: install gcc and the C library's headers (Debian: gcc libc6-dev)"
        )


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers of go1.26.8, or of 1.26.0."""
    return tuple(int(number) for number in re.findall(r"\d+", version.split("-", maxsplit=1)[0].split(" ", maxsplit=1)[0])[:3])
