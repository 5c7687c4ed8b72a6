"""The command `check`: known failure modes in manifests, chart values and machine configurations, found before a deployment."""

from __future__ import annotations

import argparse
import gc
import os
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._arguments.errors import Refusal, wrong
from . import streams
from .nodes_flags import add_nodes_flags, classes_of, reason
from .progress import Progress

if TYPE_CHECKING:
    from ..checks.model import Inputs
    from ..checks.report import Report

_Commands = Any  # argparse has no public name for it
_FORMATS = ("text", "json", "sarif", "github")
_NOT_CHECKED = 2
_STATUS = "The exit status is 1 when there is an error, and 2 when a rule failed or nothing was checked in a given file or folder."
_EXAMPLE = """\
talos-gpu check manifests/ --talos 1.13
helm template gpu-operator nvidia/gpu-operator --version v26.7.0 | talos-gpu check - --talos 1.13
talos-gpu check values.yaml --chart gpu-operator@v26.7.0 --talos 1.12
talos-gpu check manifests/ --talos 1.13 --diff
talos-gpu check --explain TG007"""


def add_check(commands: _Commands) -> None:
    """Add the command and its flags."""
    about = "find known failure modes of NVIDIA GPUs on Talos in manifests, chart values and machine configurations"
    parser: argparse.ArgumentParser = commands.add_parser(
        "check", help=about, description=about[0].upper() + about[1:] + f". {_STATUS}",
        epilog="examples:\n" + textwrap.indent(_EXAMPLE, "  "), formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.set_defaults(run=check)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a file, a folder, or - for standard input")
    parser.add_argument("--kubernetes", metavar="VERSION", help="the Kubernetes version of the cluster, such as 1.35")
    parser.add_argument("--chart", metavar="NAME[@VERSION]", help="the chart of a plain values file, such as gpu-operator@v26.7.0")
    parser.add_argument("--format", choices=_FORMATS, default="text", help="default: text")
    parser.add_argument("--select", action="append", metavar="IDS", help="only these rules, such as TG007,TG040")
    parser.add_argument("--ignore", action="append", metavar="IDS", help="all rules except these")
    parser.add_argument("--capacity", action="store_true", help="add a table of the GPUs that workloads request and nodes offer")
    parser.add_argument("--explain", metavar="ID", help="print the description of a rule with its examples")
    parser.add_argument("--list", action="store_true", help="list all rules")
    parser.add_argument("--output", metavar="FILE", help="write the output to this file; default: standard output")
    group = parser.add_argument_group("fixes", "fixes of one value or one line, which keep every other byte of a file")
    group.add_argument("--fix", action="store_true", help="make the safe fixes in the files, and report what remains")
    group.add_argument("--diff", action="store_true", help="print the safe fixes as a unified diff, and write nothing")
    group.add_argument("--unsafe-fixes", action="store_true", help="with --fix or --diff: also fixes that may change more than the finding")
    add_nodes_flags(parser, talos="default: the version in the files, when all files have the same")


def check(options: argparse.Namespace) -> str:
    """Check the inputs, and set the exit status in `options.status`."""
    from ..checks.engine import known, rules_of, rules_without_talos, run_rules
    from ..checks.formats.explain import explained, listed
    from ..checks.report import Report
    from ..checks.rules import RULES
    from . import fix_flags  # imported here, as only this command needs the module

    if options.explain:
        known("explain", [options.explain])
        return explained(RULES[options.explain])
    if options.list:
        return listed(rules_of())
    if options.capacity and options.format not in ("text", "json"):
        raise wrong("capacity", "given with --format text or json", options.format, "the other formats have no place for a table")
    fix_flags.check_fix_flags(options)
    select, ignore = _ids(options.select), _ids(options.ignore)
    rules_of(select, ignore)
    with Progress(sys.stderr, "talos-gpu check: reading") as progress, _no_garbage():
        inputs = _read(options)
        fixes = fix_flags.fixed(options, lambda texts: _read(options, texts), inputs, select, ignore)
        inputs = fixes.inputs if fixes else inputs
        progress.doing = f"talos-gpu check: checking {len(inputs.objects)} objects"
        crashes: list[str] = []
        findings = run_rules(inputs, select=select, ignore=ignore, crashes=crashes)
    not_applied = len(rules_without_talos(inputs, select=select, ignore=ignore))
    report = Report(inputs=inputs, all_findings=tuple(findings), not_applied=not_applied, crashes=tuple(crashes))
    options.status = _NOT_CHECKED if report.unchecked else int(report.failed)
    if fixes and options.diff:
        return fix_flags.diff(fixes, to_file=options.output is not None)
    with _crash_named("the report", "so there is none"):
        return _written(report, options)


@contextmanager
def _crash_named(subject: str, consequence: str) -> Iterator[None]:
    """Turn an exception that no input should raise into one sentence. A refusal of an argument stays as it is."""
    from ..checks.crash import described

    try:
        yield
    except (Refusal, BrokenPipeError):
        raise
    except Exception as error:
        raise ValueError(described(subject, error, consequence)) from error


@contextmanager
def _no_garbage() -> Iterator[None]:
    """Disable the garbage collector: all inputs stay in memory to the end, so a collection would free nothing."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _ids(lists: list[str] | None) -> list[str]:
    return [rule.strip() for ids in lists or () for rule in ids.split(",") if rule.strip()]


def _read(options: argparse.Namespace, texts: Mapping[Path, str] | None = None) -> Inputs:
    from ..checks.loaders.repository import read

    if not options.paths:
        raise ValueError("a PATH must be given, a file or a folder; - is standard input")
    paths = [path for path in options.paths if path != "-"]
    for path in paths:
        if not path:
            raise ValueError("PATH must be a file or a folder (got ''); is a variable of the shell empty?")
        try:
            Path(path).stat()
        except OSError as error:
            raise ValueError(f"PATH must be a file or a folder (got {path!r}); {reason(error)}") from None
    stream, nodes = streams.question() if "-" in options.paths else None, classes_of(options)
    with _crash_named("the reader of the files", "so nothing was checked"):
        return read(
            paths, stream=stream, texts=texts, chart=options.chart, talos=options.talos_version, kubernetes=options.kubernetes, nodes=nodes
        )


def _written(report: Report, options: argparse.Namespace) -> str:
    from ..checks.formats.capacity_table import capacity_json, capacity_text
    from ..checks.formats.github import github
    from ..checks.formats.json_format import as_json
    from ..checks.formats.sarif import sarif
    from ..checks.formats.text import text

    for sentence in report.unchecked:
        streams.say(f"talos-gpu check: {sentence}")
    if options.format == "text":
        terminal = options.output is None and sys.stdout is not None and sys.stdout.isatty()
        import shutil  # only a terminal needs it

        width = shutil.get_terminal_size().columns if terminal else None
        return text(report, colour=terminal and _has_colours(), width=width) + (
            "\n" + capacity_text(report.inputs) if options.capacity else ""
        )
    for line in filter(None, [report.counts, report.unknown_talos, *(f"skipped {skipped}" for skipped in report.skipped)]):
        streams.say(f"talos-gpu check: {line}")
    if options.format == "json":
        return as_json(report, capacity=capacity_json(report.inputs) if options.capacity else None)
    return {"sarif": sarif, "github": github}[options.format](report)


def _has_colours() -> bool:
    """Whether the terminal has colours, and the user has not disabled colours: https://no-color.org."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
