"""`talos-gpu`: the checks, and the OS layer of a class of GPU nodes, from a shell, for people without an app. It never starts Node."""

from __future__ import annotations

import argparse
import io
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from . import _cli_check, _cli_talos
from ._validate import TalosGpuWarning

_USAGE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 when all went well, 1 when a check found an error, 2 for what was wrong with its arguments."""
    given = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], str] = given.run
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TalosGpuWarning)
        try:
            answer = run(given)
            if given.output:
                Path(given.output).write_text(answer, encoding="utf-8", newline="")
        except (TypeError, ValueError, OSError) as error:
            sys.stderr.write(f"talos-gpu {given.command}: {_in_flags(str(error), given)}\n")
            return _USAGE
        finally:
            for warning in dict.fromkeys(str(each.message) for each in caught):
                sys.stderr.write(f"talos-gpu {given.command}: warning: {warning}\n")
    if not given.output:
        _print(answer)
    status: int = given.status
    return status


def _print(answer: str) -> None:
    """As UTF-8, whatever the console: what is printed goes into files."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(answer)


# Where the argument has another name than the flag that gives it.
_FLAGS = {
    "labels": "label",
    "taints": "taint",
    "sharing": "mps",
    "extensions": "extension",
    "extra_kernel_args": "kernel-arg",
    "hostnames": "hostname",
}


def _in_flags(message: str, given: argparse.Namespace) -> str:
    """An argument by the name of its flag; what a file says is left in the file's words."""
    found = re.match(r"'([a-z_]+)(\[[^]]*\])?' must", message)
    if not found:
        return message
    name = found[1]
    if name == "replicas":
        name = "time_slicing" if given.mps is None else "mps"
    elif name == "nodes" and given.nodes is None:
        name = "taint" if "taint" in message.partition("(got")[0] else "talos_version"
    return f"--{_FLAGS.get(name, name).replace('_', '-')} must{message[found.end() :]}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="talos-gpu",
        description="Checks of manifests for NVIDIA GPUs on Talos; Talos images, machine configuration and upgrades of such nodes.",
        epilog="talos-gpu COMMAND --help shows an example of each.",
    )
    parser.set_defaults(status=0)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _cli_check.add_check(commands)
    _cli_talos.add_commands(commands)
    return parser
