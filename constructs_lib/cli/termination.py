"""SIGTERM as the end of a block that has something to clean up."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator


class _TerminatedError(BaseException):
    """SIGTERM has come."""


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """End the block with its clean-up at SIGTERM, and then the process by SIGTERM. A second SIGTERM ends the process at
    once."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:  # another program's process
        yield
        return
    signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    except _TerminatedError:
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _terminate(*_: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    raise _TerminatedError
