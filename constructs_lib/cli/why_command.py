"""The command `why`: the causes of a line of a log, and what given files show of them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ..arguments.commands import command
from ..arguments.errors import wrong
from . import streams
from .command_parser import Commands, add_verb
from .flags import add_flag
from .nodes_flags import number
from .settings_flags import add_settings_flag, apply_settings, classes_of_settings, roots_of, settings_of

_PIECE = 65_536
_OVERLAP = 512
_BINARY_SEEN_IN = 8192


def log_on_stdin() -> Iterator[tuple[int, str]]:
    """The lines of standard input with their numbers."""
    log = streams.stdin()
    if sys.stdin.isatty():
        streams.say("talos-gpu why: reading a log from the terminal; Ctrl-D ends the log")
    return log_lines(log)


def log_lines(log: BinaryIO) -> Iterator[tuple[int, str]]:
    """The lines of a log with their numbers. A long line comes in pieces of one number, which overlap, so that no
    phrase is cut in two."""
    number, before = 1, b""
    while piece := log.readline(_PIECE):
        if number == 1 and not before and b"\0" in piece[:_BINARY_SEEN_IN]:
            raise ValueError("standard input must be a log in UTF-8 (got binary data); unpack the file, or write UTF-16 anew as UTF-8")
        yield number, (before + piece).decode("utf-8", errors="replace")
        if piece.endswith(b"\n"):
            number, before = number + 1, b""
        else:
            before = piece[-_OVERLAP:]
    if number == 1 and not before:
        raise ValueError("standard input must be a log (got nothing)")


if TYPE_CHECKING:
    from ..symptoms.log_search import Match

_NOTHING_KNOWN = 1
_MOST = 5
_WITHOUT_LINE = "with a cluster: talos-gpu doctor --live; with files: talos-gpu check PATH"
_CHECKS_FLAGS = ("mps", "root", "nodes", "chart", "kubernetes", "fail_on")
"""Flags of `check` that this command does not have."""
_PATHS = (
    "files and folders to which the rules of the line are applied, with the settings of the repository. For each rule, the answer "
    "says where it is violated or silenced, or whether it was not found, not applied, or had nothing to read"
)
_EXAMPLES = """\
examples:
  talos-gpu why 'NVRM: GPU0 RmInitAdapter: Cannot initialize GSP firmware RM'
  talos-gpu why 'no runtime for "nvidia" is configured' manifests/ --talos 1.13
  talosctl dmesg | talos-gpu why -"""


def add_why(commands: Commands) -> None:
    """Add the command and its flags."""
    about = "name the causes of a log line, and its rules and alerts"
    parser = add_verb(commands, why, about, _EXAMPLES, ". The exit status is 1 when nothing known matches.")
    parser.set_defaults(**dict.fromkeys(_CHECKS_FLAGS))
    parser.add_argument(
        "line", nargs="?", metavar="LINE", help="a log line or a part of it, or several lines, or - for a log on standard input"
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help=_PATHS)
    add_flag(parser, "--talos VERSION")
    add_settings_flag(parser)
    add_flag(parser, "--limit N", f"print at most N symptoms; default: {_MOST}", type=number, default=_MOST)
    add_flag(parser, "--list", "list all symptoms with their log lines")
    add_flag(parser, "--output FILE")


def why(options: argparse.Namespace) -> str:
    """The symptoms of the line or log, and the exit status in `options.status`."""
    from ..symptoms.log_search import LONGEST_SHOWN, LogSearch, matches_text, symptoms_text
    from ..symptoms.message_search import MessageSearch
    from ..symptoms.message_text import origins, said_text
    from ..symptoms.symptom_table import all_symptoms
    from ..upstream.kubernetes.api import POD_STATUSES
    from ..upstream.message_catalogue import messages as catalogue

    if options.list:
        return symptoms_text(all_symptoms())
    if not isinstance(options.limit, int) or options.limit < 1:
        raise wrong("limit", "a whole number of at least 1", options.limit)
    if options.line is None:
        raise ValueError("a LINE must be given, or - for a log on standard input; --list shows the words that are known")
    if not options.line.strip():
        raise ValueError(f"LINE must be a line of a log (got {options.line!r}); is a variable of the shell empty?")
    if options.line.strip().removeprefix("Init:").casefold() in {each.casefold() for each in POD_STATUSES}:
        options.status = _NOTHING_KNOWN
        return f"{options.line.strip()} is a state, which many causes have; {_WITHOUT_LINE}; with a log: talos-gpu why - < FILE\n"
    lines = log_on_stdin() if options.line == "-" else enumerate(options.line.splitlines(), start=1)
    search, messages = LogSearch(all_symptoms()), MessageSearch(catalogue())
    matches = search.search(messages.noting(lines)) or ([] if options.line == "-" else search.fragment(options.line))
    if not matches:
        options.status = _NOTHING_KNOWN
        noted = messages.noted()
        return said_text(noted, options.limit) if noted else _nothing(options.line)
    answers = _answers(options, matches[: options.limit]) if options.paths else None
    whole = (match.text for match in matches[: options.limit] if len(match.text) < LONGEST_SHOWN)
    said = {text: origins(found) for text in whole if (found := messages.said(text))}
    return matches_text(matches, options.limit, answers, said)


def _nothing(line: str) -> str:
    hint = f"{_WITHOUT_LINE}; talos-gpu why --list shows the words that are known"
    try:
        is_file = Path(line).is_file()
    except (OSError, ValueError):  # no file has such a name
        is_file = False
    read = command("talos-gpu why - < {file}", file=f"./{line}" if line.startswith("-") else line)
    return f"nothing known matches; {f'to read the file: {read}' if is_file else hint}\n"


def _answers(options: argparse.Namespace, matches: Sequence[Match]) -> dict[str, str]:
    """The answer of the files to each rule that belongs to the matches. What was not read is named on standard
    error."""
    from ..checks.engine import run_rules
    from ..checks.formats.explain import rule_answer
    from ..checks.report import Report
    from .files import read_inputs

    if "-" in options.paths:
        raise ValueError("PATH must be a file or a folder (got '-'); standard input is for a log")
    rules = sorted({rule for match in matches for rule in match.symptom.rules})
    settings = settings_of(options)
    subjects, nodes = apply_settings(options, settings), classes_of_settings(settings)
    reports = []
    for paths in roots_of(options, settings).values() or [options.paths]:
        inputs = read_inputs(paths, options, settings=settings, subjects=subjects, nodes=nodes)
        try:
            findings = run_rules(inputs, select=rules) if rules else []
        except RuntimeError as error:
            raise ValueError(str(error)) from error
        reports.append(Report(inputs=inputs, all_findings=tuple(settings.silenced(findings) if settings else findings)))
    for sentence in dict.fromkeys(sentence for report in reports for sentence in report.unchecked):
        streams.say(f"talos-gpu why: {sentence}")
    return {rule: rule_answer(rule, reports) for rule in rules}
