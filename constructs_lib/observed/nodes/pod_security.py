"""Pod Security: the level that a namespace enforces, and the pod settings that `baseline` forbids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...upstream.charts.gpu_operator_chart import GPU_OPERATOR
from ...upstream.kubernetes.api import BASELINE_CAPABILITIES, ENFORCE_LABEL
from ...upstream.talos.features import EXEMPT_NAMESPACE
from ..model import Inputs, KubernetesObject, Unknown, at, equals, is_unknown, known_list, known_str, mappings, question
from .node_settings import is_whole

_LAXEST_FIRST = ("off", "privileged", "baseline", "restricted")


@question
def namespaces(inputs: Inputs) -> Mapping[str, list[KubernetesObject]]:
    """The Namespace objects with a readable name, by name; several files may describe one namespace."""
    by_name: dict[str, list[KubernetesObject]] = {}
    for each in inputs.of_kind("Namespace"):
        if isinstance(each.name, str):
            by_name.setdefault(each.name, []).append(each)
    return by_name


class Enforced(NamedTuple):
    """The level that a namespace enforces, from "off" to "restricted"; None where nothing that was read says it."""

    level: str | Unknown | None
    by_label: bool
    """Whether a label of the namespace says so, and not the default of the API server."""


def enforced_level(inputs: Inputs, namespace: str) -> Enforced:
    """The level of a namespace. Unknown if a part that can't be read may decide it."""
    if namespace == EXEMPT_NAMESPACE:
        return Enforced("off", by_label=False)
    labelled = _labelled(inputs, namespace)
    return Enforced(default_level(inputs), by_label=False) if labelled is None else Enforced(labelled, by_label=True)


@question
def default_level(inputs: Inputs) -> str | Unknown | None:
    """The Pod Security level of namespaces without a label, the laxest of several; None if no configuration sets it.

    Whole node configurations go before patches, which may belong to another cluster, or to none any more.
    """
    configs = [config for config in inputs.node_configs if config.pod_security is not None]
    written = [config.pod_security for config in configs if is_whole(config)] or [config.pod_security for config in configs]
    if any(is_unknown(each) for each in written) or inputs.may_hide("KubeAdmissionControlConfig", "KubeAPIServerConfig"):
        return Unknown()
    return next((each for each in _LAXEST_FIRST if each in written), None)


def is_patched_unread(inputs: Inputs) -> bool:
    """Whether a control plane names a patch that was not read, so that its level is not the generated one for sure."""
    unread = {each.file for each in inputs.skipped}
    configs = (each for each in inputs.node_configs if each.scope == "node" and each.file in unread)
    return any(each.control_plane is not False and not each.complete for each in configs)


def _labelled(inputs: Inputs, namespace: str) -> Any:
    """The level of a namespace's label; None without a label, `Unknown` if an unreadable part may have the label."""
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
