"""The command `talos-gpu rehearse`: plan, question, cluster, report."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from pathlib import Path

from constructs_lib.arguments.errors import wrong
from constructs_lib.cli import streams
from constructs_lib.cli.synth_command import terminable

from . import report
from .build import missing, program
from .classes import other_node, rehearsed_nodes
from .cluster import Cluster as RealCluster
from .docker import VOLUME, docker_arguments, inner_words
from .errors import RehearsalError
from .go_module import DEFAULT_PROXY, proxy
from .manifest_images import images_of
from .needs import lacking
from .observation import Cluster
from .plan import Plan, needed
from .run import rehearsed
from .scene import scene_of
from .sources import SOURCES, cache
from .subject import subject_of

Start = Callable[[Plan], AbstractContextManager[Cluster]]
_FAILED, _CANNOT = 1, 2
_IMPORTED = ("constructs_lib", "talos_gpu_rehearsal", "attr", "attrs", "yaml")
"""The packages that the command needs in a container, beside Python itself."""


def rehearse(options: argparse.Namespace, start: Start | None = None) -> list[str]:
    """The report, and the exit status in `options.status`. `start` starts the cluster of a plan; default: a real one."""
    if not isinstance(options.wait, int) or options.wait < 1:
        raise wrong("wait", "a whole number of seconds of at least 1", options.wait)
    if options.docker and "-" in options.paths:
        raise wrong("paths", "files or folders with --docker", "-", "standard input does not reach the container")
    plan = planned(options)
    if options.plan:
        return [f"{line}\n" for line in plan.lines()]
    if options.docker:
        return _in_docker(options, plan)
    if start is None and (lacks := lacking(plan.unbuilt)):
        return _refused(options, lacks)
    for line in plan.lines():
        streams.say(line)
    if plan.unbuilt and not options.yes and not _agreed():
        return _refused(options, ["the programs are not built yet, and nobody agreed to it; run it on a terminal, or with --yes"])
    try:
        with terminable(), (start or _started)(plan) as cluster:
            outcome = rehearsed(plan, cluster, wait=options.wait, say=_say)
    except (RehearsalError, OSError, subprocess.CalledProcessError) as error:
        return _refused(options, str(error).splitlines())
    options.status = 0 if outcome.is_well else _FAILED
    return [report.as_json(plan.name, outcome)] if options.format == "json" else list(report.text(plan.name, outcome))


def planned(options: argparse.Namespace) -> Plan:
    """The plan for the paths and flags of the command."""
    subject = subject_of(options)
    nodes = rehearsed_nodes(subject)
    if not nodes:
        raise ValueError("a class of GPU nodes for containers must be described; the cards of all classes belong to virtual machines")
    scene = scene_of(subject, nodes)
    images = images_of(scene.objects)
    names = needed(nodes, images)
    unbuilt = tuple(SOURCES[each] for each in (names if options.docker else missing(names)))
    place = f"the volume {VOLUME} of Docker, unless it has them" if options.docker else str(cache())
    return Plan(
        subject.name,
        tuple(nodes),
        scene,
        images,
        subject.left_out,
        unbuilt,
        DEFAULT_PROXY if options.docker else proxy(),
        place,
        other_node(nodes, scene.objects),
    )


def _agreed() -> bool:
    """Whether somebody at a terminal agrees to the download and the build."""
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    streams.say("Download and build? [y/N] ")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _refused(options: argparse.Namespace, sentences: Sequence[str]) -> list[str]:
    for each in sentences:
        _say(each)
    options.status = _CANNOT
    return []


def _say(sentence: str) -> None:
    streams.say(f"talos-gpu rehearse: {sentence}")


def _in_docker(options: argparse.Namespace, plan: Plan) -> list[str]:
    """The report of the same command in a container. Its status is that of this command."""
    paths = {name: Path(found.origin).parent for name in _IMPORTED if (found := find_spec(name)) and found.origin}
    named = [Path(each) for each in options.paths]
    words = docker_arguments(inner_words(sys.argv[2:]), folder=Path.cwd(), named=named, packages=paths)
    for line in (*plan.lines(), f"+ {' '.join(words)}"):
        streams.say(line)
    if not options.yes and not _agreed():
        return _refused(
            options, ["a container of Docker gets every right on this machine, and nobody agreed to it; use a terminal, or --yes"]
        )
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603  # our own words
    except OSError:
        return _refused(options, ["docker is not on the PATH; install it, or run the rehearsal as root on Linux"])
    options.status = done.returncode if done.returncode in (0, _FAILED) else _CANNOT
    return [done.stdout]


@contextmanager
def _started(plan: Plan) -> Iterator[Cluster]:
    """A real cluster with the nodes of a plan and the images of its objects."""
    for each in plan.unbuilt:
        program(each.name)
    with tempfile.TemporaryDirectory(prefix="talos-gpu-") as folder:
        nodes = [each.spec for each in plan.nodes] + ([plan.other] if plan.other else [])
        _say(f"starting a control plane and {len(nodes)} node{'s' * (len(nodes) > 1)}")
        with RealCluster(Path(folder, "cluster"), nodes, plan.images) as cluster:
            yield cluster
