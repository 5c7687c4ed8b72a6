"""Processes of namespaces, seen from outside: a supervisor that starts and stops programs, and `nsenter`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

from .errors import RehearsalError

PACKAGES = str(Path(__file__).resolve().parents[1])


class NamespaceError(RehearsalError):
    """Something in the namespaces did not start, did not stop, or refused what it was asked."""


class Supervised:
    """A namespace of processes with its supervisor. It ends with this process, whatever happens to it."""

    def __init__(self, command: Sequence[str], module: str, arguments: Sequence[str], log: Path) -> None:
        environment = {"PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": PACKAGES, "PYTHONDONTWRITEBYTECODE": "1"}
        self._log = log
        self._lock = threading.Lock()
        with log.open("ab") as errors:
            self._process = subprocess.Popen(  # noqa: S603
                [*command, sys.executable, "-m", f"{__package__}.{module}", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment,
            )
        self._requests = cast("IO[bytes]", self._process.stdin)
        self._answers = cast("IO[bytes]", self._process.stdout)
        self.pid: int = self._answer()["pid"]
        """The number of the first process, as this process sees it."""

    def start(self, name: str, argv: Sequence[str | Path], log: str | Path, environment: Mapping[str, str] | None = None) -> None:
        """Start a program, with its output in a file."""
        self._ask({"start": name, "argv": [*map(str, argv)], "env": dict(environment or {}), "log": str(log)})

    def stop(self, name: str) -> None:
        """Stop a program: SIGTERM, and SIGKILL after a while."""
        self._ask({"stop": name})

    def ended(self) -> Mapping[str, int]:
        """The exit status of each program that has ended by itself; that of a signal is below zero."""
        found: Mapping[str, int] = self._ask({})["ended"]
        return found

    def end(self) -> None:
        """End the namespace with all its processes."""
        with suppress(OSError):  # it has ended by itself
            self._requests.close()
        self._process.wait()
        self._answers.close()

    def enter(self, *namespaces: str) -> list[str]:
        """The beginning of a command that runs in these namespaces of the first process, such as `mount`."""
        return ["nsenter", f"--target={self.pid}", *(f"--{each}" for each in namespaces), "--"]

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        with self._lock:
            try:
                self._requests.write(json.dumps(request).encode() + b"\n")
                self._requests.flush()
            except OSError as error:
                raise NamespaceError(f"the namespaces have ended: {self._log.read_text().strip()[-2000:]}") from error
            answer = self._answer()
        if "error" in answer:
            raise NamespaceError(answer["error"])
        return answer

    def _answer(self) -> dict[str, Any]:
        line = self._answers.readline()
        if not line:
            self._process.wait()
            raise NamespaceError(f"the namespaces did not start: {self._log.read_text().strip()[-2000:]}")
        answer: dict[str, Any] = json.loads(line)
        return answer
