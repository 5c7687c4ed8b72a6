"""The parsers of the command and its verbs: errors of one line, and the help, example and flags of a verb for a class
of GPU nodes."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from ..arguments.spelling import did_you_mean
from .flags import add_flag
from .nodes_flags import add_nodes_flags

Commands = Any
"""The object that argparse's `add_subparsers` returns; argparse has no public name for its type."""

Run = Callable[[argparse.Namespace], str | list[str]]
"""The function of a verb: the answer, or its parts."""


class UsageError(Exception):
    """A command line that argparse can't parse."""


class CommandParser(argparse.ArgumentParser):
    """A parser without abbreviated flags, whose errors have the form of all other errors of the command."""

    verbs: Mapping[str, CommandParser] = {}
    """The parsers of the verbs; empty for the parser of a verb."""
    tasks: Mapping[str, tuple[str, ...]] = {}
    """The verbs by task, for the help."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(allow_abbrev=False, **arguments)

    @property
    def actions(self) -> list[argparse.Action]:
        """The arguments and flags of the parser."""
        return self._actions

    def format_help(self) -> str:
        """The help, with the verbs by task."""
        if not self.tasks:
            return super().format_help()
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        listed = {each.dest: each for action in self._actions for each in getattr(action, "_choices_actions", ())}
        for task, verbs in self.tasks.items():
            formatter.start_section(task)
            formatter.add_arguments([listed[verb] for verb in verbs])
            formatter.end_section()
        formatter.start_section("options")
        formatter.add_arguments([action for action in self._actions if action.option_strings])
        formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()

    @property
    def flags(self) -> list[str]:
        """The long flags of the parser."""
        return [flag for action in self._actions for flag in action.option_strings if flag.startswith("--")]

    def error(self, message: str) -> NoReturn:
        """Raise the error for a flag with a missing value, or with a value that the flag does not have."""
        flag, _, fault = message.removeprefix("argument ").partition(": ")
        if re.fullmatch(r"expected (one|at least one) argument", fault):
            message = f"{flag.partition('/')[0]} must be given with a value"
        elif fault.startswith("ignored explicit argument "):
            message = f"{flag} must be given without a value (got {fault.removeprefix('ignored explicit argument ')})"
        raise UsageError(f"{self.prog}: {message}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        name = action.option_strings[0] if action.option_strings else action.metavar
        hint = did_you_mean(value, action.choices)
        known = ", ".join(f"'{choice}'" for choice in action.choices)
        raise argparse.ArgumentError(None, f"{name} must be one of {known} (got {value!r}){f'; {hint}' if hint else ''}")


def add_verb(commands: Commands, run: Run, about: str, examples: str, more: str = ".") -> argparse.ArgumentParser:
    """Add the parser of a verb, which has the name of its function. `more` ends the first sentence of its help."""
    parser: argparse.ArgumentParser = commands.add_parser(
        run.__name__, help=about, description=about[0].upper() + about[1:] + more, epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.set_defaults(run=run)
    return parser


def add_nodes_verb(commands: Commands, run: Run, about: str, examples: str, *, has_file: bool = True) -> argparse.ArgumentParser:
    """Add the parser of a verb for a class of nodes, with the cluster file or the flags of the nodes, and
    `--output`."""
    parser = add_verb(commands, run, about, examples)
    if has_file:
        parser.add_argument("file", nargs="?", metavar="FILE", help="the cluster file; or the flags of the nodes below")
    add_nodes_flags(parser)
    add_flag(parser, "--output FILE")
    return parser
