"""Helpers for the objects of every component: metadata, labels, environment variables and merging."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..upstream.choice import Choice

Manifest = dict[str, Any]
Manifests = dict[str, Manifest]
"""Objects by their IDs in the construct tree. The main object has the ID `Resource`, as `ApiObject.of` expects."""

MAIN = "Resource"


def plain(value: Any) -> Any:
    """A value as JSON data, without tuples, mapping proxies and `Choice`s, which neither jsii nor YAML take."""
    kind = type(value)
    if kind is str or kind is int or kind is bool:  # most values: no class has to be looked up
        return value
    if kind is dict or isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, Choice) else value


def json_pointer(field: str) -> str:
    """A key as one token of a JSON pointer (RFC 6901)."""
    return field.replace("~", "~0").replace("/", "~1")


def manifest(api_version: str, kind: str, name: str, *, namespace: str | None = None, **rest: Any) -> Manifest:
    """One object. `labels` and `annotations` go into its metadata, where empty values are left out."""
    metadata: dict[str, Any] = {"name": name}
    if namespace is not None:
        metadata["namespace"] = namespace
    for key in ("labels", "annotations"):
        if value := rest.pop(key, None):
            metadata[key] = dict(value)
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **rest}


def service_monitor(
    name: str, namespace: str | None, labels: Mapping[str, str], selector: Mapping[str, str], endpoint: Mapping[str, Any], **more: Any
) -> Manifest:
    """A ServiceMonitor for the Services with the labels of the selector, of its own namespace."""
    # One job for every Service of an application; without jobLabel Prometheus takes the Service's name.
    spec = {"jobLabel": "app.kubernetes.io/name", "selector": {"matchLabels": dict(selector)}, "endpoints": [dict(endpoint)]}
    return manifest("monitoring.coreos.com/v1", "ServiceMonitor", name, namespace=namespace, labels=labels, **more, spec=spec)


def labels(name: str, *, instance: str, component: str) -> dict[str, str]:
    """The recommended labels. `instance` and `component` tell two DaemonSets of one application apart."""
    return {"app.kubernetes.io/name": name, "app.kubernetes.io/instance": instance, "app.kubernetes.io/component": component}


def env(variables: Mapping[str, str]) -> list[dict[str, str]]:
    """Environment variables with plain values."""
    return [{"name": name, "value": value} for name, value in variables.items()]


def from_field(name: str, path: str) -> dict[str, Any]:
    """An environment variable with a value of the downward API."""
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


# The fields that identify the items of a list, as in Kubernetes' strategic merge. The ports of a Service, which have no
# containerPort, have names.
_KEYS = {"volumeMounts": ("mountPath",), "volumeDevices": ("devicePath",), "ports": ("containerPort", "name")}
# A new item of these lists replaces the old item of the same name: a merged item could have two sources, which
# Kubernetes refuses.
_WHOLE = {"env", "volumes"}

Items = dict[tuple[object, object], Mapping[str, Any]]


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with `over` merged into it, in the way of Helm and kubectl.

    Mappings merge. Lists of items with different names (containers, volumes, environment variables; mounts by their
    path) merge item by item. Any other list replaces the old list. A None removes its key.
    """
    result: dict[str, Any] = plain(base)
    for key, value in over.items():
        old = result.get(key)
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping):
            result[key] = merged(old if isinstance(old, Mapping) else {}, value)
        else:
            items = _merged_items(key, old, value)
            result[key] = plain(value) if items is None else items
    return result


def _merged_items(key: str, base: object, over: object) -> list[dict[str, Any]] | None:
    """The items of two lists, merged by their identity. None where an item has no identity, or shares its identity with
    another item of its list."""
    for field in _KEYS.get(key, ("name",)):
        old, new = _items(field, base), _items(field, over)
        if old and new:
            whole = key in _WHOLE
            changed = {identity: merged({} if whole else old.get(identity, {}), item) for identity, item in new.items()}
            return list({**{identity: dict(item) for identity, item in old.items()}, **changed}.values())
    return None


def _items(field: str, value: object) -> Items | None:
    if not isinstance(value, list | tuple) or not all(
        isinstance(item, Mapping) and isinstance(item.get(field), str | int) for item in value
    ):
        return None
    items = {_identity(field, item): item for item in value}
    return items if len(items) == len(value) else None


def _identity(field: str, item: Mapping[str, Any]) -> tuple[object, object]:
    """The identity of an item. A port of a container is its number and its protocol."""
    return item[field], (item.get("protocol") or "TCP") if field == "containerPort" else None
