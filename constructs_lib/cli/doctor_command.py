"""The command `doctor`: from the outputs of kubectl and talosctl to the cause of a missing GPU."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..arguments.errors import wrong
from ..arguments.printable import printable
from . import streams
from .command_parser import Commands, add_verb
from .flags import Parser, add_flag
from .nodes_flags import number

if TYPE_CHECKING:
    from ..doctor.differences import Comparison
    from ..doctor.doctor_report import DoctorReport
    from ..doctor.formats.doctor_text import Style
    from ..doctor.gpu_cluster import GpuCluster
    from ..doctor.placeholders import ProgramFlags
    from ..observed.model.dump import Dump

_FORMATS = ("text", "markdown", "json")
_CAUSE_FOUND, _NOTHING_READ, _NOT_JUDGED = 1, 2, 3
_STATUS = (
    "The exit status is 0 when each step from the image to the program is healthy, 1 when a cause was found, 2 when nothing could be read, and 3 when "
    "too little was read to judge."
)
_PATHS = (
    "files, folders and archives with outputs of kubectl and talosctl, such as the bundle of talosctl support; - for standard input; and a cluster file, "
    "with which the report compares what was read"
)
_EXAMPLES = """\
examples:
  talos-gpu doctor --live
  talos-gpu doctor cluster.yaml --live
  kubectl get nodes,pods,events,daemonsets,runtimeclasses -A -o yaml | talos-gpu doctor -
  talos-gpu doctor support.zip dmesg.log --format markdown --output report.md
  talos-gpu doctor --collect > collect.sh"""


def add_doctor(commands: Commands) -> None:
    """Add the command and its flags."""
    about = "find the cause of a missing GPU in the outputs of kubectl and talosctl"
    parser = add_verb(commands, doctor, about, _EXAMPLES, f". {_STATUS}")
    parser.set_defaults(talos_version=None, mps=None)
    parser.add_argument("paths", nargs="*", metavar="PATH", help=_PATHS)
    add_flag(parser, "--format", "default: text", choices=_FORMATS, default="text")
    add_flag(parser, "--output FILE")
    add_flag(parser, "--cluster NAME", "the cluster of a cluster file with several")
    add_flag(parser, "--pod NAMESPACE/NAME", "only this GPU pod, or the pods of this Deployment, StatefulSet or Job, and their nodes")
    add_flag(
        parser,
        "--report",
        "Markdown for an issue of Talos, its extensions, the GPU operator or the device plugin, with pseudonyms for all names",
    )
    group = parser.add_argument_group("live", "read-only commands; they never read Secrets")
    add_flag(group, "--live", "run your kubectl and talosctl; each command is printed before it runs")
    add_access_flags(group, "with --live: ")
    add_flag(
        group,
        "--watch SECONDS",
        "with --live: read again after so many seconds, and print the time and the changes, until Ctrl-C",
        type=number,
    )
    add_flag(group, "--collect", "print a shell script that gathers the same outputs, for somebody else to run")


def add_access_flags(parser: Parser, when: str = "") -> None:
    """Add the flags by which kubectl and talosctl reach a cluster."""
    add_flag(parser, "--context NAME", f"{when}the context of kubectl; default: the current one")
    add_flag(parser, "--talosconfig FILE", f"{when}the configuration of talosctl; default: its own")
    add_flag(parser, "--talos-context NAME", f"{when}the context of talosctl; default: the current one")
    add_flag(
        parser,
        "--talosctl-nodes ADDRESSES",
        f"{when}the addresses for talosctl, such as 10.0.0.5,10.0.0.6; default: the internal addresses of the GPU nodes",
    )


def doctor(options: argparse.Namespace) -> list[str]:
    """The report, and the exit status in `options.status`."""
    _check(options)
    if options.collect:
        from ..doctor.collect import collect_script

        return [collect_script()]
    compare = _comparison(options)
    if options.watch is not None:
        _watch(options, compare)
    return _parts(_report(options, set(), compare), options)


def _comparison(options: argparse.Namespace) -> Callable[[GpuCluster], Comparison]:
    """The comparison with the cluster file among the paths, which is no input of the diagnosis."""
    from ..doctor.differences import Comparison
    from .cluster_files import split, synthesized_cluster

    file, options.paths = split(options.paths)
    if file is None:
        if options.cluster is not None:
            raise wrong("cluster", "given with a cluster file", options.cluster)
        return lambda _: Comparison()
    if options.report:
        raise ValueError(f"--report must be given without a cluster file (got {file.path}), whose names it would show")
    if not (options.live or options.paths):
        raise ValueError(f"a PATH with what was read must be given beside the cluster file {file.path}, or --live")
    from ..clusters.verification import dump_differences, node_differences

    _, description, result = synthesized_cluster(file, options.cluster)
    objects = [each for made in result.objects.values() for each in made]

    def compare(cluster: GpuCluster) -> Comparison:
        of_nodes = node_differences(description.classes, result.nodes, cluster)
        return Comparison(file.path, (*of_nodes, *dump_differences(objects, cluster.dump)))

    return compare


def _check(options: argparse.Namespace) -> None:
    if options.report and options.format != "text":
        raise ValueError("--report must be given without --format; it prints Markdown")
    if options.collect:
        if options.live or options.paths:
            raise ValueError("--collect must be given alone; the script that it prints reads the cluster")
        return
    check_live(options)
    if not (options.live or options.paths):
        raise ValueError("a PATH must be given, or - for standard input, or --live; --collect prints a script for somebody else")


def check_live(options: argparse.Namespace) -> None:
    """Refuse flags of a live run that are given without `--live`, or with values that can't be."""
    contexts = (("--context", options.context), ("--talosconfig", options.talosconfig), ("--talos-context", options.talos_context))
    for flag, value in contexts:
        if value is not None and (not value or printable(value) != value):
            raise ValueError(f"{flag} must be a name on one line (got {value!r})")
    for flag, value in (*contexts, ("--talosctl-nodes", options.talosctl_nodes), ("--watch", options.watch)):
        if value is not None and not options.live:
            raise ValueError(f"{flag} must be given with --live")
    if options.watch is not None and (not isinstance(options.watch, int) or options.watch < 1):
        raise wrong("watch", "a whole number of seconds of at least 1", options.watch)
    if options.watch is not None and (options.output is not None or options.report or options.format != "text"):
        raise ValueError("--watch must be given without --format, --report and --output; it prints what changes as text")


