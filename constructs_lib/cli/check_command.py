"""The command `check`: known failure modes in manifests, chart values and machine configurations, found before a
deployment."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..arguments.errors import wrong
from ..arguments.printable import printable
from . import streams
from .command_parser import Commands, add_verb
from .flags import add_flag
from .nodes_flags import add_nodes_flags
from .settings_flags import add_settings_flag, apply_settings, classes_with, effects_of, roots_of, settings_of

_TRIED = 6  # The most readings of all files for the numbers below a report; --fix takes many more.


if TYPE_CHECKING:
    from ..checks.report import Report
    from ..checks.rule import Finding
    from ..checks.settings import Settings
    from ..observed.model import Inputs

_FORMATS = ("text", "json", "sarif", "github")
_NOT_CHECKED = 2
_STATUS = (
    "The exit status is 1 for an error in the files (--fail-on sets the severity). It is 2 when a rule failed, a given file or folder had nothing to "
    "check, or no GPU part was read."
)
_ROOT = (
    "the folders of one cluster, such as clusters/prod,talos/prod. Repeat the flag for each cluster: "
    "each is checked by itself, together with every PATH, and has its own report"
)
_EXAMPLES = """\
examples:
  talos-gpu check cluster.yaml
  talos-gpu check manifests/ --talos 1.13
  helm template gpu-operator nvidia/gpu-operator --version v26.7.0 | talos-gpu check - --talos 1.13
  talos-gpu check values.yaml --chart gpu-operator@v26.7.0 --talos 1.12
  talos-gpu check manifests/ --talos 1.13 --diff
  talos-gpu check --explain TG007
  talos-gpu check --explain TG053 manifests/ talos/"""


def add_check(commands: Commands) -> None:
    """Add the command and its flags."""
    from ..checks.rule import FAIL_ON

    about = "find known failure modes of NVIDIA GPUs on Talos in manifests, chart values and machine configurations"
    parser = add_verb(commands, check, about, _EXAMPLES, f". {_STATUS}")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a file, a folder, a cluster file, or - for standard input")
    add_flag(parser, "--kubernetes VERSION")
    add_flag(parser, "--chart NAME[@VERSION]")
    add_flag(parser, "--format", "default: text", choices=_FORMATS, default="text")
    add_flag(parser, "--remarks", "show remarks too; default: text counts them, and github leaves them out")
    add_flag(parser, "--all", "show remarks, every place and every skipped file; default: long lists are shortened")
    add_flag(parser, "--fail-on", "the lowest severity with the exit status 1; default: error", choices=FAIL_ON)
    add_flag(parser, "--select IDS", "only these rules, such as TG007,TG040", action="append")
    add_flag(parser, "--ignore IDS", "all rules except these", action="append")
    add_flag(parser, "--capacity", "add a table of the GPUs that workloads request and nodes offer")
    add_flag(parser, "--explain ID", "print a rule with its examples; with PATH: print its findings, with each place that was read")
    add_flag(parser, "--list", "list all rules")
    add_flag(parser, "--output FILE")
    add_flag(parser, "--root FOLDERS", _ROOT, action="append")
    add_settings_flag(parser)
    group = parser.add_argument_group("fixes", "fixes of one value or one line, which keep every other byte of a file")
    add_flag(group, "--fix", "apply the safe fixes to the files, and report the remaining findings")
    add_flag(group, "--diff", "print the safe fixes as a unified diff, and write nothing")
    add_flag(group, "--unsafe-fixes", "with --fix or --diff: also fixes that may change more than the finding")
    add_nodes_flags(parser, talos="default: the version in the files, when all files have the same")


def check(options: argparse.Namespace) -> str | list[str]:
    """Check the inputs, and set the exit status in `options.status`."""
    from ..checks.engine import known, rules_of
    from ..checks.rules import RULES
    from . import fix_flags  # imported here, as only this command needs the module

    if options.explain or options.list:
        from ..checks.formats.explain import explained, listed

    if options.explain:
        known("explain", [options.explain])
        if not (options.paths or options.root):
            return explained(RULES[options.explain])
        options.select, options.ignore = [options.explain], None
    if options.list:
        return listed(rules_of())
    if options.capacity and options.format not in ("text", "json"):
        raise wrong("capacity", "given with --format text or json", options.format, "the other formats have no place for a table")
    fix_flags.check_fix_flags(options)
    select, ignore = _ids(options.select), _ids(options.ignore)
    rules_of(select, ignore)
    settings = settings_of(options)
    run = _Run(options=options, select=select, ignore=ignore, settings=settings, subjects=apply_settings(options, settings))
    roots = roots_of(options, settings)
    run.effects = effects_of(options, settings, has_roots=bool(roots))
    if roots:
        from .settings_flags import for_each_root

        fix_flags.check_roots(options, roots)
        parts = [for_each_root(options, roots, lambda paths: "".join(_checked(paths, run)))]
    else:
        parts = _checked(options.paths, run)
    run.paths += options.paths
    return parts if options.diff else [*parts, *_unused(run)]


@dataclass(kw_only=True)
class _Run:
    """A call of the command: its options and settings, and what was checked so far."""

    options: argparse.Namespace
    select: list[str]
    ignore: list[str]
    settings: Settings | None
    subjects: set[str]
    """The subjects of the versions that the settings give."""
    effects: tuple[str, ...] = ()
    """A sentence about each way in which the settings make the report smaller."""
    paths: list[str] = field(default_factory=list)
    rules: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)


def _checked(paths: list[str], run: _Run) -> list[str]:
    """The report about the files and folders of one cluster, in parts, which need less memory than one text."""
    from ..checks.engine import rules_of, rules_without_talos, run_rules
    from ..checks.report import Report
    from . import fix_flags  # imported here, as only this command needs the module
    from .files import crash_named
    from .progress import Progress

    options, settings, rules = run.options, run.settings, {"select": run.select, "ignore": run.ignore}
    with Progress(sys.stderr, "talos-gpu check", "reading") as progress, _no_garbage():
        inputs = _read(paths, run)
        fixes = fix_flags.fixed(options, paths, lambda texts: _read(paths, run, texts), inputs, settings, **rules)
        inputs = fixes.inputs if fixes else inputs
        progress.doing = f"checking {len(inputs.objects)} objects"
        crashes: list[str] = []
        findings = run_rules(inputs, **rules, crashes=crashes)
    not_applied = rules_without_talos(inputs, **rules)
    if settings is not None:
        run.paths += paths
        run.rules |= {rule.id for rule in rules_of(**rules)} - {rule.id for rule in not_applied}
        silenced_rules = {entry.rule for entry in settings.ignore}
        run.findings += (finding for finding in findings if finding.rule in silenced_rules)
        findings = settings.silenced(findings)
    if options.format == "text" and not (options.fix or options.diff) and any(finding.fixed_by for finding in findings):
        from ..checks.fixes.fixer import fix_outcomes, with_fixes

        with Progress(sys.stderr, "talos-gpu check", "trying the fixes"):
            # Standard input is read once, and --fix refuses it.
            outcomes = (
                ()
                if "-" in paths
                else fix_outcomes(lambda texts: _read(paths, run, texts), inputs, map(Path, paths), settings, **rules, most_readings=_TRIED)
            )
        findings = with_fixes(findings, outcomes)
    report = Report(
        inputs=inputs,
        all_findings=tuple(findings),
        not_applied=len(not_applied),
        crashes=tuple(crashes),
        settings=None if settings is None else settings.file,
        effects=run.effects,
    )
    options.status = _NOT_CHECKED if report.unchecked else _fails(report, options.fail_on)
    if fixes and options.diff:
        return [fix_flags.diff(fixes, to_file=options.output is not None)]
    with crash_named("the report", "so there is none"):
        return list(_parts(report, options))


def _unused(run: _Run) -> list[str]:
    """The sentences about ignores that match no finding: below the report for people, or on standard error."""
    if run.settings is None:
        return []
    paths = run.paths if run.options.paths or run.options.root else [str(run.settings.folder)]
    sentences = [printable(each) for each in run.settings.unused(run.findings, run.rules, paths)]
    if run.options.format == "text":
        return [f"{each}\n" for each in sentences]
    for each in sentences:
        streams.say(f"talos-gpu check: {each}")
    return []


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


def _read(paths: list[str], run: _Run, texts: Mapping[Path, str] | None = None) -> Inputs:
    from .files import read_inputs

    nodes = classes_with(run.options, run.settings)
    return read_inputs(paths, run.options, settings=run.settings, subjects=run.subjects, nodes=nodes, texts=texts)


def _fails(report: Report, fail_on: str) -> bool:
    from ..checks.formats.text import worst_first
    from ..checks.rule import Severity

    least = {"error": Severity.ERROR, "warning": Severity.WARNING, "remark": Severity.INFO}
    return fail_on in least and bool(worst_first(report.findings, least=least[fail_on]))


def _parts(report: Report, options: argparse.Namespace) -> Iterator[str]:
    """The report in the chosen format, after the sentences for people on standard error."""
    for sentence in report.unchecked:
        streams.say(f"talos-gpu check: {sentence}")
    remarks = options.remarks or options.all or options.fail_on == "remark"
    if options.explain and options.format == "text":
        from ..checks.formats.explain import explained_findings
        from ..checks.rules import RULES

        yield from explained_findings(RULES[options.explain], report)
        return
    if options.format == "text":
        from ..checks.formats.text import text

        colour, width = streams.terminal(to_file=options.output is not None)
        yield from text(report, colour=colour, width=width, remarks=remarks, everything=options.all, is_fixed=options.fix)
        if options.capacity:
            from ..checks.formats.capacity_table import capacity_text

            yield f"\n{capacity_text(report.inputs)}"
        return
    from ..checks.formats.text import notes

    shows_remarks = remarks or options.format != "github"
    for sentence in (*report.head, report.counts, *notes(report, remarks=shows_remarks, everything=options.all)):
        streams.say(f"talos-gpu check: {sentence}")
    if options.format == "json":
        from ..checks.formats.capacity_table import capacity_json
        from ..checks.formats.programs import as_json

        yield from as_json(report, capacity=capacity_json(report.inputs) if options.capacity else None)
    elif options.format == "sarif":
        from ..checks.formats.programs import sarif

        yield from sarif(report)
    else:
        from ..checks.formats.programs import github

        yield from github(report, remarks=remarks)
