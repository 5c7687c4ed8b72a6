"""The command `check`: known failure modes in anybody's YAML, before it reaches a node."""

from __future__ import annotations

import argparse
import gc
import io
import os
import shutil
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._arguments.errors import wrong
from .nodes_flags import add_nodes_flags, classes_of, reason
from .progress import Progress

if TYPE_CHECKING:
    from ..checks.model import Inputs
    from ..checks.report import Report

_Commands = Any  # argparse has no public name for it
_FORMATS = ("text", "json", "sarif", "github")
_EXAMPLE = """\
talos-gpu check manifests/ --talos 1.13
helm template gpu-operator nvidia/gpu-operator --version v26.7.0 | talos-gpu check - --talos 1.13
talos-gpu check values.yaml --chart gpu-operator@v26.7.0 --talos 1.12
talos-gpu check --explain TG007"""


def add_check(commands: _Commands) -> None:
    """The command, with an example."""
    about = "known failure modes of NVIDIA GPUs on Talos, in manifests, charts' values and machine configurations"
    parser: argparse.ArgumentParser = commands.add_parser(
        "check", help=about, description=about[0].upper() + about[1:] + ". The exit status is 1 when there is an error.",
        epilog="examples:\n" + textwrap.indent(_EXAMPLE, "  "), formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.set_defaults(run=check)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a file, a folder, or - for standard input")
    parser.add_argument("--kubernetes", metavar="VERSION", help="the cluster's Kubernetes, such as 1.35")
    parser.add_argument("--chart", metavar="NAME[@VERSION]", help="what bare values are for, such as gpu-operator@v26.7.0")
    parser.add_argument("--format", choices=_FORMATS, default="text", help="default: text")
    parser.add_argument("--select", action="append", metavar="IDS", help="only these rules, such as TG007,TG040")
    parser.add_argument("--ignore", action="append", metavar="IDS", help="all rules but these")
    parser.add_argument("--capacity", action="store_true", help="also who asks for which GPUs, of those that the nodes offer")
    parser.add_argument("--explain", metavar="ID", help="what a rule says of itself, with its examples")
    parser.add_argument("--list", action="store_true", help="all rules, a line each")
    parser.add_argument("--output", metavar="FILE", help="write it into this file; default: standard output")
    add_nodes_flags(parser, talos="default: the one that all files agree about")


def check(given: argparse.Namespace) -> str:
    """Judge what was given, and leave the exit status in `given.status`."""
    from ..checks.engine import judge, known, rules_of
    from ..checks.formats.explain import explained, listed
    from ..checks.report import Report
    from ..checks.rules import RULES

    if given.explain:
        known("explain", [given.explain])
        return explained(RULES[given.explain])
    if given.list:
        return listed(rules_of())
    if given.capacity and given.format != "text":
        raise wrong("capacity", "given with --format text", given.format, "it is a table for people")
    select, ignore = _ids(given.select), _ids(given.ignore)
    rules_of(select, ignore)
    with Progress(sys.stderr, "talos-gpu check: reading") as progress, _no_garbage():
        inputs = _read(given)
        progress.doing = f"talos-gpu check: judging {len(inputs.objects)} objects"
        try:
            findings = judge(inputs, select=select, ignore=ignore)
        except (TypeError, ValueError, OSError) as error:
            raise RuntimeError("a rule could not judge what was read, which is a fault of the rule's") from error
    report = Report(inputs=inputs, all_findings=tuple(findings))
    given.status = int(report.failed)
    return _written(report, given)


@contextmanager
def _no_garbage() -> Iterator[None]:
    """Everything that is read is kept to the end: a collector would walk through all of it again and again, and find nothing."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _ids(given: list[str] | None) -> list[str]:
    return [each.strip() for ids in given or () for each in ids.split(",") if each.strip()]


def _read(given: argparse.Namespace) -> Inputs:
    from ..checks.loaders.repository import read

    if not given.paths:
        raise ValueError("a PATH must be given, a file or a folder; - is standard input")
    paths = [each for each in given.paths if each != "-"]
    for each in paths:
        try:
            Path(each).stat()
        except OSError as error:
            raise ValueError(f"PATH must be a file or a folder (got {each!r}); {reason(error)}") from None
    return read(
        paths,
        stream=_standard_input() if "-" in given.paths else None,
        chart=given.chart,
        talos=given.talos_version,
        kubernetes=given.kubernetes,
        nodes=classes_of(given),
    )


def _standard_input() -> str:
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8-sig")
    try:
        return sys.stdin.read()
    except UnicodeDecodeError:
        raise ValueError("standard input must be text in UTF-8") from None


def _written(report: Report, given: argparse.Namespace) -> str:
    from ..checks.formats.github import github
    from ..checks.formats.json_format import as_json
    from ..checks.formats.sarif import sarif
    from ..checks.formats.text import text

    if given.format == "text":
        terminal = sys.stdout.isatty() and not given.output
        width = shutil.get_terminal_size().columns if terminal else None
        return text(report, colour=terminal and _has_colours(), width=width) + (_capacity(report.inputs) if given.capacity else "")
    for line in [report.counts, *(f"skipped {each}" for each in report.skipped)]:
        sys.stderr.write(f"talos-gpu check: {line}\n")
    return {"json": as_json, "sarif": sarif, "github": github}[given.format](report)


def _capacity(inputs: Inputs) -> str:
    from ..checks.facts.gpu_usage import table_text, usage

    return "\n" + table_text(usage(inputs), inputs.nodes)


def _has_colours() -> bool:
    """Whether the terminal has colours and its user wants them: https://no-color.org."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
