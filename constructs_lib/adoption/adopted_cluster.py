"""The adoption of a tree.

The description of its cluster, what of the tree the description takes over, and what stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..arguments.patterns import pattern
from ..arguments.printable import printable
from ..checks.engine import run_rules
from ..checks.rule import Severity
from ..clusters.description import file_form
from ..clusters.file_values import FileError
from ..clusters.synthesis import synthesize
from ..manifests.objects import Manifest
from ..observed.agents.agents import agents, device_plugins
from ..observed.model import ChartRelease, Inputs, KubernetesObject, Read, at
from ..observed.pods.library_workloads import is_app_template
from ..observed.pods.workloads import workloads
from ..upstream.talos.features import RUNTIME_CLASS
from ..yaml.npm_bytes import stream
from .app_template import App
from .chart_parts import CONSTRUCTS, chart_part, refuse_lost_delivery
from .node_classes import NodeClasses, node_classes
from .plugin_parts import plugin_parts
from .talos_settings import talos_entries
from .tree import OF_NVIDIA, Left, Part, Tree, UnreadError, place, without_named
from .workload_parts import said, workload_part

_ROUNDS = 200
_JUDGED_BESIDE = ("Namespace", "RuntimeClass")
_RULE = pattern(r"TG\d+")
_RUNTIME_CLASS = "NvidiaRuntimeClass"


@dataclass
class Adoption:
    """A tree that was adopted."""

    inputs: Inputs
    nodes: NodeClasses
    tree: Tree
    parts: list[Part] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    """The parts of the GPU stack that the file does not have, each with the reason."""
    judged: list[FileError] = field(default_factory=list)
    """The warnings of the rules about the file that the tree does not have."""
    talos: list[dict[str, Any]] = field(default_factory=list)
    files: Mapping[str, str] = field(default_factory=dict)
    """The files that the cluster file synthesizes."""

    @property
    def description(self) -> dict[str, Any]:
        """The content of the cluster file."""
        charts: dict[str, Any] = {}
        for part in self.parts:
            charts.setdefault(chart_of(part), {"objects": {}})["objects"].update(part.objects)
        classes = self.nodes.classes
        return {
            "nodes": classes[0] if len(classes) == 1 else classes,
            **({"charts": charts} if charts else {}),
            **({"talos": self.talos[0] if len(self.talos) == 1 and len(classes) == 1 else self.talos} if self.talos else {}),
        }

    @property
    def text(self) -> str:
        """The cluster file."""
        return stream([file_form(self.description)])

    @property
    def beside(self) -> list[Manifest]:
        """The objects of the tree that stay, and beside which the file has to work."""
        taken = {id(each) for part in self.parts for each in part.replaces}
        staying = (each for each in self.tree.objects if id(each) not in taken and not each.gaps)
        return [each.body for each in staying if each.read.kind in _JUDGED_BESIDE or OF_NVIDIA.search(f"{each.body}")]


def adopt(inputs: Inputs, talos: str | None = None) -> Adoption:
    """Adopt a tree. Refuses a tree whose Talos version nobody knows."""
    nodes = node_classes(inputs, talos)
    adoption = Adoption(inputs, nodes, Tree(inputs, nodes))
    _add_parts(adoption)
    _settle(adoption)
    return adoption


def chart_of(part: Part) -> str:
    """The chart of a part in the file: its namespace."""
    return re.sub(r"[^a-z0-9-]+", "-", part.namespace.lower()).lstrip("-0123456789")[:63].rstrip("-") or "cluster"


def _add_parts(adoption: Adoption) -> None:
    """Look for the parts in the tree, and name what is none."""
    adoption.parts.clear()
    adoption.left = list(adoption.tree.left)
    for about, make in _candidates(adoption.tree):
        try:
            found = make()
        except UnreadError as error:
            adoption.left.append(Left(about.label, *place(about, error.path), str(error)))
            continue
        for part in found if isinstance(found, list) else [found]:
            ids = {id for each in adoption.parts if chart_of(each) == chart_of(part) for id in each.objects}  # noqa: A001
            name = part.id = printable(part.id)
            if name in ids:
                part.id = next(each for each in (f"{name}-{number}" for number in range(2, len(ids) + 3)) if each not in ids)
                part.arguments |= {} if part.name in CONSTRUCTS.values() else {"name": name}
            adoption.parts.append(part)
    taken = {(each.read.label, *place(each.read)) for part in adoption.parts for each in part.replaces}
    adoption.left = [each for each in adoption.left if (each.label, each.file, each.line) not in taken]


def _candidates(tree: Tree) -> Iterator[tuple[Read, Callable[[], Part | list[Part]]]]:
    """The candidates for parts: RuntimeClasses, the releases of the stack, device plugins, and workloads with GPUs."""
    inputs, seen = tree.inputs, set[int]()
    for release in inputs.releases:
        if release.known_chart is not None and release.known_chart.name in CONSTRUCTS:
            seen.add(id(release))
            yield release, partial(chart_part, tree, release)
    for item in inputs.of_kind("RuntimeClass"):
        if OF_NVIDIA.search(f"{item.name} {item.at('handler')}"):
            yield item, partial(_runtime_class, tree, item)
    for agent in device_plugins(inputs):
        seen.add(id(agent.about))
        yield agent.about, partial(plugin_parts, tree, agent)
    agents_of_nodes = {id(agent.about) for agent in agents(inputs)}
    for workload in sorted(workloads(inputs), key=lambda workload: not workload.asks_for_gpus):
        about = workload.about
        is_gpu = workload.asks_for_gpus or workload.is_nvidia or bool(at(workload.spec, "resourceClaims"))
        if is_gpu and id(about) not in seen | agents_of_nodes:
            seen.add(id(about))
            yield about, partial(_workload, tree, about)
    of_known_charts = (release for release in inputs.releases if release.known_chart is not None or OF_NVIDIA.search(f"{release.chart}"))
    others: list[Read] = [*of_known_charts, *(agent.about for agent in agents(inputs))]
    for other in others:
        if id(other) not in seen:
            seen.add(id(other))
            yield other, _no_part


def _no_part() -> list[Part]:
    raise UnreadError("no part of a cluster file says its settings")


def _runtime_class(tree: Tree, item: KubernetesObject) -> Part:
    each = tree.plain(item)
    if each.body.get("handler") != RUNTIME_CLASS or each.body.get("scheduling") or each.body.get("overhead"):
        raise UnreadError("its handler or its scheduling is its own")
    arguments = {} if each.name == RUNTIME_CLASS else {"name": each.name}
    return Part(_RUNTIME_CLASS, "runtime-class" if not arguments else each.name, "", arguments, item, [each], gaps=each.gaps)


def _workload(tree: Tree, about: Read) -> Part:
    """The part of a workload: of an object, or of a release of app-template."""
    if isinstance(about, KubernetesObject):
        if about.pod_path is None:
            raise UnreadError(f"no construct makes a {about.kind}")
        return workload_part(tree, tree.plain(about))
    if not isinstance(about, ChartRelease) or not is_app_template(about):
        raise UnreadError(f"no part of a cluster file says the values of the chart {getattr(about, 'chart', '')}")
    app, release = App(about), tree.about(about)
    refuse_lost_delivery(release)
    part = said(tree, app.workload, app.service)
    part.beside = {id: {"expose": way} for id, way in app.ways_in().items()}  # noqa: A001
    tree.made(part.name, part.arguments, part.id, **part.beside)
    part.about, part.gaps = about, app.gaps
    part.replaces = [each for each in (release, tree.source(release)) if each is not None]
    return part


def _settle(adoption: Adoption) -> None:
    """Take away parts until the file is accepted, and its rules find no error or warning that the tree lacks."""
    found = [each for each in run_rules(adoption.inputs) if each.ignored is None]  # a remark, too: of the tree less is known
    known, errors = {each.rule for each in found}, {each.rule for each in found if each.severity is Severity.ERROR}
    adoption.talos = talos_entries(adoption.nodes)
    for _ in range(_ROUNDS):
        result = synthesize(adoption.description, lambda _: "", beside=adoption.beside)
        adoption.files = result.files
        new = [each for each in result.violations if _rule(each) not in errors]
        judged = [each for each in result.warnings if _RULE.fullmatch(_rule(each)) and _rule(each) not in known]
        if any(_rule(each) == "TG041" for each in (*new, *judged)) and _add_runtime_class(adoption):
            continue
        about_parts = [each for each in judged if (part := _part_of(adoption, each)) is not None and part.about is not None]
        problem = next(iter((*result.errors, *new, *about_parts)), None)
        adoption.judged = judged
        if problem is None:
            return
        _refuse(adoption, problem)


def _part_of(adoption: Adoption, problem: FileError) -> Part | None:
    path = problem.path
    is_part = path[:1] == ("charts",) and len(path) > 3  # noqa: PLR2004
    return next((each for each in adoption.parts if is_part and chart_of(each) == path[1] and path[3] in each.objects), None)


def _add_runtime_class(adoption: Adoption) -> bool:
    """Add the RuntimeClass that the parts of the file name and nothing makes.

    In the tree the default runtime may have served the pods.
    """
    if any(each.name == _RUNTIME_CLASS for each in adoption.parts):
        return False
    namespace = adoption.parts[0].namespace if adoption.parts else ""
    adoption.parts.append(
        Part(_RUNTIME_CLASS, "runtime-class", namespace, {}, notes=["the RuntimeClass nvidia is added: the pods of the file name it"])
    )
    return True


def _rule(error: FileError) -> str:
    return str(error.error).partition(" ")[0]


def _refuse(adoption: Adoption, problem: FileError) -> None:
    """Leave the part that a problem is about in the tree."""
    words = str(problem.error)
    part = _part_of(adoption, problem)
    if part is None and problem.path[:1] == ("talos",):
        index = next((each for each in problem.path if isinstance(each, int)), 0)
        smaller = without_named(adoption.talos[index], problem.error)
        if smaller is None:
            adoption.talos = []
        else:
            adoption.talos[index] = smaller
        adoption.nodes.notes.append(f"the Talos files are left out{'' if smaller is None else ' in part'}: {words}")
    elif part is None and len(adoption.nodes.classes) > 1:
        adoption.nodes.notes.append(f"the classes of nodes are one class in the file: {words}")
        adoption.nodes.unite()
        _add_parts(adoption)
        adoption.talos = talos_entries(adoption.nodes)
    elif part is None and not adoption.parts:
        raise problem.error
    else:
        part = part or adoption.parts[-1]
        adoption.parts = [each for each in adoption.parts if each is not part and each.about is not None]
        if part.about is not None:
            adoption.left.append(Left(part.label, *part.place, words))
