"""The check that a given pod template has Kubernetes' form, for the fields that this library reads."""

from __future__ import annotations

from typing import Any

from .._arguments.errors import wrong, wrong_kind
from ..upstream.gpu_resources import is_gpu
from .pod_placement import REQUIRED


def check_shape(argument: str, spec: dict[str, Any]) -> None:
    """Refuse a pod spec whose fields don't have Kubernetes' form. Only fields that this library reads are checked; the API server checks the others."""
    for key in ("containers", "initContainers"):
        for container in list_of_mappings(argument, key, spec.get(key)):
            if not isinstance(container.get("name"), str):
                raise wrong(argument, f"made of {key} with a 'name' each", container)
            for field in ("env", "volumeMounts", "ports"):
                list_of_mappings(argument, field, container.get(field))
            for field in ("startupProbe", "livenessProbe", "readinessProbe", "lifecycle"):
                mapping_of(argument, field, container.get(field))
            resources = mapping_of(argument, "resources", container.get("resources"))
            for section in ("limits", "requests"):
                for resource in mapping_of(argument, section, resources.get(section)):
                    _check_resource(argument, resource)
    for field in ("tolerations", "volumes"):
        list_of_mappings(argument, field, spec.get(field))
    mapping_of(argument, "nodeSelector", spec.get("nodeSelector"))
    node_affinity = mapping_of(argument, "nodeAffinity", mapping_of(argument, "affinity", spec.get("affinity")).get("nodeAffinity"))
    required = mapping_of(argument, REQUIRED, node_affinity.get(REQUIRED))
    for term in list_of_mappings(argument, "nodeSelectorTerms", required.get("nodeSelectorTerms")):
        list_of_mappings(argument, "matchExpressions", term.get("matchExpressions"))


def _check_resource(argument: str, resource: object) -> None:
    """Refuse the `+` of a MIG profile in the name of a resource."""
    if isinstance(resource, str) and is_gpu(resource) and "+" in resource:
        raise wrong(argument, "without '+' in the name of a resource", resource, f"did you mean '{resource.replace('+', '.')}'?")


def list_of_mappings(argument: str, key: str, value: object) -> list[dict[str, Any]]:
    """The list of mappings under a key; empty where the key is missing."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise wrong_kind(argument, f"with a list of mappings in '{key}'", value)
    return value


def mapping_of(argument: str, key: str, value: object) -> dict[str, Any]:
    """The mapping under a key; empty where the key is missing."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise wrong_kind(argument, f"with a mapping in '{key}'", value)
    return value
