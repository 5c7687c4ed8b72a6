"""The texts of the files that flags and arguments name."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ..arguments.errors import Refusal, in_file, wrong
from . import streams

_T = TypeVar("_T")

# A file of settings has a few lines. A file that is much larger is another file.
_LARGEST = 2_000_000


def read_text(flag: str, path: str, largest: int = _LARGEST) -> str:
    """The text of a file or a pipe, such as `<(sops -d cluster.yaml)`, with its line ends unchanged, up to a size. A
    device is not opened."""
    rule = "a file that can be read"
    try:
        mode = Path(path).stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            raise wrong(flag, rule, path, "is a directory" if stat.S_ISDIR(mode) else "it is a device or a socket, not a file")
        with Path(path).open("rb") as file:
            content = file.read(largest + 1)
        if len(content) > largest:
            raise wrong(flag, rule, path, f"it is larger than {largest // 1_000_000} MB")
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise wrong(flag, "a file of text", path) from None
    except OSError as error:
        raise wrong(flag, rule, path, streams.reason(error)) from None


def read_file(flag: str, path: str, read: Callable[[str], _T]) -> _T:
    """The answer of a reader to the text of a file. An error of the reader names the file."""
    text = read_text(flag, path)
    try:
        return read(text)
    except Refusal as error:
        raise in_file(path, error) from None
