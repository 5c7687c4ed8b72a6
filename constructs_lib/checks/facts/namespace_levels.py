"""Which Pod Security level a namespace enforces, and what in a pod is more than `baseline` allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...upstream.charts.gpu_operator_chart import GPU_OPERATOR
from ...upstream.kubernetes_api import BASELINE_CAPABILITIES, ENFORCE_LABEL
from ..model import Inputs, KubernetesObject, Unknown, at, mappings, question


@question
def namespaces(inputs: Inputs) -> Mapping[str, list[KubernetesObject]]:
    """The Namespace objects by name: several where several files describe one."""
    found: dict[str, list[KubernetesObject]] = {}
    for each in inputs.of_kind("Namespace"):
        found.setdefault(each.name, []).append(each)
    return found


@question
def levels(inputs: Inputs) -> Mapping[str, Any]:
    """The level that a namespace's own label enforces, as far as anything that was read says it."""
    found: dict[str, Any] = {}
    for name, objects in namespaces(inputs).items():
        for each in objects:
            if isinstance(each.at("metadata", "labels"), Unknown):
                found[name] = Unknown("")
            elif each.labels.get(ENFORCE_LABEL) is not None:
                found[name] = each.labels[ENFORCE_LABEL]
    for release in inputs.of_chart(GPU_OPERATOR):
        if release.namespace and release.value("psa", "enabled") not in (None, False):
            found.setdefault(release.namespace, "privileged")  # the operator labels its own namespace then
    return found


def beyond_baseline(spec: Mapping[str, Any]) -> list[str]:
    """What `baseline` forbids in a pod spec, in the words of the API server's refusal."""
    return list(dict.fromkeys(_beyond(spec)))


def _beyond(spec: Mapping[str, Any]) -> Iterator[str]:
    for key in ("hostNetwork", "hostPID", "hostIPC"):
        if spec.get(key) is True:
            yield key
    if any(isinstance(item.get("hostPath"), Mapping) for _, item in mappings(spec.get("volumes"))):
        yield "hostPath volumes"
    for key in ("initContainers", "containers"):
        for _, container in mappings(spec.get(key)):
            if at(container, "securityContext", "privileged") is True:
                yield "privileged"
            added = at(container, "securityContext", "capabilities", "add")
            if isinstance(added, list) and any(each not in BASELINE_CAPABILITIES and not isinstance(each, Unknown) for each in added):
                yield f"capabilities {', '.join(str(each) for each in added)}"
            if any(port.get("hostPort") for _, port in mappings(container.get("ports"))):
                yield "hostPort"
