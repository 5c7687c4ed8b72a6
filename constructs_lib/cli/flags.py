"""The flags of the verbs, and errors in their notation: the flag for the argument, and the typed text for the Python
value."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from ..arguments.errors import NOTHING, Argument, InPython, Phrase, Refusal, Value

Parser = Any
"""A parser, or a group of its flags; argparse has no public name for both."""
REPEATABLE: Mapping[str, Any] = {"action": "append", "default": []}
"""The arguments of a flag that may be given several times."""

# Arguments whose flag has another name in every command.
_FLAGS = {
    "talos_version": "talos",
    "labels": "label",
    "taints": "taint",
    "extensions": "extension",
    "extra_kernel_args": "kernel_arg",
    "extra_kernel_modules": "extra_kernel_module",
    "hostnames": "hostname",
    "kubernetes_version": "kubernetes",
    "tool": "for",
    "kernel_module_parameters": "kernel_module_parameter",
    "sysctls": "sysctl",
    "cdi_spec_dirs": "cdi_spec_dir",
    "kubelet_feature_gates": "kubelet_feature_gate",
    "pci_ids": "passthrough",
    "from_source": "from",
}
# Flags whose value is a file, of which an error quotes nothing.
_FILES = {"talconfig", "digests"}
_IN_A_FILE = "set this argument in a cluster file"
# Flags whose values argparse keeps under another name, because their own name is a keyword of Python or an attribute of
# argparse.
KEPT_AS = {"class": "chosen", "talos": "talos_version", "for": "tool", "from": "from_source", "print": "printed"}


_OF_SEVERAL = {
    "--talos VERSION": "the Talos of the nodes; default: the version in the files",
    "--kubernetes VERSION": "the Kubernetes version of the cluster, such as 1.35",
    "--chart NAME[@VERSION]": "the chart of a plain values file, such as gpu-operator@v26.7.0",
    "--output FILE": "write the output to this file; default: standard output",
}
"""The help of flags that several verbs have."""


def add_flag(parser: Parser, usage: str, about: str = "", **more: Any) -> None:
    """Add a flag by its usage, as the help shows it: `--count NUMBER` takes a value, `--all` is a switch."""
    *flags, metavar = usage.split() if " " in usage else (usage, None)
    if metavar is not None:
        more["metavar"] = metavar
    elif more.keys().isdisjoint(("choices", "action")):
        more["action"] = "store_true"
    name = flags[0].removeprefix("--")
    parser.add_argument(*flags, **{"help": about or _OF_SEVERAL.get(usage), **({"dest": KEPT_AS[name]} if name in KEPT_AS else {}), **more})


def flag_of(argument: str, options: argparse.Namespace | None = None) -> str:
    """The flag of an argument, in the command of these options."""
    return f"--{_own(options).get(argument, _FLAGS.get(argument, argument)).replace('_', '-')}"


def words_in_flags(words: str | Phrase, options: argparse.Namespace) -> str:
    """The words of an error or a warning, in the notation of the command line."""

    def written(part: Argument | Value | InPython) -> str:
        if isinstance(part, InPython):
            return ""
        if isinstance(part, Argument):
            return _written(part, options)
        return ", ".join(map(repr, part.value)) if isinstance(part.value, list) else "left out" if part.value is False else str(part)

    return words if isinstance(words, str) else words.written(written)


def in_flags(error: Refusal, options: argparse.Namespace) -> str:
    """The message of an error, in the notation of the command line."""
    from ..arguments.credentials.texts import hidden_text  # deferred: only an error needs the shapes

    name = _name(error.part or error.argument.partition("[")[0], options)
    rule, hint = words_in_flags(error.rule, options), words_in_flags(error.shown_hint, options)
    if not _is_flag(name, options):
        hint = "; ".join(filter(None, (hint, _IN_A_FILE if "chosen" in options else "")))
        return f"'{name}' must be {rule} (got {'nothing' if error.got is None else error.got_text}){f'; {hint}' if hint else ''}"
    got = (
        error.got_text
        if name not in _FILES and isinstance(error.got, str | int) and not isinstance(error.got, bool)
        else hidden_text(_typed(name, options))
    )
    if got == "nothing" and rule.startswith("given"):
        return f"{flag_of(name, options)} must be {rule}{f': {hint}' if hint else ''}"
    return f"{flag_of(name, options)} must be {rule} (got {got}){f'; {hint}' if hint else ''}"


def _name(argument: str, options: argparse.Namespace) -> str:
    """The argument of a flag. Both kinds of sharing have a flag of their own, with the number of replicas as its
    value."""
    if argument in ("replicas", "sharing", "time_slicing"):
        if "mps" not in options:
            return "sharing" if "sharing" in options else argument
        return "time_slicing" if argument == "time_slicing" or options.mps is None else "mps"
    return argument


def _is_flag(name: str, options: argparse.Namespace) -> bool:
    return _kept_as(name, options) in options


def _kept_as(name: str, options: argparse.Namespace) -> str:
    """The name under which argparse keeps the value of an argument's flag."""
    flag = name if name in _own(options) else _FLAGS.get(name, name)
    return KEPT_AS.get(flag, flag)


def _own(options: argparse.Namespace | None) -> Mapping[str, str]:
    """The flags that a command names otherwise. Each is kept under the name of its argument."""
    return getattr(options, "own_flags", {})


def _written(argument: Argument, options: argparse.Namespace) -> str:
    name = _name(argument.name, options)
    if not _is_flag(name, options):
        return str(argument)
    return flag_of(name, options) if argument.value in (NOTHING, True) else f"{flag_of(name, options)} {str(argument.value)!r}"


def _typed(name: str, options: argparse.Namespace) -> str:
    """The text on the command line."""
    value = getattr(options, _kept_as(name, options))
    if value is True:
        return flag_of(name, options)
    return ", ".join(map(repr, value if isinstance(value, list) else [value])) if value else "nothing"
