"""The entry point of `talos-gpu`: checks, schematics, patches and upgrade plans from a shell, without an app and without Node."""

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
from .check_command import add_check
from .flag_errors import KEPT_AS, flag_of, in_flags
from .nodes_flags import reason
from .patch_command import add_patch
from .schematic_command import add_schematic
from .upgrade_command import add_upgrade

_USAGE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. The status is 0 for success, 1 when a check finds an error, 2 for a wrong argument."""
    options, unknown = _parser().parse_known_args(arguments)
    if unknown:
        sys.stderr.write(f"talos-gpu {options.command}: {_no_flag(unknown, options)}\n")
        return _USAGE
    run: Callable[[argparse.Namespace], str] = options.run
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TalosGpuWarning)
        try:
            answer = run(options)
            if options.output:
                _write(options.output, answer)
        except (TypeError, ValueError) as error:
            message = in_flags(error, options) if isinstance(error, Refusal) else str(error)
            sys.stderr.write(f"talos-gpu {options.command}: {message}\n")
            return _USAGE
        finally:
            for warning in dict.fromkeys(str(record.message) for record in caught):
                sys.stderr.write(f"talos-gpu {options.command}: warning: {warning}\n")
    if not options.output:
        _print(answer)
    status: int = options.status
    return status


def _write(path: str, answer: str) -> None:
    try:
        Path(path).write_text(answer, encoding="utf-8", newline="")
    except OSError as error:
        raise wrong("output", "a file that can be written", path, reason(error)) from None


def _print(answer: str) -> None:
    """Print in UTF-8 on every console, because users redirect the output to files."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(answer)


def _no_flag(unknown: list[str], options: argparse.Namespace) -> str:
    """The error for words that the command does not know."""
    flags = {name: flag for flag, name in KEPT_AS.items()}
    known = [flag_of(flags.get(name, name)) for name in vars(options) if name not in {"command", "run"}]
    known += ["--talos"] if "--talos-version" in known else []
    longer = [flag for flag in known if flag.startswith(unknown[0])]
    hint = f"did you mean '{longer[0]}'?" if longer else did_you_mean(unknown[0], known)
    rule = f"a flag of talos-gpu {options.command}"
    return f"{unknown[0]} must be {rule} (got {' '.join(unknown)!r}); {hint or f'talos-gpu {options.command} --help lists the flags'}"


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
        description="Check manifests for NVIDIA GPUs on Talos; print schematics, machine configuration patches and upgrade plans for GPU nodes.",
        epilog="talos-gpu COMMAND --help shows the flags and an example of a command.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version of this library, and the date of its tables")
    parser.set_defaults(status=0)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for add_command in (add_check, add_schematic, add_patch, add_upgrade):
        add_command(commands)
    return parser
