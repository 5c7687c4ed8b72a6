"""A refused argument in the words of the command line: flags for arguments, and what was typed for what Python made of it."""

from __future__ import annotations

import argparse

from .._arguments.errors import NOTHING, Argument, InPython, Refusal, Value

# Where an argument has another name than the flag that gives it.
_FLAGS = {
    "labels": "label",
    "taints": "taint",
    "extensions": "extension",
    "extra_kernel_args": "kernel_arg",
    "hostnames": "hostname",
    "kubernetes_version": "kubernetes",
}
_OF_A_FILE = "a file for --nodes can say it"
# The flags whose values argparse keeps under another name, as their own is a word of Python's or of argparse's.
KEPT_AS = {"class": "chosen", "talos": "talos_version", "for": "tool", "print": "printed"}


def flag_of(argument: str) -> str:
    """The flag of an argument."""
    return f"--{_FLAGS.get(argument, argument).replace('_', '-')}"


def in_flags(error: Refusal, given: argparse.Namespace) -> str:
    """The message of an error, in the words of the command line."""
    name = _name(error.part or error.argument.partition("[")[0], given)

    def written(part: Argument | Value | InPython) -> str:
        if isinstance(part, InPython):
            return ""
        if isinstance(part, Argument):
            return _written(part, given)
        return ", ".join(map(repr, part.value)) if isinstance(part.value, list) else "left out" if part.value is False else str(part)

    rule, hint = (text if isinstance(text, str) else text.written(written) for text in (error.rule, error.hint))
    if not _is_flag(name, given):
        hint = "; ".join(filter(None, (hint, _OF_A_FILE)))
        return f"'{name}' must be {rule} (got {'nothing' if error.got is None else error.got_text}); {hint}"
    got = repr(error.got) if isinstance(error.got, str | int) and not isinstance(error.got, bool) else _typed(name, given)
    return f"{flag_of(name)} must be {rule} (got {got}){f'; {hint}' if hint else ''}"


def _name(argument: str, given: argparse.Namespace) -> str:
    """The argument that a flag gives: a kind of sharing has a flag of its own, whose value is its number of replicas."""
    if argument in ("replicas", "sharing", "time_slicing"):
        return "time_slicing" if argument == "time_slicing" or given.mps is None else "mps"
    return argument


def _is_flag(name: str, given: argparse.Namespace) -> bool:
    flag = _FLAGS.get(name, name)
    return KEPT_AS.get(flag, flag) in given


def _written(argument: Argument, given: argparse.Namespace) -> str:
    name = _name(argument.name, given)
    if not _is_flag(name, given):
        return str(argument)
    return flag_of(name) if argument.value in (NOTHING, True) else f"{flag_of(name)} {str(argument.value)!r}"


def _typed(name: str, given: argparse.Namespace) -> str:
    """What stood on the command line."""
    flag = _FLAGS.get(name, name)
    value = getattr(given, KEPT_AS.get(flag, flag))
    if value is True:
        return flag_of(name)
    return ", ".join(map(repr, value if isinstance(value, list) else [value])) if value else "nothing"
