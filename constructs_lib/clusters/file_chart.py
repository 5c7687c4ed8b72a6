"""A chart of a cluster file: the place of its parts, and its objects as cdk8s renders them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from ..arguments.errors import NOTHING, wrong, wrong_kind
from ..arguments.keywords import check_keywords, check_required
from ..arguments.plain_values import mapping, plain_mapping
from ..manifests.foreign.gpu_requests import GpuRequest
from ..manifests.objects import MAIN, Manifest, Manifests, plain
from ..manifests.workload.settings import WorkloadSettings
from ..upstream.kubernetes.api import CLUSTER_SCOPED, POD_TEMPLATES
from .app_registry import Place, Registry
from .file_values import FileError, Path, placed
from .part import Part

REQUEST_GPUS = "request_gpus"
"""The word for an object of Kubernetes whose pods get GPUs."""
CONTAINERS = "containers"
"""The key of the requests of several containers, by their names."""
OF_A_CONTAINER = tuple(name for name in GpuRequest._fields if name not in ("nodes", "container"))
"""The keys of the request of a container."""
KEYS = ("workload", *GpuRequest._fields, CONTAINERS)
"""The keys of `request_gpus`."""


def request_fields(given: object, path: Path) -> tuple[dict[str, Any], Manifest]:
    """The keys of a request, and its workload."""
    fields = mapping(REQUEST_GPUS, given)
    check_keywords(REQUEST_GPUS, KEYS, fields)
    check_required(REQUEST_GPUS, ("workload",), fields, {})
    workload = kubernetes_object("workload", fields["workload"])
    if workload["kind"] not in POD_TEMPLATES:
        kinds = ", ".join(f"'{kind}'" for kind in POD_TEMPLATES)
        raise FileError((*path, "workload"), wrong("workload", f"of one of the kinds {kinds}", workload["kind"]))
    return fields, workload


def container_requests(fields: dict[str, Any], path: Path) -> list[dict[str, Any]]:
    """The arguments of `request_gpus` for each container, without the nodes."""
    of_one = {name: fields[name] for name in ("container", *OF_A_CONTAINER) if name in fields}
    if CONTAINERS not in fields:
        return [of_one]
    place = (*path, CONTAINERS)
    if of_one:
        name, value = next(iter(of_one.items()))
        raise wrong(name, f"left out beside '{CONTAINERS}'", value, f"give '{name}' to each container" if name in OF_A_CONTAINER else "")
    containers = placed(
        place, mapping, CONTAINERS, fields[CONTAINERS], "a mapping of the containers' names to 'gpus', 'profile' and 'claim'"
    )
    if not containers:
        raise FileError(place, wrong_kind(CONTAINERS, "at least one container with GPUs", NOTHING))
    requests = []
    for name, own in containers.items():
        arguments = {} if own is None else placed((*place, name), mapping, name, own)
        placed((*place, name), check_keywords, f"a container of {REQUEST_GPUS}", OF_A_CONTAINER, arguments)
        requests.append({"container": name, **arguments})
    return requests


# The fields of the metadata that cdk8s knows, in its order. Any other field follows.
_METADATA = ("annotations", "labels", "name", "namespace")


def rendered(manifest: Manifest, namespace: str | None) -> dict[str, Any]:
    """An object of a chart with a namespace, or with none."""
    fields = plain(manifest["metadata"])
    if manifest["kind"] in CLUSTER_SCOPED or fields.get("namespace", "") is None:
        fields.pop("namespace", None)
    elif namespace is not None:
        fields.setdefault("namespace", namespace)
    known = {key: _sorted(fields.pop(key, None)) for key in _METADATA}
    metadata = {key: value for key, value in known.items() if value not in (None, {})}
    rest = {key: value for key, value in manifest.items() if key not in ("apiVersion", "kind", "metadata")}
    return {
        "apiVersion": manifest["apiVersion"],
        "kind": manifest["kind"],
        "metadata": {**metadata, **_without_null(fields)},
        **_without_null(rest),
    }


def _sorted(value: Any) -> Any:
    return {key: value[key] for key in sorted(value) if value[key] is not None} if isinstance(value, Mapping) else value


def _without_null(value: Any) -> Any:
    """A value as JSON data, without the fields that are null. An item of a list stays."""
    kind = type(value)
    if kind is str or kind is int or kind is bool:  # most values: no class has to be looked up
        return value
    if kind is dict or isinstance(value, Mapping):
        return {key: _without_null(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_without_null(item) for item in value]
    return value + 0.0 if kind is float else plain(value)  # JSON of JavaScript has no -0


class FileChart(Place):
    """A chart of a cluster file."""

    __slots__ = ("id", "objects", "own_namespace")

    def __init__(self, registry: Registry, id: str, namespace: str | None) -> None:  # noqa: A002
        super().__init__(registry)
        self.id, self.own_namespace = id, namespace
        self.objects: list[tuple[str, Manifest]] = []

    def ask_root(self) -> str:
        """The only app of the registry."""
        return ""

    def ask_namespace(self) -> str | None:
        """The namespace of the chart."""
        return self.own_namespace

    @property
    def path(self) -> str:
        """The id of the chart."""
        return self.id

    def add(self, id: str, manifests: Manifests) -> None:  # noqa: A002
        """Add the objects of a part, as cdk8s renders them."""
        for key, each in manifests.items():
            name = id if key == MAIN else f"{id}/{key}"
            self.objects.append((f"{self.id}/{name}", rendered(each, self.own_namespace)))


def kubernetes_object(argument: str, given: object) -> Manifest:
    """A plain object: its kind, its name, and JSON data."""
    fields = plain_mapping(argument, given, "a Kubernetes object")
    metadata = mapping(f"{argument}[metadata]", fields.get("metadata"))
    for name, value in (("apiVersion", fields.get("apiVersion")), ("kind", fields.get("kind")), ("metadata.name", metadata.get("name"))):
        if not isinstance(value, str) or not value:
            raise wrong_kind(f"{argument}[{name}]", "a string that is not empty", NOTHING if value is None else value)
    for name in ("annotations", "labels"):
        if metadata.get(name) is not None:
            mapping(f"{argument}[metadata.{name}]", metadata[name])
    return fields


def settings_in(part: Part[Any, Any], arguments: dict[str, Any], chart: FileChart) -> Any:
    """The checked arguments. Those of a workload know the namespace of their chart, which another workload's URL
    needs."""
    if not (isinstance(part.settings, type) and issubclass(part.settings, WorkloadSettings)):
        return part.settings(**arguments)
    settings = _in_chart(part.settings)(**arguments)  # type: ignore[arg-type]  # mypy: a class is hashable
    object.__setattr__(settings, "chart", chart)
    return settings


@functools.cache
def _in_chart(settings: Any) -> Any:
    """A class of settings with the chart as an attribute."""

    def own_namespace(workload: Any) -> str | None:
        namespace: str | None = workload.chart.namespace if workload.namespace is None else workload.namespace
        return namespace

    return type(settings.__name__, (settings,), {"__slots__": ("chart",), "own_namespace": property(own_namespace)})
