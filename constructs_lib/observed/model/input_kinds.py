"""The kinds of input: Kubernetes objects, chart releases, node configurations, and findings of the loaders, each with
its place.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ...upstream.charts import CHARTS, Chart
from ...upstream.kubernetes.api import POD_TEMPLATES
from ...upstream.kubernetes.controlled_taints import is_controlled
from ...upstream.version import Version
from ...yaml.unknown import Answer, Unknown, at, equals, is_among, is_unknown, known_str, mappings, text_of

if TYPE_CHECKING:
    from .read_values import ReadValues

Path = tuple[str | int, ...]
"""The path of a value in a document: keys of mappings and indices of lists."""


class NodeTaint(NamedTuple):
    """A taint of a node."""

    key: str | Unknown
    value: str | Unknown
    effect: str | Unknown

    def __str__(self) -> str:
        """The taint as kubectl writes it: `dedicated=ai:NoSchedule`."""
        has_value = is_unknown(self.value) or self.value != ""
        return f"{self.key}{f'={self.value}' if has_value else ''}:{self.effect}"

    @property
    def is_known(self) -> bool:
        """Whether every part of the taint can be read."""
        return not any(map(is_unknown, self))

    @property
    def keeps_off(self) -> bool:
        """Whether the taint keeps pods off, or may: the scheduler only prefers other nodes to one with
        `PreferNoSchedule`."""
        return not is_among(self.effect, ("NoSchedule", "NoExecute")).is_no

    @property
    def stays(self) -> bool:
        """Whether no controller takes the taint away once the node can serve pods."""
        return not (isinstance(self.key, str) and is_controlled(self.key))

    @property
    def toleration(self) -> dict[str, Any]:
        """The toleration of the taint; of every value where the value can't be read."""
        matched = {"operator": "Equal", "value": self.value} if equals(self.value, "").is_no and self.is_known else {"operator": "Exists"}
        return {"key": self.key, **matched, "effect": self.effect}


@functools.lru_cache(maxsize=1024)
def below(path: Path, *further: str | int) -> Path:
    """A path below another path. Many objects have the same paths, which need memory once."""
    return (*path, *further)


def no_place(_: Path) -> tuple[str | None, int | None]:
    """The `place_at` of an input without a file."""
    return None, None


PartKey = tuple[str, int, str]
"""A part of the inputs: its file, its line and its name. The Applications of an ApplicationSet share file and line."""


def part_key(file: str, line: int | None, body: Any) -> PartKey:
    """The key of a document, and of the object that is made of it."""
    return file, line or 0, f"{at(body, 'metadata', 'name')}"


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Read:
    """A mapping that was read, with its place.

    `file` is the path of a file or of a construct. `place_at` gives the file and the line of a path inside `body`, or
    the place of the nearest enclosing value with a place. The file may be another one: a patch, a values file.
    """

    body: Mapping[str, Any]
    file: str
    place_at: Callable[[Path], tuple[str | None, int | None]] = no_place

    def line_of(self, path: Path) -> int | None:
        """The line of a path inside the body."""
        return self.place_at(path)[1]

    def file_of(self, path: Path) -> str | None:
        """The file of that line. None for an input without lines."""
        return self.place_at(path)[0]

    def at(self, *path: str | int) -> Any:
        """The value at a path inside the body, as the function `at` returns it."""
        return at(self.body, *path)

    @property
    def part(self) -> PartKey:
        """The key of the part among all parts of the inputs."""
        return part_key(self.file, self.line_of(()), self.body)

    @property
    def label(self) -> str:
        """The name of the input in reports."""
        raise NotImplementedError

    @property
    def annotations(self) -> Mapping[str, Any]:
        """The annotations. They may silence a rule."""
        value = self.at("metadata", "annotations")
        return value if isinstance(value, Mapping) else {}


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class KubernetesObject(Read):
    """A Kubernetes object as the cluster gets it: kustomize's patches, names and namespaces are applied.

    `namespace` is None for a cluster-scoped object, and for an object that gets its namespace when it is applied. There
    may be a hundred thousand objects, so an object has slots, and keeps only what many rules ask for.
    """

    namespace: str | Unknown | None = None
    kind: str = field(init=False)
    """The kind. Empty if it is missing or unknown."""
    api_version: str | Unknown = field(init=False)
    """The API group and version."""
    name: str | Unknown = field(init=False)
    """The name. Empty if it is missing."""
    pod_path: Path | None = field(init=False)
    """The path of the pod template (with `metadata` and `spec`). None for an object without pods."""

    def __post_init__(self) -> None:
        kind = known_str(self.at("kind")) or ""
        path = POD_TEMPLATES.get(kind)
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "api_version", _text(self.at("apiVersion")))
        object.__setattr__(self, "name", _text(self.at("metadata", "name")))
        object.__setattr__(self, "pod_path", path if path is not None and isinstance(self.at(*path, "spec"), Mapping) else None)

    @property
    def labels(self) -> Mapping[str, Any]:
        """The labels. Empty if they are missing or unknown."""
        value = self.at("metadata", "labels")
        return value if isinstance(value, Mapping) else {}

    @property
    def label(self) -> str:
        """The name in reports: `Kind namespace/name`."""
        return f"{self.at('kind')} {_within(self.namespace)}{self.name}"

    @property
    def pod_spec(self) -> Mapping[str, Any]:
        """The pod spec. Empty for an object without pods."""
        return self.at(*self.pod_path, "spec") if self.pod_path is not None else {}

    @property
    def containers(self) -> Iterator[tuple[Path, Mapping[str, Any]]]:
        """The containers of the pods, init containers first, each with its path in the body."""
        if self.pod_path is None:
            return
        for key in ("initContainers", "containers"):
            for index, container in mappings(at(self.pod_spec, key)):
                yield below(self.pod_path, "spec", key, index), container


