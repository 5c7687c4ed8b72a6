"""The checks that a pod template has Kubernetes' form: its fields, its containers, and the names of its resources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._arguments.errors import wrong
from .._arguments.pod_fields import check_fields
from ..upstream.gpu_resources import is_gpu
from ..upstream.kubernetes_api import SYS_ADMIN
from .objects import merged

_ESCALATION = "allowPrivilegeEscalation"


def check_template(argument: str, template: Mapping[str, Any]) -> None:
    """Refuse a pod template with misspelt fields, or with values of another kind; `check_containers` refuses what is no template.

    Other fields that Kubernetes does not have stay without a warning: the template of an operator, such as KServe's, may have fields of its own.
    """
    spec = template.get("spec")
    if isinstance(spec, Mapping) and spec.get("containers"):
        check_fields(f"{argument}[spec]", spec, "PodSpec")
        check_fields(f"{argument}[metadata]", template.get("metadata") or {}, "ObjectMeta")


def check_containers(argument: str, spec: dict[str, Any]) -> None:
    """Refuse a pod spec without containers, a container without a name, and the `+` of a MIG profile in the name of a resource."""
    if not spec.get("containers"):
        raise wrong(argument, "with a list of at least one container in 'containers'", spec.get("containers"))
    for key in ("containers", "initContainers"):
        for container in spec.get(key) or []:
            if not isinstance(container.get("name"), str):
                raise wrong(argument, f"made of {key} with a 'name' each", container)
            check_privileges(argument, container.get("securityContext") or {})
            resources = container.get("resources") or {}
            for section in ("limits", "requests"):
                for resource in resources.get(section) or {}:
                    _check_resource(argument, resource)


def _check_resource(argument: str, resource: str) -> None:
    if is_gpu(resource) and "+" in resource:
        raise wrong(argument, "without '+' in the name of a resource", resource, f"did you mean '{resource.replace('+', '.')}'?")


def check_privileges(argument: str, context: Mapping[str, Any]) -> None:
    """Refuse a security context that the API server refuses: full privileges without the right to gain privileges."""
    if context.get(_ESCALATION) is False and (context.get("privileged") is True or SYS_ADMIN[0] in _added(context)):
        rule = f"without {_ESCALATION}: false beside privileged: true or {SYS_ADMIN[0]}"
        raise wrong(argument, rule, dict(context), f"the API server refuses the two together; leave {_ESCALATION} out")


def security_context(context: Mapping[str, Any]) -> dict[str, Any]:
    """A container's security context: the given fields, and no gain of privileges unless the container has every privilege already."""
    return merged({} if _has_every_privilege(context) else {_ESCALATION: False}, context)


def overridden_pod(pod: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """A pod spec with the user's fields merged over it. Our `allowPrivilegeEscalation: false` goes where these fields give every privilege."""
    result = merged(pod, over)
    for key in ("containers", "initContainers"):
        before, given = _contexts(pod, key), _contexts(over, key)
        for name, context in _contexts(result, key).items():
            is_ours = before.get(name, {}).get(_ESCALATION) is False and _ESCALATION not in given.get(name, {})
            if is_ours and _has_every_privilege(context) and not _has_every_privilege(before[name]):
                del context[_ESCALATION]
    return result


def _has_every_privilege(context: Mapping[str, Any]) -> bool:
    return context.get("privileged") is True or any(name in _added(context) for name in SYS_ADMIN)


def _added(context: Mapping[str, Any]) -> Sequence[str]:
    return (context.get("capabilities") or {}).get("add") or ()


def _contexts(pod: Mapping[str, Any], key: str) -> dict[Any, Any]:
    """The security contexts of the containers that have one, by the containers' names."""
    containers = pod.get(key) or []
    return {container.get("name"): container["securityContext"] for container in containers if container.get("securityContext")}
