"""The command `completion`: what makes a shell complete the words of `talos-gpu`.

The package argcomplete asks the parser of the command at each Tab, so verbs, flags and values are those of the installed
version, in bash, zsh and fish alike. It is an extra: who imports the constructs does not need it.
https://kislyuk.github.io/argcomplete/
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from . import streams
from .command_parser import CommandParser, Commands, add_verb

SHELLS = ("bash", "zsh", "fish")
_CANNOT = 2
_MORE = " (package argcomplete: pip install argcomplete)"
_EXAMPLES = """\
examples:
  eval "$(talos-gpu completion bash)"                                            # in ~/.bashrc
  eval "$(talos-gpu completion zsh)"                                             # in ~/.zshrc, after compinit
  talos-gpu completion fish > ~/.config/fish/completions/talos-gpu.fish"""


def add_completion(commands: Commands) -> None:
    """Add the command and its argument."""
    parser = add_verb(
        commands, completion, "print the code with which a shell completes commands, flags and values", _EXAMPLES, f"{_MORE}."
    )
    parser.set_defaults(output=None, talos_version=None)
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))


def completion(options: argparse.Namespace) -> str:
    """The code for the shell."""
    argcomplete = _argcomplete()
    if argcomplete is None:
        streams.say("talos-gpu completion needs the package argcomplete: pip install argcomplete")
        options.status = _CANNOT
        return ""
    return f"{argcomplete.shellcode(['talos-gpu'], shell=options.shell)}\n"


def complete(parser: CommandParser) -> None:
    """Answer the shell's question, and end the process. Without the package there is no answer."""
    argcomplete = _argcomplete()
    if argcomplete is None:
        raise SystemExit(_CANNOT)
    for verb in parser.verbs.values():
        for action in verb.actions:
            if values := _VALUES.get(action.dest):
                action.completer = lambda values=values, **_: values()  # type: ignore[attr-defined]  # the attribute of argcomplete
    argcomplete.autocomplete(parser, always_complete_options="long")


def _argcomplete() -> Any:
    try:
        return import_module("argcomplete")
    except ModuleNotFoundError:
        return None


def _releases() -> Iterable[str]:
    from ..upstream.talos.releases import TALOS

    return [release.newest for release in TALOS.values()]


def _rules() -> Iterable[str]:
    from ..checks.rules import RULES

    return sorted(RULES)


_VALUES: dict[str, Callable[[], Iterable[str]]] = {
    "explain": _rules,
    "ignore": _rules,
    "select": _rules,
    "talos_version": _releases,
    "to": _releases,
}
"""The values that a flag completes, by the argument of the flag."""