def _report(options: argparse.Namespace, shown: set[str], compare: Callable[[GpuCluster], Comparison]) -> DoctorReport:
    from dataclasses import replace

    from ..doctor.diagnosis import diagnose
    from ..doctor.doctor_report import Outcome, doctor_report
    from ..doctor.gpu_cluster import GpuCluster

    with dump_of(options, shown) as dump:
        cluster = GpuCluster(dump)
        report = doctor_report(diagnose(cluster), programs_of(options), options.pod)
        report = replace(report, comparison=compare(cluster))
    statuses = {Outcome.BROKEN: _CAUSE_FOUND, Outcome.UNBROKEN: 0, Outcome.UNJUDGED: _NOT_JUDGED}
    options.status = statuses.get(report.outcome, _NOTHING_READ)
    return report


@contextmanager
def dump_of(options: argparse.Namespace, shown: set[str]) -> Iterator[Dump]:
    """The dump of the given files, of standard input, and of the running cluster."""
    from ..doctor.dump_reader import read_dump
    from .files import existing

    paths = existing(options.paths)
    stream = streams.stdin().read() if "-" in options.paths else None
    if not options.live:
        yield read_dump(paths, stream=stream)
        return
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="talos-gpu-") as temporary:
        folder = Path(temporary, "live")
        _read_live(folder, options, shown)
        yield read_dump([folder, *paths], stream=stream)


def _read_live(folder: Path, options: argparse.Namespace, shown: set[str]) -> None:
    from ..doctor.dump_reader import read_dump
    from ..doctor.gpu_cluster import GpuCluster
    from ..doctor.one_pod import pods_named
    from .live_commands import PROGRAMS, LiveCommands, of_kubernetes, of_machines

    live = LiveCommands(folder, programs_of(options), shown, options.run.__name__)
    missing = live.missing()
    if len(missing) == len(PROGRAMS):
        raise ValueError(
            "--live needs kubectl or talosctl in $PATH; talos-gpu doctor --collect prints a script for a machine that has them"
        )
    for each in missing:
        rest = "the objects of Kubernetes are" if each == "kubectl" else "the machines are"
        if each not in shown:
            shown.add(each)
            live.say(f"{each} is not in $PATH, so {rest} not read")
    of_kubernetes(live)
    cluster = GpuCluster(read_dump([folder]))
    only = pods_named(cluster, options.pod) if options.pod is not None and live.answered else []
    of_machines(live, cluster, _addresses(options.talosctl_nodes), only)
    if not live.answered:
        raise ValueError("the cluster can't be read: no command of kubectl or talosctl succeeded")


def programs_of(options: argparse.Namespace) -> ProgramFlags:
    """The flags by which both programs speak of the cluster that was asked about, also in the commands that the report
    prints."""
    from ..doctor.placeholders import ProgramFlags

    return ProgramFlags(context=options.context or "", talosconfig=options.talosconfig or "", talos_context=options.talos_context or "")


def _addresses(given: str | None) -> list[str]:
    from ..observed.model.live_object import parsed

    words = [each.strip() for each in (given or "").split(",") if each.strip()]
    addresses = [parsed(each) for each in words]
    if given is not None and not (addresses and all(addresses)):
        raise ValueError(f"--talosctl-nodes must be addresses with commas between them, such as 10.0.0.5,10.0.0.6 (got {given!r})")
    return addresses


def _watch(options: argparse.Namespace, compare: Callable[[GpuCluster], Comparison]) -> None:
    """Print the report, and then what changes, until Ctrl-C."""
    from ..doctor.formats.doctor_text import doctor_text, round_text
    from .doctor_watch import watch

    shown: set[str] = set()
    style = _style(to_file=False)
    watch(
        lambda: _report(options, shown, compare),
        streams.answer,
        lambda report: doctor_text(report, style),
        lambda before, report: round_text(before, report, style),
        options.watch,
    )


def _parts(report: DoctorReport, options: argparse.Namespace) -> list[str]:
    """The report in the chosen format."""
    if options.report:
        from dataclasses import replace

        from ..doctor.formats.issue_markdown import issue_markdown
        from ..doctor.placeholders import ProgramFlags

        return [issue_markdown(replace(report, programs=ProgramFlags()))]  # a context has a name of the cluster, too
    from ..doctor.formats.doctor_json import doctor_json
    from ..doctor.formats.doctor_markdown import doctor_markdown
    from ..doctor.formats.doctor_text import doctor_text

    if options.format == "json":
        return list(doctor_json(report))
    if options.format == "markdown":
        return list(doctor_markdown(report))
    return list(doctor_text(report, _style(to_file=options.output is not None)))


def _style(*, to_file: bool) -> Style:
    """The style of text for the terminal, or for a file."""
    from ..doctor.formats.doctor_text import Style

    colour, width = streams.terminal(to_file=to_file)
    return Style(colour=colour, width=width, ascii_only=not (to_file or streams.is_unicode()))
