"""The three things that every input becomes: objects, chart releases and node configurations. Rules see only these, and never a file's format."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ...nodes.gpu_nodes import GpuNodes
from ...nodes.talos_version import Generation, TalosVersion
from ...upstream.charts import CHARTS, Chart
from ...upstream.version import Version
from .unknown import Answer, Unknown, at, equals, known_str, mappings, text_of

Path = tuple[str | int, ...]
"""Where a value stands in what was read: keys of mappings and indices of lists."""

Taint = tuple[str | Unknown, str | Unknown, str | Unknown]
"""Key, value and effect of a taint of a node."""


def no_line(_: Path) -> int | None:
    """The lines of what was read from no file."""
    return None


def no_other_file(_: Path) -> str | None:
    """The other files of what was read from one."""
    return None


@dataclass(frozen=True, kw_only=True, eq=False)
class Read:
    """A mapping that was read, with where it stands.

    `file` is a file's path, or a construct's; `line_of` maps a path inside `body` to a line, that of the nearest enclosing value where the
    path itself is not in the file. `file_of` names the file that the line is in where it is another one: a patch, a file of values.
    """

    body: Mapping[str, Any]
    file: str
    line_of: Callable[[Path], int | None] = no_line
    file_of: Callable[[Path], str | None] = no_other_file

    def at(self, *path: str | int) -> Any:
        """The value at a path inside the body, as `at` finds it."""
        return at(self.body, *path)

    @property
    def label(self) -> str:
        """What a person would call it."""
        raise NotImplementedError

    @property
    def annotations(self) -> Mapping[str, Any]:
        """Its annotations, in which its author may silence a rule."""
        found = self.at("metadata", "annotations")
        return found if isinstance(found, Mapping) else {}


@dataclass(frozen=True, kw_only=True, eq=False)
class KubernetesObject(Read):
    """An object as the cluster gets it: kustomize's patches, names and namespaces are applied.

    `namespace` is None for an object of the cluster and for one whose namespace is decided where it is applied.
    """

    namespace: str | Unknown | None = None

    @functools.cached_property
    def kind(self) -> str:
        """Its kind, empty where that can't be read."""
        return known_str(self.at("kind")) or ""

    @functools.cached_property
    def api_version(self) -> str | Unknown:
        """Its API group and version."""
        return _text(self.at("apiVersion"))

    @functools.cached_property
    def name(self) -> str | Unknown:
        """Its name, empty where it has none."""
        return _text(self.at("metadata", "name"))

    @property
    def labels(self) -> Mapping[str, Any]:
        """Its labels, as far as they can be read."""
        found = self.at("metadata", "labels")
        return found if isinstance(found, Mapping) else {}

    @property
    def label(self) -> str:
        """`Kind namespace/name`."""
        return f"{self.at('kind')} {_within(self.namespace)}{self.name}"

    @functools.cached_property
    def pod_path(self) -> Path | None:
        """Where the pod template is (its `metadata` and `spec`); None for an object that makes no pods."""
        for path in _POD_PATHS.get(self.kind, ()):
            if isinstance(self.at(*path, "spec"), Mapping):
                return path
        return None

    @property
    def pod_spec(self) -> Mapping[str, Any]:
        """The spec of the pods that it makes; empty where it makes none."""
        return self.at(*self.pod_path, "spec") if self.pod_path is not None else {}

    @property
    def containers(self) -> Iterator[tuple[Path, Mapping[str, Any]]]:
        """Every container of its pods, init containers first, each with its path in the body."""
        if self.pod_path is None:
            return
        for key in ("initContainers", "containers"):
            for index, container in mappings(at(self.pod_spec, key)):
                yield (*self.pod_path, "spec", key, index), container


def same_namespace(one: str | Unknown | None, other: str | Unknown | None) -> Answer:
    """Whether two namespaces are the same; one that is decided where an object is applied is as good as any."""
    return Answer.YES if one is None or other is None else equals(one, other)


def _text(value: Any) -> str | Unknown:
    return "" if (found := text_of(value)) is None else found


def _within(namespace: str | Unknown | None) -> str:
    return "" if namespace is None else f"{namespace}/"


