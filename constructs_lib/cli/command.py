"""`talos-gpu`: the checks, and the OS layer of a class of GPU nodes, from a shell, for people without an app. It never starts Node."""

from __future__ import annotations

import argparse
import io
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from .._arguments.errors import Refusal, wrong
from .._arguments.spelling import did_you_mean
from .._arguments.talos_warnings import TalosGpuWarning
from . import check_command, talos_commands
from .flag_errors import KEPT_AS, flag_of, in_flags
from .nodes_flags import reason

_USAGE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 when all went well, 1 when a check found an error, 2 for what was wrong with its arguments."""
    given, unknown = _parser().parse_known_args(arguments)
    if unknown:
        sys.stderr.write(f"talos-gpu {given.command}: {_no_flag(unknown, given)}\n")
        return _USAGE
    run: Callable[[argparse.Namespace], str] = given.run
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TalosGpuWarning)
        try:
            answer = run(given)
            if given.output:
                _write(given.output, answer)
        except (TypeError, ValueError) as error:
            message = in_flags(error, given) if isinstance(error, Refusal) else str(error)
            sys.stderr.write(f"talos-gpu {given.command}: {message}\n")
            return _USAGE
        finally:
            for warning in dict.fromkeys(str(each.message) for each in caught):
                sys.stderr.write(f"talos-gpu {given.command}: warning: {warning}\n")
    if not given.output:
        _print(answer)
    status: int = given.status
    return status


def _write(path: str, answer: str) -> None:
    try:
        Path(path).write_text(answer, encoding="utf-8", newline="")
    except OSError as error:
        raise wrong("output", "a file that can be written", path, reason(error)) from None


def _print(answer: str) -> None:
    """As UTF-8, whatever the console: what is printed goes into files."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(answer)


def _no_flag(unknown: list[str], given: argparse.Namespace) -> str:
    """What to say of words that the command does not know."""
    named = {held: flag for flag, held in KEPT_AS.items()}
    known = [flag_of(named.get(held, held)) for held in vars(given) if held not in {"command", "run"}]
    known += ["--talos"] if "--talos-version" in known else []
    longer = [flag for flag in known if flag.startswith(unknown[0])]
    hint = f"did you mean '{longer[0]}'?" if longer else did_you_mean(unknown[0], known)
    rule = f"a flag of talos-gpu {given.command}"
    return f"{unknown[0]} must be {rule} (got {' '.join(unknown)!r}); {hint or f'talos-gpu {given.command} --help lists them'}"


class _Version(argparse.Action):
    """`--version`: the version of this library and the date of its tables, which are looked up when somebody asks."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print both, and end."""
        from importlib.metadata import PackageNotFoundError, version

        from ..upstream.talos_releases import READ_ON

        try:
            number = version("cdk8s-nvidia-talos")
        except PackageNotFoundError:  # a source tree, which nobody installed
            import tomllib

            number = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
        _print(f"talos-gpu {number} (tables of {READ_ON})\n")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="talos-gpu",
        description="Checks of manifests for NVIDIA GPUs on Talos; Talos images, machine configuration and upgrades of such nodes.",
        epilog="talos-gpu COMMAND --help shows an example of each.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version of this library, and the date of its tables")
    parser.set_defaults(status=0)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    check_command.add_check(commands)
    talos_commands.add_commands(commands)
    return parser
