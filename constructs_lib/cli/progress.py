"""The progress of a command on a terminal: what it does, and for how long, in two lines that vanish."""

from __future__ import annotations

import io
import threading
import time
from types import TracebackType
from typing import Self, TextIO

_WIPED = "\r\x1b[K"
_UP = "\x1b[A"


class Progress:
    """Show the current task and its duration when it takes longer than two seconds; only on a terminal."""

    def __init__(self, stream: TextIO | None, command: str, doing: str, *, after: float = 2.0, every: float = 0.2) -> None:
        self.doing = doing
        self._command, self._stream, self._after, self._every = command, stream or io.StringIO(), after, every
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True)

    def __enter__(self) -> Self:
        if self._stream.isatty():
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._done.set()
        if self._thread.is_alive():
            self._thread.join()

    def _show(self) -> None:
        start = time.monotonic()
        if self._done.wait(self._after):
            return
        above = ""
        while not self._done.wait(self._every):
            self._write(f"{above}{_WIPED}{self._command}: {self.doing} …\n{_WIPED}  {time.monotonic() - start:.0f} s; Ctrl-C ends it")
            above = _UP
        self._write(f"{above}{_WIPED}\n{_WIPED}{_UP}" if above else "")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