_TEMPLATE: tuple[Path, ...] = (("spec", "template"),)
_POD_PATHS: dict[str, tuple[Path, ...]] = {
    "Pod": ((),),
    "CronJob": (("spec", "jobTemplate", "spec", "template"),),
    **dict.fromkeys(("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job"), _TEMPLATE),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class ChartRelease(Read):
    """A Helm chart that something installs, with the values that its author gave it, merged as Helm merges them.

    `chart` is the name by which `upstream.charts` knows it ("gpu-operator", "nvidia-device-plugin", …). `version` is as written, None where
    nothing pins it. `complete` is False where further values come from what was not read. `values_path` is
    where the values stand in `body`; `value_line` finds the line of one, also where it comes from another file.
    """

    chart: str | Unknown
    name: str | Unknown
    namespace: str | Unknown | None
    version: str | Unknown | None
    values: Mapping[str, Any] = field(default_factory=dict)
    values_path: Path = ()
    complete: bool = True

    def value(self, *path: str) -> Any:
        """The value at a path of the values, None where its author gave none, `Unknown` where it can't be read."""
        found = at(self.values, *path)
        return Unknown() if found is None and not self.complete else found

    @property
    def known_chart(self) -> Chart | None:
        """What is known of its chart; None for one of somebody else's."""
        return CHARTS.get(self.chart) if isinstance(self.chart, str) else None

    @property
    def is_newer_than_known(self) -> bool:
        """Whether the version is newer than everything that is known of the chart."""
        version = Version.parse(self.version) if isinstance(self.version, str) else None
        return version is not None and self.known_chart is not None and self.known_chart.is_newer_than_released(version)

    @property
    def label(self) -> str:
        """`gpu-operator v26.7.0 (namespace/name)`."""
        return f"{self.chart}{'' if self.version is None else f' {self.version}'} ({_within(self.namespace)}{self.name})"


@dataclass(frozen=True, kw_only=True, eq=False)
class NodeConfig(Read):
    """What Talos is told about one node, or about a group of them: its machine configuration and its image.

    `scope` says for whom: "node" when everything that one node gets has been merged, "group" for what all nodes of a role or a cluster
    get, "patch" for a piece whose nodes can't be told. A field is None where the input says nothing of it, and holds an `Unknown` where it
    can't be read. `paths` maps each field to where it stands in `body`. `body` is the same for whatever it was read from: `documents`, Talos'
    own, with every patch merged that is for the node, and `extensions` where they are known. `complete` is False where more of it comes from
    what was not read.
    """

    scope: str
    name: str | Unknown
    talos_version: str | Unknown | None = None
    kubernetes_version: str | Unknown | None = None
    control_plane: bool | None = None
    image: str | Unknown | None = None
    """The installer's."""
    extensions: tuple[str | Unknown, ...] | None = None
    kernel_modules: tuple[str | Unknown, ...] | None = None
    sysctls: Mapping[str, Any] | Unknown | None = None
    labels: Mapping[str, Any] | Unknown | None = None
    taints: tuple[Taint, ...] | None = None
    files: tuple[Mapping[str, Any], ...] | None = None
    default_runtime: str | Unknown | None = None
    pod_security: str | Unknown | None = None
    """The level that Pod Security enforces where a namespace says nothing: "off", "privileged", "baseline" or "restricted"."""
    paths: Mapping[str, Path] = field(default_factory=dict)
    complete: bool = True

    @property
    def documents(self) -> list[tuple[int, Mapping[str, Any]]]:
        """Talos' own documents, each with its index in the body: the machine configuration, which has no kind, and those of other kinds."""
        return mappings(self.at("documents"))

    @property
    def label(self) -> str:
        """The node, or the group."""
        return f"{self.name}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Skipped:
    """What was given and not checked, and why."""

    file: str
    reason: str
    line: int | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Inputs:
    """Everything that was read, of one cluster.

    `talos_version` is what was said, or what all inputs that say one agree about. `nodes` are the classes that somebody described to us.
    `whole` is True where nothing but this reaches the cluster, as in an app of ours: there, what is missing is missing.
    """

    objects: tuple[KubernetesObject, ...] = ()
    of_unknown_kind: tuple[KubernetesObject, ...] = ()
    """Objects whose kind can't be read: each may be of any kind that its text can become."""
    releases: tuple[ChartRelease, ...] = ()
    node_configs: tuple[NodeConfig, ...] = ()
    nodes: tuple[GpuNodes, ...] = ()
    talos_version: TalosVersion | None = None
    kubernetes_version: str | None = None
    whole: bool = False
    skipped: tuple[Skipped, ...] = ()
    comments: Mapping[str, Mapping[int, Mapping[str, str]]] = field(default_factory=dict)
    """The reasons with which comments silence rules: by file, line and rule, as `silence.comments` reads them."""
    answers: dict[Callable[..., Any], Any] = field(default_factory=dict, repr=False)

    @property
    def generation(self) -> Generation | None:
        """The generation of the Talos that it is for, None where that is not known."""
        return self.talos_version.generation if self.talos_version else None

    @functools.cached_property
    def _by_kind(self) -> Mapping[str, list[KubernetesObject]]:
        found: dict[str, list[KubernetesObject]] = {}
        for each in self.objects:
            found.setdefault(each.kind, []).append(each)
        return found

    def of_kind(self, *kinds: str) -> list[KubernetesObject]:
        """The objects of these kinds."""
        return [each for kind in kinds for each in self._by_kind.get(kind, ())]

    def may_hide(self, *kinds: str) -> bool:
        """Whether an object whose kind can't be read may be of one of these."""
        return any(not equals(each.at("kind"), kind).is_no for each in self.of_unknown_kind for kind in kinds)

    def of_chart(self, *charts: Chart) -> list[ChartRelease]:
        """The releases of these charts."""
        return [each for each in self.releases if each.known_chart in charts]

    def may_install(self, *charts: Chart) -> bool:
        """Whether a release whose chart can't be read, or an object whose kind can't be read, may install one of these."""
        names = {name for chart in charts for name in (chart.name, *chart.aliases)}
        unread = [each.chart for each in self.releases if isinstance(each.chart, Unknown)]
        return self.may_hide(*_INSTALLERS) or any(not equals(each, name).is_no for each in unread for name in names)


_INSTALLERS = ("HelmRelease", "Application", "ApplicationSet", "Kustomization", "ResourceSet", "HelmChart")
"""The kinds of what makes a release of a chart, or deploys something that does."""

_Fact = TypeVar("_Fact")


def question(ask: Callable[[Inputs], _Fact]) -> Callable[[Inputs], _Fact]:
    """A question about everything that was read: answered once for each `Inputs`, however many rules ask it."""

    @functools.wraps(ask)
    def asked(inputs: Inputs) -> _Fact:
        if asked not in inputs.answers:
            inputs.answers[asked] = ask(inputs)
        answer: _Fact = inputs.answers[asked]
        return answer

    return asked
