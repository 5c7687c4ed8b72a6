"""The arguments and the pod of a `Companion`, which gets no GPU, sees none, and avoids the GPU nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

import attrs

from ...arguments.errors import wrong, wrong_kind
from ...arguments.fields import named, to_flag
from ...nodes.gpu_nodes import GpuNodes, to_nodes
from ...upstream.nvidia.gpu_resources import GPU_RESOURCE, is_gpu
from ..gpu_pod import check_devices, hide_gpus
from ..pod_placement import PREFERRED, REQUIRED, both_affinities
from ..pod_shape import check_containers
from .settings import WorkloadSettings


def to_classes(value: GpuNodes | Iterable[GpuNodes] | None, argument: str = "") -> tuple[GpuNodes, ...]:
    """Classes of nodes; one class may stand without a list."""
    if value is None or isinstance(value, GpuNodes):
        return () if value is None else (value,)
    given: object = value
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise wrong_kind(argument, "a GpuNodes, or a list of them", value)
    return tuple(to_nodes(each, f"{argument}[{index}]") for index, each in enumerate(value))


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class CompanionSettings(WorkloadSettings):
    """The checked arguments of `Companion`, which documents each argument."""

    nodes: tuple[GpuNodes, ...] = attrs.field(default=(), converter=to_classes)
    required: bool = attrs.field(default=False, converter=to_flag)


_OPPOSITES = {"In": "NotIn", "Exists": "DoesNotExist"}
_WEIGHT = 100  # the most


def pod_without_gpus(settings: CompanionSettings, template: dict[str, Any]) -> dict[str, Any]:
    """The template in place, for a pod without GPUs."""
    spec = template["spec"]
    check_containers("pod_spec", spec)
    _check_no_gpu(spec)
    _check_tolerations(spec, settings.nodes)
    # Without the variable, a container of a CUDA image sees every GPU of a node whose default runtime is NVIDIA's.
    if not settings.nodes or any(nodes.runtime_class for nodes in settings.nodes):
        for container in _containers(spec):
            hide_gpus(container)
    if settings.nodes:
        _avoid(spec, settings)
    return template


def _containers(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [*(spec.get("initContainers") or []), *spec["containers"]]


def _check_no_gpu(spec: Mapping[str, Any]) -> None:
    hint = "a companion has no GPU; a GpuWorkload has"
    if "nvidia" in (spec.get("runtimeClassName") or ""):
        raise wrong("pod_spec", "without NVIDIA's RuntimeClass", spec["runtimeClassName"], hint)
    for container in _containers(spec):
        check_devices("pod_spec", container)
        resources = container.get("resources") or {}
        for key in filter(is_gpu, [*(resources.get("limits") or {}), *(resources.get("requests") or {})]):
            raise wrong("pod_spec", "without GPUs", f"{key} in {container['name']}", hint)


def _check_tolerations(spec: Mapping[str, Any], classes: Iterable[GpuNodes]) -> None:
    # A taint of Kubernetes' own, such as that of control planes, keeps pods away for another reason than the GPU.
    taints = {(GPU_RESOURCE, None), *((taint.key, taint.value) for nodes in classes for taint in nodes.taints)}
    repelling = [(key, value) for key, value in taints if not key.startswith("node-role.kubernetes.io/")]
    for toleration in spec.get("tolerations") or ():
        key, value, operator = toleration.get("key"), toleration.get("value") or "", toleration.get("operator") or "Equal"
        for taint, taint_value in repelling:
            is_same = key == taint and (operator == "Exists" or taint_value is None or value == taint_value)
            if is_same or (not key and operator == "Exists"):
                hint = f"the taint {taint} keeps pods without a GPU off the GPU nodes"
                raise wrong("pod_spec", "without a toleration of a taint of GPU nodes", dict(toleration), hint)


def _avoid(spec: dict[str, Any], settings: CompanionSettings) -> None:
    terms = _other_nodes(settings.nodes)
    if settings.required:
        spec["affinity"] = both_affinities(spec.get("affinity") or {}, {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": terms}}})
        return
    affinity = dict(spec.get("affinity") or {})
    node_affinity = dict(affinity.get("nodeAffinity") or {})
    preferences = [{"weight": _WEIGHT, "preference": term} for term in terms]
    node_affinity[PREFERRED] = [*(node_affinity.get(PREFERRED) or ()), *preferences]
    spec["affinity"] = {**affinity, "nodeAffinity": node_affinity}


def _other_nodes(classes: Iterable[GpuNodes]) -> list[dict[str, Any]]:
    """The terms for the nodes that are in no class. A class is an OR of ANDs of labels, so its opposite is each choice
    of one label of every AND."""
    conjunctions = [conjunction for nodes in classes for conjunction in _labels_of(nodes)]
    terms = [{"matchExpressions": _unique(choice)} for choice in product(*conjunctions)]
    return _unique(terms)


def _labels_of(nodes: GpuNodes) -> list[list[dict[str, Any]]]:
    """The labels of a class as conjunctions of opposite expressions."""
    if not nodes.node_affinity:
        return [[{"key": key, "operator": "NotIn", "values": [value]} for key, value in nodes.node_selector.items()]]
    terms = nodes.node_affinity["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]
    return [[{**each, "operator": _OPPOSITES[each["operator"]]} for each in term["matchExpressions"]] for term in terms]


def _unique(items: Iterable[Any]) -> list[Any]:
    kept: list[Any] = []
    for item in items:
        if item not in kept:
            kept.append(item)
    return kept