def same_namespace(one: str | Unknown | None, other: str | Unknown | None) -> Answer:
    """Whether two namespaces are the same. A namespace that is set when the object is applied (None) matches every
    namespace.
    """
    return Answer.YES if one is None or other is None else equals(one, other)


def _text(value: Any) -> str | Unknown:
    return "" if (text := text_of(value)) is None else text


def _within(namespace: str | Unknown | None) -> str:
    return "" if namespace is None else f"{namespace}/"


@dataclass(frozen=True, kw_only=True, eq=False)
class ChartRelease(Read):
    """A release of a Helm chart. `given` are the user's values, merged as Helm merges them; `values` are those that the
    chart reads, nothing of a part that is off.

    `chart` is the name by which `upstream.charts` knows it ("gpu-operator", "nvidia-device-plugin", …). `version` is as
    written, and None if the chart is not pinned. `complete` is False if further values come from a source that was not
    read. `values_path` is the path of the values in `body`.
    """

    chart: str | Unknown
    name: str | Unknown
    namespace: str | Unknown | None
    version: str | Unknown | None
    given: Mapping[str, Any] = field(default_factory=dict)
    values_path: Path = ()
    complete: bool = True

    @cached_property
    def values(self) -> Mapping[str, Any]:
        """The values that the chart reads."""
        return self.reading.read

    @property
    def reading(self) -> ReadValues:
        """Which values the chart reads."""
        from .read_values import ReadValues

        version = Version.parse(self.version) if isinstance(self.version, str) else None
        chart = self.known_chart.numbered_as(version) if self.known_chart else None
        return ReadValues(chart=chart, values=self.given, version=version, complete=self.complete)

    def value(self, *path: str) -> Any:
        """The value at a path of the values. None if the user did not set it, `Unknown` if it can't be read."""
        value = at(self.values, *path)
        return Unknown() if value is None and not self.complete else value

    @property
    def part(self) -> PartKey:
        """The key. An Application installs to another cluster than its own; a HelmRelease and its release are one."""
        file, line, name = part_key(self.file, self.line_of(()), self.body)
        return file, line, f"{name} {self.chart}" if known_str(self.at("kind")) == "Application" else name

    @property
    def known_chart(self) -> Chart | None:
        """The known chart. None for a chart that `upstream.charts` does not know."""
        return CHARTS.get(self.chart) if isinstance(self.chart, str) else None

    @property
    def is_newer_than_known(self) -> bool:
        """Whether the version is newer than everything that is known of the chart."""
        version = Version.parse(self.version) if isinstance(self.version, str) else None
        return version is not None and self.known_chart is not None and self.known_chart.is_newer_than_released(version)

    @property
    def label(self) -> str:
        """The name in reports: `gpu-operator v26.7.0 (namespace/name)`."""
        return f"{self.chart}{'' if self.version is None else f' {self.version}'} ({_within(self.namespace)}{self.name})"


