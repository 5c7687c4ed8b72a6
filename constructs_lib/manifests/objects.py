"""What the objects of every component have in common: how one is written, labelled and merged with what the user adds."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

Manifest = dict[str, Any]
Manifests = dict[str, Manifest]
"""Objects by the id that each has in the construct tree; the main one is `Resource`, as `ApiObject.of` expects."""

MAIN = "Resource"

# What is cluster-scoped among the kinds that we, and the charts that we render, emit. `Chart(namespace=…)` puts a namespace on these
# too (cdk8s-team/cdk8s#1558), which a GitOps tool then looks for in the wrong place.
CLUSTER_SCOPED = {
    "APIService",
    "ClusterPolicy",
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "DeviceClass",
    "GPUCluster",
    "MutatingWebhookConfiguration",
    "NVIDIADriver",
    "Namespace",
    "NodeFeatureGroup",
    "NodeFeatureRule",
    "PersistentVolume",
    "PriorityClass",
    "RuntimeClass",
    "StorageClass",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
}


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


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with `over` laid upon it, as people know it from Helm and kubectl.

    Mappings merge. Lists of named things (containers, volumes, environment variables) merge by name; any other list replaces. A None
    removes the key.
    """
    result = copy.deepcopy(dict(base))
    for key, value in over.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping) and isinstance(result.get(key), Mapping):
            result[key] = merged(result[key], value)
        elif _named(value) and _named(result.get(key)):
            result[key] = _merged_by_name(result[key], value)
        elif isinstance(value, Mapping):
            result[key] = merged({}, value)
        else:
            result[key] = copy.deepcopy(value)
    return result


def _named(value: object) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(item, Mapping) and "name" in item for item in value)


def _merged_by_name(base: list[Mapping[str, Any]], over: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    result = {item["name"]: dict(item) for item in base}
    for item in over:
        result[item["name"]] = merged(result.get(item["name"], {}), item)
    return list(result.values())
