"""The three standard streams of the command. Each may be closed, may be a pipe that nobody reads any more, and may show
text of strangers."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator

TYPE_CHECKING = False
if TYPE_CHECKING:  # `--version` does not load `typing`
    from typing import BinaryIO

NO_STREAM, INTERRUPTED, NOBODY_READS = 2, 130, 141
"""The exit status of a stream that is closed; the exit statuses of a shell for a command that SIGINT or SIGPIPE ended:
128 and the number of the signal."""


_LARGEST = 200_000_000


class ClosedStreamError(Exception):
    """Standard output is closed, or on a disk that is full."""


def guarded(run: Callable[[], int]) -> int:
    """The status of a run. As in a shell, it is 130 after Ctrl-C, and 141 when nobody reads the answer; 2 where the
    answer can't be written."""
    try:
        try:
            return run()
        finally:
            flush()
    except KeyboardInterrupt:
        say("talos-gpu: interrupted")
        return INTERRUPTED
    except ClosedStreamError as error:
        say(f"talos-gpu: {error}")
        return NO_STREAM
    except BrokenPipeError:
        forget_output()
        return NOBODY_READS


def say(sentence: str) -> None:
    """Write a sentence to standard error, on one line."""
    if sys.stderr is not None:
        from ..arguments.printable import printable  # most runs say nothing there

        sys.stderr.write(f"{printable(sentence)}\n")


def answer(parts: Iterable[str]) -> None:
    """Write the parts of the answer to standard output, in UTF-8 on every console, because users redirect the output to
    files."""
    if sys.stdout is None:
        raise ClosedStreamError("standard output is closed")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    with _writing():
        sys.stdout.writelines(parts)
        sys.stdout.flush()


def terminal(*, to_file: bool) -> tuple[bool, int | None]:
    """Whether the answer has colours, and the width of the terminal; None if the answer is not for one:
    https://no-color.org, https://force-color.org."""
    import shutil  # only a terminal needs it

    is_terminal = not to_file and sys.stdout is not None and sys.stdout.isatty()
    forced = not to_file and bool(os.environ.get("FORCE_COLOR"))
    colour = not os.environ.get("NO_COLOR") and (forced or (is_terminal and os.environ.get("TERM") != "dumb"))
    return colour, shutil.get_terminal_size().columns if is_terminal else None


def is_unicode() -> bool:
    """Whether the console has the encoding UTF-8."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return encoding.replace("-", "").replace("_", "").lower() in ("utf8", "utf8sig")


def reason(error: OSError) -> str:
    """The reason why a file or a stream can't be read or written, without the error number and the path."""
    return (error.strerror or str(error)).lower()


def flush() -> None:
    """Write what standard output still holds, such as the help of argparse."""
    if sys.stdout is not None:
        with _writing():
            sys.stdout.flush()


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        forget_output()
        raise ClosedStreamError(f"standard output can't be written: {reason(error)}") from None


def stdin() -> BinaryIO:
    """Standard input, as bytes."""
    if sys.stdin is None:
        raise ValueError("standard input is closed")
    return sys.stdin.buffer


def question() -> str:
    """The text of standard input."""
    if sys.stdin is None:
        raise ValueError("standard input is closed")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8-sig")
    try:
        text = sys.stdin.read(_LARGEST + 1)
    except UnicodeDecodeError:
        raise ValueError("standard input must be text in UTF-8") from None
    except OSError as error:
        raise ValueError(f"standard input must be text in UTF-8; {reason(error)}") from None
    if len(text) > _LARGEST:
        raise ValueError(f"standard input must be smaller than {_LARGEST // 1_000_000} MB")
    return text


def forget_output() -> None:
    """Send the rest of the answer nowhere: the interpreter writes what is left when it ends, and would fail again."""
    with contextlib.suppress(AttributeError, OSError):  # no stream, or a stream without a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
