"""The command `synth`: the manifests and the Talos files of clusters, from one file, without a cdk8s app and without
Node."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import signal
import sys
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..arguments.commands import command
from ..arguments.errors import wrong
from ..arguments.spelling import did_you_mean
from . import streams
from .cluster_files import file_text
from .command_parser import Commands, add_verb
from .flags import add_flag
from .nodes_flags import number


class _TerminatedError(BaseException):
    """SIGTERM has come."""


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """End the block with its clean-up at SIGTERM, and then the process by SIGTERM. A second SIGTERM ends the process at
    once."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:  # another program's process
        yield
        return
    signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    except _TerminatedError:
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _terminate(*_: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    raise _TerminatedError


if TYPE_CHECKING:
    from ..clusters.cluster_file import ClusterFile
    from ..clusters.fleet import Outcome
    from ..clusters.fleet_delivery import FleetDelivery
    from ..clusters.messages import SharedMessages
    from ..clusters.output_folder import OutputFolder

Description = Mapping[str, Any]

_FAILED, _REFUSED = 1, 2
_NODES_FLAGS = ("talos_version", "output")
_MORE = (
    ": OUT/<cluster>/manifests, OUT/<cluster>/talos and OUT/<cluster>/README.md. The exit status is 1 when the rules of talos-gpu check find an error, and 2 for an error in "
    "the file. An error leaves all files unchanged."
)
_EXAMPLES = """\
examples:
  talos-gpu synth cluster.yaml
  talos-gpu synth fleet.yaml --output-folder clusters --changed --jobs 4
  talos-gpu synth cluster.yaml --print | kubectl diff -f -
  talos-gpu synth --schema > cluster-schema.json"""


_DEFAULT = "cluster.yaml"
"""The file that `init` writes by default."""


def add_synth(commands: Commands) -> None:
    """Add the command and its flags."""
    about = "write the manifests and the Talos files of clusters, from one file"
    parser = add_verb(commands, synth, about, _EXAMPLES, _MORE)
    parser.set_defaults(**dict.fromkeys(_NODES_FLAGS))
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help=f"the cluster file, as docs/cluster-file.md describes it; default: {_DEFAULT}"
    )
    add_flag(parser, "--output-folder OUT", "the folder of the clusters' folders; default: dist", default="dist")
    add_flag(parser, "--no-check", "don't apply the rules of talos-gpu check to the manifests")
    add_flag(parser, "--no-page", "don't write OUT/<cluster>/README.md, the page with the steps, the proof and the derived values")
    add_flag(parser, "--changed", "skip each cluster whose folder is up to date")
    add_flag(parser, "--jobs N", "synthesize in at most N processes; 0 for one on each processor; default: 1", type=number, default=1)
    add_flag(parser, "--cluster NAME", "synthesize only this cluster; default: every cluster of the file")
    add_flag(parser, "--print", "print the manifests of the cluster instead of writing files")
    add_flag(parser, "--schema", "print the JSON Schema of cluster files, for editors, and end")


def synth(options: argparse.Namespace) -> list[str]:
    """A line for each cluster, and the exit status in `options.status`."""
    if options.schema:
        from ..clusters.cluster_schema import schema_text

        return [schema_text()]
    if options.file is None:
        if not Path(_DEFAULT).is_file():
            raise ValueError(
                f"a FILE must be given, or {_DEFAULT} must be here: a cluster file; talos-gpu synth --schema prints its JSON Schema"
            )
        options.file = _DEFAULT
    from ..clusters.cluster_file import ClusterFile
    from ..clusters.file_values import FileError
    from ..clusters.fleet_delivery import fleet_delivery
    from ..clusters.messages import message_of

    options.jobs = _jobs(options.jobs)
    file = ClusterFile(options.file, file_text(options))
    try:
        content = file.content()
        every = dict(file.clusters(content))
        delivery = fleet_delivery(content["delivery"], every) if "delivery" in content else None
    except FileError as error:
        raise ValueError(str(message_of(file, error))) from None
    clusters, has_several = _chosen(every, options), "clusters" in content
    if options.printed:
        return _printed(options, file, *next(iter(clusters)), has_several=has_several)
    try:
        lines = _write(options, file, every, clusters, delivery, has_several=has_several)
    except OSError as error:
        raise wrong("output_folder", "a folder that can be written", options.output_folder, streams.reason(error)) from None
    return [] if options.status else lines


