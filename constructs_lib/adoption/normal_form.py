"""The normal form of an object: without the API server's defaults, with lists in one order, and with quantities as numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..arguments.quantities import amount_of
from ..upstream.kubernetes.api_defaults import (
    OF_CONTAINER,
    OF_FIELD,
    OF_HTTP_GET,
    OF_MOUNT,
    OF_POD,
    OF_PORT,
    OF_PROBE,
    OF_SPEC,
    OF_VOLUME_FILES,
)

_PROBES = frozenset({"startupProbe", "livenessProbe", "readinessProbe"})
_FILES = frozenset({"configMap", "secret", "projected"})
_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "env": "name",
    "volumes": "name",
    "volumeMounts": "mountPath",
    "imagePullSecrets": "name",
}
"""The lists whose items have a key of their own."""
_SETS = frozenset({"tolerations", "accessModes", "ports"})
_AMOUNTS = frozenset({"limits", "requests"})
_EMPTY_MEANS = frozenset({"emptyDir", "podSelector", "namespaceSelector", "matchLabels", "egress", "ingress"})
"""The fields whose empty value differs from a missing one."""


def normal(body: Mapping[str, Any]) -> dict[str, Any]:
    """The normal form of an object. Items of lists with names are entries of mappings, by `[name]`."""
    kind = str(body.get("kind"))
    result: dict[str, Any] = {key: _normal(value, key) for key, value in body.items() if key != "status"}
    spec = result.get("spec")
    if isinstance(spec, dict):
        result["spec"] = _without(spec, OF_SPEC.get(kind, {}))
    metadata = result.get("metadata")
    if isinstance(metadata, dict):
        result["metadata"] = {key: value for key, value in metadata.items() if key not in ("creationTimestamp", "uid", "resourceVersion")}
    return {key: value for key, value in result.items() if not _is_empty(key, value)}


def _normal(value: Any, key: str) -> Any:
    if isinstance(value, Mapping):
        if key in _AMOUNTS:
            return {name: _amount(each) for name, each in value.items()}
        fields = {name: _normal(each, name) for name, each in value.items()}
        fields = {name: each for name, each in fields.items() if not _is_empty(name, each)}
        return _without(fields, _defaults(fields, key))
    if isinstance(value, list | tuple):
        items = [_normal(each, _ITEMS.get(key, "")) for each in value]
        name = _KEYS.get(key)
        if name and all(isinstance(each, dict) and isinstance(each.get(name), str) for each in items):
            return {f"[{each[name]}]": each for each in items}
        return sorted(items, key=lambda each: json.dumps(each, sort_keys=True, default=str)) if key in _SETS else items
    return value


_ITEMS = {"ports": "port", "volumeMounts": "mount", "containers": "container", "initContainers": "container"}


def _defaults(fields: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    if "containers" in fields:
        return OF_POD
    if key in _PROBES:
        return OF_PROBE
    if key in _FILES:
        return OF_VOLUME_FILES
    by_key: Mapping[str, Mapping[str, Any]] = {
        "container": OF_CONTAINER,
        "port": OF_PORT,
        "mount": OF_MOUNT,
        "persistentVolumeClaim": OF_MOUNT,
        "httpGet": OF_HTTP_GET,
        "fieldRef": OF_FIELD,
    }
    return by_key.get(key, {})


def _without(fields: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The fields without the defaults, also without those inside a field whose default is a mapping."""
    rest: dict[str, Any] = {}
    for name, value in fields.items():
        default = defaults.get(name)
        if isinstance(value, Mapping) and isinstance(default, Mapping):
            rest[name] = _without(value, default)
        elif name not in defaults or default != value:
            rest[name] = value
    return {name: value for name, value in rest.items() if value != {} or name not in defaults}


def _is_empty(name: str, value: Any) -> bool:
    return value is None or (value in ({}, [], ()) and name not in _EMPTY_MEANS)


def _amount(value: Any) -> Any:
    try:
        return str(amount_of(str(value)).normalize())
    except (ArithmeticError, TypeError, ValueError):
        return value
