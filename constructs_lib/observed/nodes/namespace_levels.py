"""Pod Security levels of namespaces, and the pod settings that `baseline` forbids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...upstream.charts.gpu_operator_chart import GPU_OPERATOR
from ...upstream.kubernetes.api import BASELINE_CAPABILITIES, ENFORCE_LABEL
from ..model import Inputs, KubernetesObject, Unknown, at, equals, is_unknown, known_list, known_str, mappings, question


@question
def namespaces(inputs: Inputs) -> Mapping[str, list[KubernetesObject]]:
    """The Namespace objects with a readable name, by name; several files may describe one namespace."""
    by_name: dict[str, list[KubernetesObject]] = {}
    for each in inputs.of_kind("Namespace"):
        if isinstance(each.name, str):
            by_name.setdefault(each.name, []).append(each)
    return by_name


def level_of(inputs: Inputs, namespace: str) -> Any:
    """The level that a namespace's label enforces; None without such a label, `Unknown` if an unreadable part may have the label."""
    level = _levels(inputs).get(namespace)
    unread = [each for each in inputs.of_kind("Namespace") if is_unknown(each.name)]
    if level is None and (inputs.may_hide("Namespace") or any(not equals(each.name, namespace).is_no for each in unread)):
        return Unknown()
    return level


@question
def _levels(inputs: Inputs) -> Mapping[str, Any]:
    levels: dict[str, Any] = {}
    for name, objects in namespaces(inputs).items():
        for each in objects:
            level = each.at("metadata", "labels", ENFORCE_LABEL)
            if level is not None:
                levels[name] = level
    for release in inputs.of_chart(GPU_OPERATOR):
        labels_its_own = release.value("psa", "enabled")
        if isinstance(release.namespace, str) and labels_its_own is not None and labels_its_own is not False:
            levels.setdefault(release.namespace, labels_its_own if is_unknown(labels_its_own) else "privileged")
    return levels


def beyond_baseline(spec: Mapping[str, Any]) -> list[str]:
    """The settings of a pod spec that `baseline` forbids, in the words of the API server."""
    return list(dict.fromkeys(_beyond(spec)))


def _beyond(spec: Mapping[str, Any]) -> Iterator[str]:
    for key in ("hostNetwork", "hostPID", "hostIPC"):
        if at(spec, key) is True:
            yield key
    if any(isinstance(at(item, "hostPath"), Mapping) for _, item in mappings(at(spec, "volumes"))):
        yield "hostPath volumes"
    for key in ("initContainers", "containers"):
        for _, container in mappings(at(spec, key)):
            if at(container, "securityContext", "privileged") is True:
                yield "privileged"
            added = at(container, "securityContext", "capabilities", "add")
            if any(isinstance(each, str) and each not in BASELINE_CAPABILITIES for each in known_list(added)):
                yield f"capabilities {', '.join(f'{each}' for each in added)}"
            if any((known_str(at(port, "hostPort")) or "0") != "0" for _, port in mappings(at(container, "ports"))):
                yield "hostPort"
