"""Objects as cdk8s renders them: the order of their fields, and the namespace of their chart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..manifests.objects import Manifest, plain
from ..upstream.kubernetes.api import CLUSTER_SCOPED

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
