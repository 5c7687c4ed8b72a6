"""The checks that a pod template has Kubernetes' form: its fields, its containers, and the names of its resources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..arguments.errors import NOTHING, wrong
from ..arguments.quantities import check_requests
from ..arguments.spelling import most_similar
from ..upstream.nvidia.gpu_resources import is_gpu
from .objects import merged

if TYPE_CHECKING:
    from ..upstream.programs.container_rights import RootImage


def security_context(context: Mapping[str, Any]) -> dict[str, Any]:
    """A container's security context, without a gain of privileges unless it has every privilege already."""
    if not context:
        return {ESCALATION: False}
    return merged({} if has_every_privilege(context) else {ESCALATION: False}, context)


def root_context(image: RootImage) -> dict[str, Any]:
    """The security context of an image that starts as root: no capability but those that it needs, and where it can be,
    a root file system that is read-only."""
    context: dict[str, Any] = {"capabilities": {"add": list(image.capabilities), "drop": ["ALL"]}}
    return context if image.writes else {**context, "readOnlyRootFilesystem": True}


def overridden_pod(pod: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """A pod spec with the user's fields merged over it. Our `allowPrivilegeEscalation: false` goes where these fields
    give every privilege."""
    result = merged(pod, over)
    for key in ("containers", "initContainers"):
        before, given = _contexts(pod, key), _contexts(over, key)
        for name, context in _contexts(result, key).items():
            is_ours = before.get(name, {}).get(ESCALATION) is False and ESCALATION not in given.get(name, {})
            if is_ours and has_every_privilege(context) and not has_every_privilege(before[name]):
                del context[ESCALATION]
    return result


def _contexts(pod: Mapping[str, Any], key: str) -> dict[Any, Any]:
    """The security contexts of the containers that have one, by the containers' names."""
    containers = pod.get(key) or []
    return {container.get("name"): container["securityContext"] for container in containers if container.get("securityContext")}


ESCALATION = "allowPrivilegeEscalation"
_CONTAINERS = ("containers", "initContainers")


def check_template(argument: str, template: Mapping[str, Any]) -> None:
    """Refuse a pod template with misspelt fields, or with wrong values; `check_containers` refuses what is no template.

    Other fields that Kubernetes does not have stay without a warning: the template of an operator, such as KServe's,
    may have fields of its own.
    """
    spec = template.get("spec")
    if isinstance(spec, Mapping) and spec.get("containers"):
        from ..arguments.pod_fields import check_fields  # deferred: only a template that is given needs Kubernetes' schema

        check_fields(f"{argument}[spec]", spec, "PodSpec")
        check_fields(f"{argument}[metadata]", template.get("metadata") or {}, "ObjectMeta")


def check_complete(argument: str, given: Mapping[str, Any], fields: Mapping[str, Any], kind: str = "PodSpec") -> None:
    """Refuse fields into which those that the user gave are merged, and which lack a field that Kubernetes requires."""
    if given:
        from ..arguments.pod_fields import check_required  # deferred: see `check_template`

        check_required(argument, fields, kind)


def check_pod(argument: str, given: Mapping[str, Any], spec: Mapping[str, Any], server: str = "DaemonSet") -> None:
    """Refuse a pod spec into which fields that the user gave are merged, and which the API server refuses.

    `server` is the kind of the object that runs the pods, where their containers run for ever; empty for a Job.
    """
    check_complete(argument, given, spec)
    if given:
        _check_images(argument, spec)
        if server:
            _check_restarts(argument, spec, server)


def _check_restarts(argument: str, spec: Mapping[str, Any], server: str) -> None:
    from ..arguments.pod_fields import FieldPath  # deferred: see `check_template`

    place = FieldPath.of(argument)
    if (policy := spec.get("restartPolicy")) in ("Never", "OnFailure"):
        raise wrong(place.below("restartPolicy").name, f"'Always' in a {server}", policy)
    if (deadline := spec.get("activeDeadlineSeconds")) is not None:
        rule = f"left out of the pods of a {server}"
        raise wrong(place.below("activeDeadlineSeconds").name, rule, deadline, "only the pods of a Job end")


def _check_images(argument: str, spec: Mapping[str, Any]) -> None:
    """Refuse a container without an image: most often a misspelt name, which adds a container."""
    from ..arguments.pod_fields import FieldPath  # deferred: see `check_template`

    containers = [(key, index, each) for key in _CONTAINERS for index, each in enumerate(spec.get(key) or ())]
    for key, index, container in containers:
        if not container.get("image"):
            known = [each["name"] for _, _, each in containers if each.get("image")]
            hint = f"Kubernetes requires an image of every container (here of '{container['name']}')"
            if known:
                hint += f"; did you mean '{most_similar(container['name'], known) or known[0]}'?"
            raise wrong(FieldPath.of(argument).below(f"{key}.{index}.image").name, "given", NOTHING, hint)


def check_containers(argument: str, spec: dict[str, Any]) -> None:
    """Refuse a pod spec without containers, a container without a name or with requests above its limits, and a `+` in
    the name of a resource."""
    if not spec.get("containers"):
        raise wrong(argument, "with a list of at least one container in 'containers'", spec.get("containers"))
    for key in _CONTAINERS:
        for container in spec.get(key) or []:
            if not isinstance(container.get("name"), str):
                raise wrong(argument, f"made of {key} with a 'name' each", container)
            check_privileges(argument, container.get("securityContext") or {})
            resources = container.get("resources") or {}
            for section in ("limits", "requests"):
                for resource in resources.get(section) or {}:
                    _check_resource(argument, resource)
            check_requests(argument, resources, f" in '{container['name']}'")


def _check_resource(argument: str, resource: str) -> None:
    if is_gpu(resource) and "+" in resource:
        raise wrong(argument, "without '+' in the name of a resource", resource, f"did you mean '{resource.replace('+', '.')}'?")


def check_privileges(argument: str, context: Mapping[str, Any]) -> None:
    """Refuse a security context that the API server refuses: full privileges without the right to gain privileges."""
    if context.get(ESCALATION) is not False:
        return
    from ..upstream.kubernetes.api import SYS_ADMIN  # deferred: few containers have one

    if context.get("privileged") is True or SYS_ADMIN[0] in _added(context):
        rule = f"without {ESCALATION}: false beside privileged: true or {SYS_ADMIN[0]}"
        raise wrong(argument, rule, dict(context), f"the API server refuses the two together; leave {ESCALATION} out")


def has_every_privilege(context: Mapping[str, Any]) -> bool:
    """Whether a container can do what root on the node can: by `privileged`, or by the capability like it."""
    from ..upstream.kubernetes.api import SYS_ADMIN

    return context.get("privileged") is True or any(name in _added(context) for name in SYS_ADMIN)


def _added(context: Mapping[str, Any]) -> Sequence[str]:
    return (context.get("capabilities") or {}).get("add") or ()
