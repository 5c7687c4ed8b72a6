"""The command `talos-gpu`: one module for each verb. The command never starts Node."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # `--version` loads neither `typing` nor what parses the flags of the verbs
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command: `command.main`, but for the version, which needs none of it."""
    if [*(sys.argv[1:] if arguments is None else arguments)] == ["--version"]:
        from . import streams

        return streams.guarded(_version)
    from . import command

    return command.main(arguments)


def _version() -> int:
    from . import streams
    from .own_version import own_version

    streams.answer([f"talos-gpu {own_version()}\n"])
    return 0
