"""The commands of `talos-gpu` and their flags, from the parser of the command: docs/commands.md, and the manual docs/talos-gpu.1."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator

from constructs_lib.cli.command import _parser
from constructs_lib.cli.command_parser import CommandParser
from constructs_lib.cli.own_version import VERSION

_WIDTH = 100
_STATUS = (
    ("0", "success"),
    ("1", "a check found an error, a log line is not known, or the doctor found a cause"),
    ("2", "a wrong argument, or a file that was not read"),
    ("130, 141", "Ctrl-C, and a reader of the output that ended"),
)
_VARIABLES = (
    ("NO_COLOR", "no colours, also on a terminal"),
    ("FORCE_COLOR", "colours in a pipe too"),
    ("COLUMNS", "the width of the terminal"),
)


def commands_markdown() -> str:
    """The section of each command, by task, with a table of its arguments and flags."""
    parser = _parser()
    parts = [f"| {status} | {meaning} |\n" for status, meaning in _STATUS]
    variables = [f"| `{name}` | {meaning} |\n" for name, meaning in _VARIABLES]
    sections = [_task(task, [parser.verbs[verb] for verb in verbs]) for task, verbs in parser.tasks.items()]
    return "".join([
        *sections, "## Exit status\n\n| status | meaning |\n|---|---|\n", *parts,
        "\n## Environment\n\n| variable | meaning |\n|---|---|\n", *variables,
    ])  # fmt: skip


def manual() -> str:
    """The manual page, in the macros of man(7)."""
    return "".join(f"{line}\n" for line in _manual(_parser()))


def _task(task: str, verbs: Iterable[CommandParser]) -> str:
    return f"## {task[0].upper()}{task[1:]}\n\n" + "".join(map(_command, verbs))


def _command(parser: CommandParser) -> str:
    rows = [f"| `{_call(action).replace('|', chr(92) + '|')}` | {_cell(_help(action))} |\n" for action in _arguments(parser)]
    table = f"| argument | meaning |\n|---|---|\n{''.join(rows)}\n" if rows else ""
    verb = parser.prog.rpartition(" ")[2]
    return f'### <a id="{verb}"></a>`{parser.prog}`\n\n{_cell(parser.description or "")}\n\n{table}```bash\n{_examples(parser)}\n```\n\n'


def _manual(parser: CommandParser) -> Iterator[str]:
    yield f'.TH TALOS\\-GPU 1 "" "talos\\-gpu {VERSION}" "User Commands"'
    yield from (".SH NAME", f"talos\\-gpu \\- {_roff((parser.description or '').partition(';')[0])}")
    yield from (".SH SYNOPSIS", ".B talos\\-gpu", ".RI [ flags ] \\ COMMAND \\ [ arguments ]")
    yield from (".SH DESCRIPTION", _roff(parser.description or ""))
    for task, verbs in parser.tasks.items():
        yield f'.SH "{_roff(task.upper())}"'
        for verb in map(parser.verbs.__getitem__, verbs):
            yield from (f'.SS "{_roff(verb.prog)}"', _roff(verb.description or ""))
            for action in _arguments(verb):
                yield from (".TP", f".B {_roff(_call(action))}", _roff(_help(action)))
            yield from (".PP", ".nf", *map(_roff, _examples(verb).splitlines()), ".fi")
    for title, rows in (("EXIT STATUS", _STATUS), ("ENVIRONMENT", _VARIABLES)):
        yield f'.SH "{title}"'
        for name, meaning in rows:
            yield from (".TP", f".B {_roff(name)}", _roff(meaning))


def _arguments(parser: CommandParser) -> list[argparse.Action]:
    return [action for action in parser.actions if not isinstance(action, argparse._HelpAction)]  # noqa: SLF001  # argparse has no public name


def _call(action: argparse.Action) -> str:
    """The argument as it is typed: `--talos VERSION`, `--all`, `PATH`."""
    value = "" if action.nargs == 0 else str(action.metavar or "|".join(map(str, action.choices or ())) or action.dest.upper())
    more = " …" if action.nargs in ("+", "*") else ""
    return f"{', '.join(action.option_strings)} {value}{more}".strip()


def _help(action: argparse.Action) -> str:
    return argparse.HelpFormatter("", width=_WIDTH)._expand_help(action) if action.help else ""  # noqa: SLF001  # the text as --help prints it


def _examples(parser: CommandParser) -> str:
    """The lines below "example:" or "examples:", without their margin."""
    return re.sub(r"^  ", "", (parser.epilog or "").partition(":\n")[2], flags=re.MULTILINE)


def _cell(words: str) -> str:
    return re.sub(r"([|<*\\])", r"\\\1", " ".join(words.split()))


def _roff(words: str) -> str:
    """Words without a meaning to roff."""
    escaped = words.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace('"', "\\(dq")
    ascii_only = re.sub(r"[^\x00-\x7f]", lambda letter: f"\\[u{ord(letter[0]):04X}]", escaped)
    return f"\\&{ascii_only}" if ascii_only.startswith(".") else ascii_only
