"""Fields that the API server fills in: writing the default out changes no stored object, and starts no rollout."""

from __future__ import annotations

from ..observed.model import KubernetesObject, Path, at, is_unknown, known_str
from ..upstream.kubernetes.api import POD_TEMPLATES
from ..upstream.kubernetes.fields import OF_CONTAINER, OF_POD, OF_PORT, OF_PROBE, OF_SPEC
from ..upstream.kubernetes.registries import split_reference
from .field_changes import FieldChange

_OF_TEMPLATE = {key: value for key, value in OF_POD.items() if key != "enableServiceLinks"} | {"securityContext": {}}
"""The defaults of the pod of a template. `enableServiceLinks` is filled in in pods alone.

Source: kubernetes/kubernetes v1.36.3 pkg/apis/core/v1/defaults.go SetDefaults_PodSpec and SetDefaults_Pod (2026-11-28)
"""


def is_filled_in(change: FieldChange, now: KubernetesObject) -> bool:
    """Whether one side leaves a field out, and the other one writes its default."""
    written = change.new if change.old is None else change.old
    if is_unknown(written) or (change.old is not None and change.new is not None):
        return False
    default = _default(change.path, now)
    return default is not None and isinstance(written, bool) == isinstance(default, bool) and bool(written == default)


def _default(path: Path, now: KubernetesObject) -> object:
    template = POD_TEMPLATES.get(now.kind)
    if template is None or path[: len(template)] != template:
        return OF_SPEC.get(now.kind, {}).get(f"{path[1]}") if len(path) == 2 and path[0] == "spec" else None  # noqa: PLR2004  # spec, and a field
    return _of_template(path[len(template) :], now.at(*template))


def _of_template(path: Path, template: object) -> object:
    match path:
        case ("spec", str(name)):
            return _OF_TEMPLATE.get(name)
        case ("spec", "containers" | "initContainers" as kind, container, *inner):
            match inner:
                case ["imagePullPolicy"]:
                    return _pull_policy(at(template, "spec", kind), container)
                case ["ports", _, str(name)]:
                    return OF_PORT.get(name)
                case ["livenessProbe" | "readinessProbe" | "startupProbe", str(name)]:
                    return OF_PROBE.get(name)
                case [str(name)]:
                    return OF_CONTAINER.get(name)
    return None


def _pull_policy(containers: object, name: str | int) -> str | None:
    """The policy of a container that writes none.

    Source: kubernetes/kubernetes v1.36.3 pkg/apis/core/v1/defaults.go SetDefaults_Container (2026-11-28)
    """
    items = containers if isinstance(containers, list | tuple) else ()
    image = next((known_str(at(each, "image")) for index, each in enumerate(items) if name in (index, known_str(at(each, "name")))), None)
    if image is None:
        return None
    reference = split_reference(image)
    is_latest = (reference.tag or "latest") == "latest" and "@" not in image
    return "Always" if is_latest else "IfNotPresent"
