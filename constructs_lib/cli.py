"""`talos-gpu`: the OS layer of a class of GPU nodes from a shell, for people who want only that. It never starts Node."""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from . import _cli_talos
from ._validate import TalosGpuWarning

_USAGE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 when all went well, 2 for what was wrong with its arguments."""
    given = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], str] = given.run
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TalosGpuWarning)
        try:
            answer = run(given)
            if given.output:
                Path(given.output).write_text(answer, encoding="utf-8", newline="")
        except (TypeError, ValueError, OSError) as error:
            sys.stderr.write(f"talos-gpu {given.command}: {_in_flags(str(error))}\n")
            return _USAGE
        finally:
            for warning in dict.fromkeys(str(each.message) for each in caught):
                sys.stderr.write(f"talos-gpu {given.command}: warning: {warning}\n")
    if not given.output:
        sys.stdout.write(answer)
    return 0


def _in_flags(message: str) -> str:
    """An argument by the name of its flag."""
    return re.sub(r"^'([a-z_]+)' must", lambda found: f"--{_FLAGS.get(found[1], found[1]).replace('_', '-')} must", message)


# Where the argument has another name than the flag that gives it.
_FLAGS = {
    "labels": "label",
    "taints": "taint",
    "sharing": "mps",
    "replicas": "time_slicing",
    "extensions": "extension",
    "hostnames": "hostname",
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="talos-gpu",
        description="Talos images, machine configuration and upgrades for nodes with NVIDIA GPUs.",
        epilog="talos-gpu COMMAND --help shows an example of each.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _cli_talos.add_commands(commands)
    return parser
