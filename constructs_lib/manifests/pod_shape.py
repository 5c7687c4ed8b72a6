"""The checks that a pod template has Kubernetes' form: its fields, its containers, and the names of its resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._arguments.errors import wrong
from .._arguments.pod_fields import check_fields, check_required
from ..upstream.gpu_resources import is_gpu
from .objects import merged


def check_template(argument: str, template: Mapping[str, Any]) -> None:
    """Refuse a pod template with misspelt or missing fields, or with wrong values; `check_containers` refuses what is no template.

    Other fields that Kubernetes does not have stay without a warning: the template of an operator, such as KServe's, may have fields of its own.
    """
    spec = template.get("spec")
    if isinstance(spec, Mapping) and spec.get("containers"):
        check_fields(f"{argument}[spec]", spec, "PodSpec")
        check_fields(f"{argument}[metadata]", template.get("metadata") or {}, "ObjectMeta")
        check_required(f"{argument}[spec]", spec, "PodSpec")


def with_pod_spec(spec: dict[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """The pod spec with the user's `pod_spec` merged into it; refuses a field that is missing in the merged spec."""
    if not over:
        return spec
    spec = merged(spec, over)
    check_containers("pod_spec", spec)
    check_required("pod_spec", spec, "PodSpec")
    return spec


def check_containers(argument: str, spec: dict[str, Any]) -> None:
    """Refuse a pod spec without containers, a container without a name, and the `+` of a MIG profile in the name of a resource."""
    if not spec.get("containers"):
        raise wrong(argument, "with a list of at least one container in 'containers'", spec.get("containers"))
    for key in ("containers", "initContainers"):
        for container in spec.get(key) or []:
            if not isinstance(container.get("name"), str):
                raise wrong(argument, f"made of {key} with a 'name' each", container)
            resources = container.get("resources") or {}
            for section in ("limits", "requests"):
                for resource in resources.get(section) or {}:
                    _check_resource(argument, resource)


def _check_resource(argument: str, resource: str) -> None:
    if is_gpu(resource) and "+" in resource:
        raise wrong(argument, "without '+' in the name of a resource", resource, f"did you mean '{resource.replace('+', '.')}'?")
