"""The entry point of `talos-gpu`: checks, schematics, patches and upgrade plans from a shell, without an app and without Node."""

from __future__ import annotations

import argparse
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from .._arguments.errors import Refusal, wrong
from .._arguments.spelling import did_you_mean
from .._arguments.talos_warnings import TalosGpuWarning
from . import streams
from .check_command import add_check
from .command_parser import CommandParser, UsageError
from .doctor_command import add_doctor
from .flag_errors import in_flags, words_in_flags
from .images_command import add_images
from .krm_command import add_krm
from .matrix_command import add_matrix
from .nodes_flags import reason
from .page_command import add_page
from .patch_command import add_patch
from .schematic_command import add_schematic
from .synth_command import add_synth
from .upgrade_command import add_upgrade
from .why_command import add_why

_USAGE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    The status is 0 for success, 1 when a check finds an error, a log line is not known or the doctor finds a cause, 2 for a wrong argument or a file that was not checked. As in a shell, it is 130
    after Ctrl-C, and 141 when nobody reads the answer.
    """
    try:
        try:
            return _run(arguments)
        finally:
            streams.flush()
    except KeyboardInterrupt:
        streams.say("talos-gpu: interrupted")
        return streams.INTERRUPTED
    except streams.ClosedStreamError as error:
        streams.say(f"talos-gpu: {error}")
        return _USAGE
    except BrokenPipeError:
        streams.forget_output()
        return streams.NOBODY_READS


def _run(arguments: Sequence[str] | None) -> int:
    parser = _parser()
    try:
        options, unknown = parser.parse_known_args(arguments)
    except UsageError as error:
        streams.say(f"{error}")
        return _USAGE
    if options.command is None:
        streams.say(f"talos-gpu: COMMAND must be given: {', '.join(parser.verbs)}")
        return _USAGE
    if unknown:
        streams.say(f"talos-gpu {options.command}: {_no_flag(unknown, options, parser.verbs)}")
        return _USAGE
    run: Callable[[argparse.Namespace], str | list[str]] = options.run
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TalosGpuWarning)
        try:
            answer = run(options)
            parts = [answer] if isinstance(answer, str) else answer
            if options.output is not None:
                _write(options.output, parts)
        except (TypeError, ValueError) as error:
            message = in_flags(error, options) if isinstance(error, Refusal) else str(error)
            streams.say(f"talos-gpu {options.command}: {message}")
            return _USAGE
        finally:
            for warning in dict.fromkeys(_words(record.message, options) for record in caught):
                streams.say(f"talos-gpu {options.command}: warning: {warning}")
    if options.output is None:
        streams.answer(parts)
    status: int = options.status
    return status


def _words(warning: Warning | str, options: argparse.Namespace) -> str:
    return words_in_flags(warning.args[0], options) if isinstance(warning, TalosGpuWarning) else str(warning)


def _write(path: str, parts: Iterable[str]) -> None:
    try:
        with Path(path).open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.writelines(parts)
    except OSError as error:
        raise wrong("output", "a file that can be written", path, reason(error)) from None


def _no_flag(unknown: list[str], options: argparse.Namespace, verbs: Mapping[str, CommandParser]) -> str:
    """The error for words that the verb does not know."""
    hint = _meant(unknown[0].partition("=")[0], options, verbs) or f"talos-gpu {options.command} --help lists the flags"
    return f"{unknown[0]} must be a flag of talos-gpu {options.command} (got {' '.join(unknown)!r}); {hint}"


def _meant(word: str, options: argparse.Namespace, verbs: Mapping[str, CommandParser]) -> str:
    if options.talos_version is None and re.match(r"v?\d+\.\d+", word):
        return f"did you mean '--talos {word}'?"
    if word == "--version":
        return "--version is a flag of talos-gpu itself"
    others = [f"talos-gpu {verb}" for verb, parser in verbs.items() if word in parser.flags]
    if others:
        from ..checks.report_words import listed

        return f"{word} is a flag of {listed(others)}"
    known = verbs[options.command].flags
    longer = next((flag for flag in known if flag.startswith(word)), None)
    return f"did you mean '{longer}'?" if longer else did_you_mean(word, known)


class _Version(argparse.Action):
    """`--version`: the version of this library and the date of its tables, which are looked up when somebody asks."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print both, and end."""
        from .own_version import own_version

        streams.answer([f"talos-gpu {own_version()}\n"])
        parser.exit()


def _parser() -> CommandParser:
    parser = CommandParser(
        prog="talos-gpu",
        description="Check manifests for NVIDIA GPUs on Talos; find the cause of a missing GPU; print schematics, machine configuration patches and upgrade plans for GPU nodes.",
        epilog="talos-gpu COMMAND --help shows the flags and an example of a command.",
    )
    parser.add_argument(
        "--version", action=_Version, nargs=0, dest=argparse.SUPPRESS, help="show the version of this library, and the date of its tables"
    )
    parser.set_defaults(status=0)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for add_command in (
        add_check,
        add_schematic,
        add_patch,
        add_upgrade,
        add_matrix,
        add_images,
        add_page,
        add_why,
        add_synth,
        add_krm,
        add_doctor,
    ):
        add_command(commands)
    parser.verbs = commands.choices
    return parser
