"""The only place that starts programs of others. Each word is an argument of its own, and no name of a stranger is read
as a flag."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from subprocess import Popen  # deferred: most runs start nothing


_STEP = 0.05
"""The seconds between two looks at a file that a program writes."""


class Group:
    """Programs that several threads run, and that are stopped together."""

    def __init__(self) -> None:
        self._running: set[Popen[bytes]] = set()
        self._starting = threading.Lock()
        self.is_stopped = False

    @contextmanager
    def of(self, start: Callable[[], Popen[bytes]]) -> Iterator[Popen[bytes]]:
        """A program of the group, while it runs. A program that starts while the group is stopped is stopped too: it is
        known before the lock is free. `InterruptedError` when the group has been stopped."""
        with self._starting:
            if self.is_stopped:
                raise InterruptedError
            process = start()
            self._running.add(process)
        try:
            with process:
                yield process
        finally:
            self._running.discard(process)

    def stop(self) -> None:
        """Stop the programs that run, and start none any more."""
        with self._starting:
            self.is_stopped = True
            for each in tuple(self._running):
                each.kill()


@dataclass(frozen=True, slots=True)
class Finished:
    """A program that has ended."""

    status: int
    output: str
    """What it wrote to standard output, if nobody gave it a file."""
    complaint: str
    """What it wrote to standard error."""


def found(program: str) -> str | None:
    """The path of a program, given by name or by path. An entry of PATH that is no absolute path, such as `.`, is not
    searched."""
    import shutil  # deferred: importing a construct does not need it

    if os.path.dirname(program):  # noqa: PTH120  # './helm' and 'helm' are one Path
        return shutil.which(program)
    folders = [each for each in os.get_exec_path() if os.path.isabs(each)]  # noqa: PTH117  # a text
    return next((path for path in (shutil.which(os.path.join(each, program)) for each in folders) if path), None)  # noqa: PTH118


def run(
    program: str,
    words: Sequence[str],
    names: Sequence[str] = (),
    *,
    given: str = "",
    output: IO[bytes] | None = None,
    most: int | None = None,
    seconds: float,
    group: Group | None = None,
) -> Finished:
    """Run a program to its end.

    Args:
        program: The program, by name or by path.
        words: Its verbs and flags, which are ours or the user's own.
        names: What anybody may have named. They stand behind `--`, so the program reads none of them as a flag.
        given: The text for its standard input.
        output: The file for its standard output. Default: the text is in the result.
        most: The program is stopped when the file has so many bytes. Default: no limit.
        seconds: The program is stopped after this time.
        group: The programs that are stopped with it. Default: it is alone.

    Raises:
        OverflowError: The program wrote more than `most`.
        TimeoutError: The program took longer.
        OSError: The program is not there, can't be run, or belongs to a group that has been stopped.
    """
    import subprocess  # deferred: most runs start nothing

    path = found(program)
    if path is None:
        raise FileNotFoundError(f"{program} is not on PATH")
    line = [path, *words, *(["--", *names] if names else [])]

    def start() -> Popen[bytes]:
        return subprocess.Popen(line, stdin=subprocess.PIPE, stdout=output or subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603  # words, and no shell

    with (group or Group()).of(start) as process:
        try:
            if output is not None and most is not None:
                _watch(process, output, most, seconds)
            printed, complaint = process.communicate(given.encode(), seconds)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"no answer after {seconds:g} s") from None
        finally:
            process.kill()  # nothing happens to one that has ended
    return Finished(process.returncode, (printed or b"").decode(errors="replace"), complaint.decode(errors="replace"))


def _watch(process: Popen[bytes], output: IO[bytes], most: int, seconds: float) -> None:
    """Wait for a program that reads nothing, while its file is small enough. `subprocess.TimeoutExpired` when it takes longer."""
    import subprocess  # deferred: most runs start nothing
    import time

    end = time.monotonic() + seconds
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(min(_STEP, max(0, end - time.monotonic())))
        if os.fstat(output.fileno()).st_size > most:
            raise OverflowError(f"more than {most:,} bytes")
        if process.returncode is not None:
            return
        if time.monotonic() >= end:
            raise subprocess.TimeoutExpired(process.args, seconds)
