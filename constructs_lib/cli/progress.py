"""A progress line on a terminal, removed when the work is done."""

from __future__ import annotations

import io
import threading
import time
from types import TracebackType
from typing import Self, TextIO

_WIPED = "\r\x1b[K"


class Progress:
    """Show the current task and its duration when it takes longer than a second; only on a terminal."""

    def __init__(self, stream: TextIO | None, doing: str, *, after: float = 1.0, every: float = 0.2) -> None:
        self.doing = doing
        self._stream, self._after, self._every = stream or io.StringIO(), after, every
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
        while not self._done.wait(self._every):
            self._write(f"{_WIPED}{self.doing} … {time.monotonic() - start:.0f} s")
        self._write(_WIPED)

    def _write(self, line: str) -> None:
        self._stream.write(line)
        self._stream.flush()
