"""The three things that every input becomes: objects, chart releases and node configurations. Rules see only these, and never a file's format."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ...nodes.gpu_nodes import GpuNodes
from ...nodes.talos_version import Generation, TalosVersion
from ...upstream.charts import CHARTS, Chart

Path = tuple[str | int, ...]
"""Where a value stands in what was read: keys of mappings and indices of lists."""


class Unknown(str):
    """Text that something else fills in before it reaches the cluster: `${VAR}`, `{{ … }}`, a secret. Its final value can't be told.

    It is a string still, so that `"k8s-device-plugin" in image` holds with an unknown tag; nothing may be concluded from what it is equal to.
    """

    __slots__ = ()


def at(value: Any, *path: str | int) -> Any:
    """The value at a path, None where there is none, and the `Unknown` that stands in its way where one does."""
    for key in path:
        if isinstance(value, Unknown):
            return value
        if isinstance(value, Mapping):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
            value = value[key]
        else:
            return None
    return value


def mappings(value: Any) -> list[tuple[int, Mapping[str, Any]]]:
    """The mappings of a list with their indices; nothing of what is no list, and no item that is no mapping."""
    return [(index, item) for index, item in enumerate(value) if isinstance(item, Mapping)] if isinstance(value, list) else []


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

    namespace: str | None = None

    @property
    def kind(self) -> str:
        """Its kind."""
        return str(self.at("kind") or "")

    @property
    def api_version(self) -> str:
        """Its API group and version."""
        return str(self.at("apiVersion") or "")

    @property
    def name(self) -> str:
        """Its name, empty where it has none."""
        return str(self.at("metadata", "name") or "")

    @property
    def labels(self) -> Mapping[str, Any]:
        """Its labels."""
        found = self.at("metadata", "labels")
        return found if isinstance(found, Mapping) else {}

    @property
    def label(self) -> str:
        """`Kind namespace/name`."""
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {where}{self.name}"

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
            for index, container in mappings(self.pod_spec.get(key)):
                yield (*self.pod_path, "spec", key, index), container


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
    nothing pins it, `Unknown` where it can't be read. `complete` is False where further values come from what was not read. `values_path` is
    where the values stand in `body`; `value_line` finds the line of one, also where it comes from another file.
    """

    chart: str
    name: str
    namespace: str | None
    version: str | None
    values: Mapping[str, Any] = field(default_factory=dict)
    values_path: Path = ()
    complete: bool = True

    def value(self, *path: str) -> Any:
        """The value at a path of the values, None where its author gave none, `Unknown` where it can't be read."""
        found = at(self.values, *path)
        return Unknown("") if found is None and not self.complete else found

    @property
    def known_chart(self) -> Chart | None:
        """What is known of its chart; None for one of somebody else's."""
        return CHARTS.get(self.chart)

    @property
    def label(self) -> str:
        """`gpu-operator v26.7.0 (namespace/name)`."""
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.chart}{f' {self.version}' if self.version else ''} ({where}{self.name})"


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
    name: str
    talos_version: str | None = None
    kubernetes_version: str | None = None
    control_plane: bool | None = None
    image: str | None = None
    """The installer's."""
    extensions: tuple[str, ...] | None = None
    kernel_modules: tuple[str, ...] | None = None
    sysctls: Mapping[str, Any] | None = None
    labels: Mapping[str, Any] | None = None
    taints: tuple[tuple[str, str, str], ...] | None = None
    """Key, value and effect."""
    files: tuple[Mapping[str, Any], ...] | None = None
    default_runtime: str | None = None
    pod_security: str | None = None
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
        return self.name


@dataclass(frozen=True, kw_only=True, slots=True)
class Skipped:
    """What was given and not judged, and why."""

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

    def of_chart(self, *charts: Chart) -> list[ChartRelease]:
        """The releases of these charts."""
        names = {chart.name for chart in charts}
        return [each for each in self.releases if each.chart in names]


_Answer = TypeVar("_Answer")


def question(ask: Callable[[Inputs], _Answer]) -> Callable[[Inputs], _Answer]:
    """A question about everything that was read: answered once for each `Inputs`, however many rules ask it."""

    @functools.wraps(ask)
    def asked(inputs: Inputs) -> _Answer:
        if asked not in inputs.answers:
            inputs.answers[asked] = ask(inputs)
        answer: _Answer = inputs.answers[asked]
        return answer

    return asked
