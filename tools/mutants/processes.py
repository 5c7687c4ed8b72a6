"""The processes of the tests: each run of pytest has a process group of its own, and nothing of the group outlives the run or this program."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

LIMIT = 3600
"""Seconds after which tests that wait for ever are ended."""

MEMORY = 4_000_000
"""Kilobytes of data that the tests of a mutant may take."""


class Outcome(NamedTuple):
    """What pytest returned (0: passed, less than 0: ended by a limit), and what it printed."""

    status: int
    output: str


class Processes:
    """The runs that are under way. `end` ends all of them, and lets no other begin."""

    def __init__(self) -> None:
        self._groups: set[int] = set()
        self._lock = threading.Lock()
        self._is_ended = False

    def pytest(self, root: Path, modules: Iterable[Path], *, processor: int | None) -> Outcome:
        """Run the tests of modules, with a limit of processor time in seconds; None is no limit."""
        pytest = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", *map(str, modules)]
        with tempfile.TemporaryFile() as output:
            with self._lock:
                if self._is_ended:
                    return Outcome(-signal.SIGTERM, "")
                run = subprocess.Popen(
                    ["sh", "-c", f'ulimit -t {processor or "unlimited"}; ulimit -d {MEMORY}; exec "$@"', "sh", *pytest],
                    cwd=root,
                    env={**os.environ, "CI": "1", "PYTHONDONTWRITEBYTECODE": "1"},
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
                self._groups.add(run.pid)
            try:
                status = run.wait(LIMIT)
            except subprocess.TimeoutExpired:
                status = -signal.SIGALRM
            finally:
                # Also after a run that ended: the programs that its tests started, such as Node, are of its group.
                _kill(run.pid)
                run.wait()
                with self._lock:
                    self._groups.discard(run.pid)
            output.seek(0)
            return Outcome(status, output.read().decode(errors="replace"))

    def end(self) -> None:
        """End all runs."""
        with self._lock:
            self._is_ended = True
            for group in self._groups:
                _kill(group)


def _kill(group: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