def _write(
    options: argparse.Namespace,
    file: ClusterFile,
    every: Mapping[str, Description],
    clusters: list[tuple[str, Description]],
    delivery: FleetDelivery | None,
    *,
    has_several: bool,
) -> list[str]:
    """Write the folders of the clusters, and that of the engines: all of them, or none where one has an error."""
    from ..clusters.fleet import Settings, outcomes, stage_delivery
    from ..clusters.messages import SharedMessages
    from ..clusters.output_folder import OutputFolder
    from .own_version import own_version
    from .progress import Progress

    output = OutputFolder(options.output_folder, options.file)
    left = _left(output, delivery, every)
    with terminable(), output.staging() as staging:
        settings = Settings(
            file,
            output,
            staging,
            own_version(),
            with_checks=not options.no_check,
            with_page=not options.no_page,
            only_changed=options.changed,
            has_several=has_several,
        )
        lines, notes, remarks, messages = [], list[str](), set[str](), SharedMessages()
        delivered = [] if delivery is None else [stage_delivery(settings, delivery.files(every))]
        with (
            contextlib.closing(outcomes(settings, clusters, options.jobs)) as of_clusters,
            Progress(sys.stderr, "talos-gpu synth", _doing(clusters, 0)) as progress,
        ):
            for number, outcome in enumerate(itertools.chain(of_clusters, delivered), start=1):
                progress.doing = _doing(clusters, number)
                _take(outcome, messages, options)
                remarks.add(outcome.remark)
                notes += outcome.notes
                lines.append(_line(Path(options.output_folder) / outcome.name, outcome))
                followed = outcome.followed if not has_several else ()
                lines += [f"  {each}\n" for each in followed]
        _tell(messages, remarks)
        if not options.status:
            output.take(staging)
            lines += _next(options, clusters)
            for note in (*notes, *left):
                streams.say(f"talos-gpu synth: {note}")
    return lines


def _doing(clusters: Sequence[tuple[str, Description]], number: int) -> str:
    """What the progress says after a number of outcomes."""
    if number >= len(clusters):
        return "writing"
    return f"synthesizing {clusters[number][0]}{f' ({number + 1} of {len(clusters)})' if len(clusters) > 1 else ''}"


def _next(options: argparse.Namespace, clusters: list[tuple[str, Description]]) -> list[str]:
    """What to do with the files."""
    if len(clusters) != 1:
        return []
    folder = Path(options.output_folder) / clusters[0][0]
    if options.no_page:
        return [f"next: {command('kubectl apply --server-side --recursive --filename {folder}', folder=folder / 'manifests')}\n"]
    return [
        f"next: {folder / 'README.md'} has the steps in their order: the image and the configuration of the nodes, the objects, and how to see that each step worked\n"
    ]


def _left(output: OutputFolder, delivery: FleetDelivery | None, clusters: Collection[str]) -> list[str]:
    """A sentence about the engines' folder of a file that has no delivery any more. Warns of an engine that reads
    another folder."""
    from ..clusters.fleet_delivery import FLEET

    if delivery is not None:
        delivery.warn_of_another_folder(str(output.root))
    return [] if delivery is not None or FLEET in clusters else output.left(FLEET)


def _chosen(clusters: Mapping[str, Description], options: argparse.Namespace) -> list[tuple[str, Description]]:
    """The clusters that the flags name."""
    if options.cluster is not None:
        if options.cluster not in clusters:
            raise wrong("cluster", "the name of a cluster of the file", options.cluster, did_you_mean(options.cluster, clusters))
        return [(options.cluster, clusters[options.cluster])]
    if options.printed and len(clusters) > 1:
        raise wrong("cluster", "given with --print", None, "the file has several clusters")
    return list(clusters.items())


def _printed(options: argparse.Namespace, file: ClusterFile, name: str, description: Description, *, has_several: bool) -> list[str]:
    """The manifests of a cluster as one YAML stream."""
    from ..clusters.fleet import printed
    from ..clusters.messages import SharedMessages

    outcome, parts = printed(file, name, description, with_checks=not options.no_check, has_several=has_several)
    messages = SharedMessages()
    _take(outcome, messages, options)
    _tell(messages, {outcome.remark})
    return parts


def _jobs(given: object) -> int:
    if not isinstance(given, int) or given < 0:
        raise wrong("jobs", "a whole number of at least 0", given)
    return given or os.cpu_count() or 1


def _take(outcome: Outcome, messages: SharedMessages, options: argparse.Namespace) -> None:
    """Take the errors and the warnings of a cluster, and remember the worst as the exit status."""
    messages.add(outcome.warnings, "warning: ")
    messages.add((*outcome.errors, *outcome.violations))
    status = _REFUSED if outcome.errors else _FAILED if outcome.violations else 0
    options.status = max(options.status, status)


def _tell(messages: SharedMessages, remarks: set[str]) -> None:
    """Write the errors, the warnings and the remarks to standard error."""
    for line in messages.lines():
        streams.say(f"talos-gpu synth: {line}")
    for remark in sorted(filter(None, remarks)):
        streams.say(f"talos-gpu synth: remark: {remark}")


def _line(folder: Path, outcome: Outcome) -> str:
    if outcome.is_skipped:
        return f"{folder}: unchanged\n"
    if outcome.number_of_files == 1:
        return f"{folder}: 1 file, {'written' if outcome.changed else 'unchanged'}\n"
    return f"{folder}: {outcome.number_of_files} files, {len(outcome.changed)} of them new or changed\n"
