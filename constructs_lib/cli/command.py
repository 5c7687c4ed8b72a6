"""The entry point of `talos-gpu`: checks, schematics, patches and upgrade plans from a shell, without an app and
without Node."""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module

from ..arguments.errors import Refusal, TalosGpuWarning
from ..arguments.spelling import did_you_mean
from . import streams
from .command_parser import CommandParser, UsageError
from .flags import in_flags, words_in_flags

_USAGE = 2
_TASKS = {
    "begin with a cluster": ("init", "adopt", "synth", "page", "verify"),
    "find what is wrong": ("check", "diff", "doctor", "why"),
    "image and machine configuration": ("matrix", "models", "schematic", "patch", "upgrade"),
    "registries, tools and trials": ("images", "krm", "rehearse", "agents", "completion"),
}
"""The verbs by what people want to do, in the order in which they do it."""
_VERBS = tuple(verb for verbs in _TASKS.values() for verb in verbs)
"""Each verb has a module of its name, such as `check_command` with `add_check`. A run loads the module of the verb that
is given."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    The status is 0 for success, 1 when a check finds an error, a log line is not known or the doctor finds a cause, 2
    for a wrong argument or a file that was not checked. As in a shell, it is 130 after Ctrl-C, and 141 when nobody
    reads the answer.
    """
    return streams.guarded(lambda: _run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    if "_ARGCOMPLETE" in os.environ:
        from .completion_command import complete  # deferred: a shell asks for the words of the command line

        complete(_parser())
    parser = _parser(_needed(arguments[0] if arguments else ""))
    try:
        options, unknown = parser.parse_known_args(arguments)
    except UsageError as error:
        streams.say(f"{error}")
        return _USAGE
    if options.command is None:
        streams.say(f"talos-gpu: COMMAND must be given: {', '.join(parser.verbs)}")
        return _USAGE
    if unknown:
        streams.say(f"talos-gpu {options.command}: {_no_flag(unknown, options, _parser().verbs)}")
        return _USAGE
    run: Callable[[argparse.Namespace], str | list[str]] = options.run
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TalosGpuWarning)
        try:
            if options.output is not None:
                from .files import check_flags, write  # most runs write to standard output

                check_flags(options)
            answer = run(options)
            parts = [answer] if isinstance(answer, str) else answer
            if options.output is not None:
                write(options.output, parts)
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


_OF_A_CLUSTER = {"--cluster": "--class", "--class": "--cluster"}
"""The flags that name a cluster of a file: `--class`, where a command also takes a class of nodes, as `paris/rtx`."""


def _no_flag(unknown: list[str], options: argparse.Namespace, verbs: Mapping[str, CommandParser]) -> str:
    """The error for words that the verb does not know."""
    hint = _meant(unknown[0].partition("=")[0], options, verbs) or f"talos-gpu {options.command} --help lists the flags"
    return f"{unknown[0]} must be a flag of talos-gpu {options.command} (got {' '.join(unknown)!r}); {hint}"


def _meant(word: str, options: argparse.Namespace, verbs: Mapping[str, CommandParser]) -> str:
    if options.talos_version is None and re.match(r"v?\d+\.\d+", word):
        return f"did you mean '--talos {word}'?"
    if word == "--version":
        return "--version is a flag of talos-gpu itself"
    if _OF_A_CLUSTER.get(word, "") in verbs[options.command].flags:
        return f"{_OF_A_CLUSTER[word]} names a cluster of the file in this command"
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


def _needed(word: str) -> tuple[str, ...]:
    """The verbs that a command line with this first word asks for. All of them are in the help, and in the error for
    another word."""
    return () if word == "--version" else (word,) if word in _VERBS else _VERBS


def _parser(verbs: Iterable[str] = _VERBS) -> CommandParser:
    parser = CommandParser(
        prog="talos-gpu",
        description="Check manifests for NVIDIA GPUs on Talos; find the cause of a missing GPU; print schematics, machine configuration patches and upgrade plans for GPU nodes.",
        epilog="talos-gpu COMMAND --help shows the flags and an example of a command.",
    )
    parser.add_argument(
        "--version", action=_Version, nargs=0, dest=argparse.SUPPRESS, help="show the version of this library, and the date of its tables"
    )
    parser.set_defaults(status=0)
    parser.tasks = _TASKS
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", prog=parser.prog)
    for verb in verbs:
        getattr(import_module(f".{verb}_command", __package__), f"add_{verb}")(commands)
    parser.verbs = commands.choices
    return parser
