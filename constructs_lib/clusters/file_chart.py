"""A chart of a cluster file: the place of its parts, and its objects as cdk8s renders them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from ..arguments.errors import NOTHING, wrong_kind
from ..arguments.plain_values import mapping, plain_mapping
from ..manifests.objects import MAIN, Manifest, Manifests, plain
from ..manifests.workload.settings import WorkloadSettings
from ..upstream.kubernetes.api import CLUSTER_SCOPED
from .app_registry import Place, Registry
from .part import Part

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
