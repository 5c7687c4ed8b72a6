"""The user's fields laid on a generated pod spec, and a container's security context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..objects import merged
from ..pod_shape import ESCALATION, has_every_privilege

if TYPE_CHECKING:
    from ...upstream.programs.container_rights import RootImage


def security_context(context: Mapping[str, Any]) -> dict[str, Any]:
    """A container's security context: the given fields, and no gain of privileges unless the container has every
    privilege already."""
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
