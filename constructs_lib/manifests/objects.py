"""What the objects of every component have in common: how one is written, labelled and merged with what the user adds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..upstream.choice import Choice

Manifest = dict[str, Any]
Manifests = dict[str, Manifest]
"""Objects by the id that each has in the construct tree; the main one is `Resource`, as `ApiObject.of` expects."""

MAIN = "Resource"


def plain(value: Any) -> Any:
    """Only what JSON has: no tuples or mapping proxies, which neither cross into jsii nor into YAML, and no members of a choice."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, Choice) else value


def manifest(api_version: str, kind: str, name: str, *, namespace: str | None = None, **rest: Any) -> Manifest:
    """One object; `labels` and `annotations` go into its metadata, and what is None or empty there is left out."""
    metadata: dict[str, Any] = {"name": name}
    if namespace is not None:
        metadata["namespace"] = namespace
    for key in ("labels", "annotations"):
        if value := rest.pop(key, None):
            metadata[key] = dict(value)
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **rest}


def labels(name: str, *, instance: str, component: str) -> dict[str, str]:
    """The recommended labels. `instance` and `component` keep the selectors of two DaemonSets of one application apart."""
    return {"app.kubernetes.io/name": name, "app.kubernetes.io/instance": instance, "app.kubernetes.io/component": component}


def env(variables: Mapping[str, str]) -> list[dict[str, str]]:
    """Environment variables with plain values."""
    return [{"name": name, "value": value} for name, value in variables.items()]


def from_field(name: str, path: str) -> dict[str, Any]:
    """An environment variable with a value that the downward API knows."""
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


# What tells the items of a list apart, as Kubernetes' own strategic merge has it.
_KEYS = {"volumeMounts": "mountPath", "volumeDevices": "devicePath", "ports": "containerPort"}
# An item of these is one of several kinds, so a new one takes the place of the old: both kinds at once are refused.
_WHOLE = {"env", "volumes"}


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with `over` laid upon it, as people know it from Helm and kubectl.

    Mappings merge. Lists of named things (containers, volumes, environment variables, mounts by their path) merge item by item; any other
    list replaces. A None removes the key.
    """
    result: dict[str, Any] = plain(base)
    for key, value in over.items():
        old = result.get(key)
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping):
            result[key] = merged(old if isinstance(old, Mapping) else {}, value)
        elif _keyed(key, value) and _keyed(key, old):
            result[key] = _items(key, old, value)
        else:
            result[key] = plain(value)
    return result


def _keyed(key: str, value: object) -> bool:
    identity = _KEYS.get(key, "name")
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(item, Mapping) and identity in item for item in value)


def _items(key: str, base: Any, over: Any) -> list[dict[str, Any]]:
    identity = _KEYS.get(key, "name")
    result = {item[identity]: dict(item) for item in base}
    for item in over:
        kept = {} if key in _WHOLE else result.get(item[identity], {})
        result[item[identity]] = merged(kept, item)
    return list(result.values())