@dataclass(frozen=True, kw_only=True, eq=False)
class Installer(Read):
    """An object or a file that may install known charts, or a part with unread `text`; None if its text is elsewhere."""

    charts: frozenset[str] = frozenset()
    reason: str = ""
    text: str | None = ""

    def may_create(self, kind: str) -> bool:
        """Whether an object of this kind may be among the unread ones."""
        return self.text is None or f"kind: {kind}" in self.text

    @property
    def label(self) -> str:
        """The name in reports: `Kind name`, or the name of the file."""
        names = [text for path in (("kind",), ("metadata", "name")) if (text := known_str(self.at(*path)))]
        return " ".join(names) if self.at("kind") is not None else self.file.rpartition("/")[2]


@dataclass(frozen=True, kw_only=True, eq=False)
class NodeConfig(Read):
    """The configuration of one Talos node, or of a group of nodes: its machine configuration and its image.

    `scope` is "node" for the whole configuration of one node, "group" for the common configuration of all nodes of a
    role or a cluster, and "patch" for a part whose nodes are not known. A field is None if the input does not set it,
    and an `Unknown` if it can't be read. `paths` maps each field to its path in `body`. `body` has the same form for
    every source: `documents`, Talos' own documents with all patches of the node merged, `extensions` if they are known,
    `schematic` for a schematic, and `resources` if the documents are in resources of Omni. `complete` is False if a part
    comes from a source that was not read, and `made_by` is the tool that makes all such patches.
    """

    scope: str
    name: str | Unknown
    talos_version: str | Unknown | None = None
    kubernetes_version: str | Unknown | None = None
    control_plane: bool | None = None
    image: str | Unknown | None = None
    """The installer image."""
    extensions: tuple[str | Unknown, ...] | None = None
    kernel_args: tuple[str | Unknown, ...] | None = None
    """The kernel arguments of the image's schematic and of `machine.install`. None if the schematic was not read."""
    kernel_modules: tuple[str | Unknown, ...] | None = None
    sysctls: Mapping[str, Any] | Unknown | None = None
    labels: Mapping[str, Any] | Unknown | None = None
    taints: tuple[NodeTaint, ...] | None = None
    files: tuple[Mapping[str, Any], ...] | None = None
    default_runtime: str | Unknown | None = None
    pod_security: str | Unknown | None = None
    """The Pod Security level that is enforced by default: "off", "privileged", "baseline" or "restricted"."""
    paths: Mapping[str, Path] = field(default_factory=dict)
    complete: bool = True
    made_by: str = ""
    is_hostname: bool = True
    """Whether `name` is the hostname of a node with the scope "node". Else `name` is that of an object, a set or a machine."""

    left_out_by: str = ""
    """The file of talhelper that names other patches and not this one, which somebody may still apply by hand."""

    @property
    def documents(self) -> list[tuple[int, Mapping[str, Any]]]:
        """Talos' own documents, each with its index in the body. The machine configuration is the document without a
        kind.
        """
        return mappings(self.at("documents"))

    @property
    def label(self) -> str:
        """The name in reports: the node, or the group."""
        return f"{self.name}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Skipped:
    """A file or a document that was not checked, with the reason."""

    file: str
    reason: str
    line: int | None = None
    names_nvidia: bool = False
    """Whether the skipped text names NVIDIA or a component of its GPU stack."""
    is_reference: bool = False
    """Whether a kustomization or a deployer names the part: the cluster gets it, and its content is not known."""
    is_broken: bool = False
    """Whether the text is no YAML, and no template that becomes YAML."""
    is_unread: bool = False
    """Whether the system gave no text: the file is too large, binary or locked, and has anything."""
    made: tuple[str, str] | None = None
    """The name of a file that is made outside of git, and the tool that makes it."""
