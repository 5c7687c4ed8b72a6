"""The requests of `request_gpus`, and a workload's manifest with the GPUs of them all, as plain data."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...nodes.gpu_nodes import GpuNodes
from ...upstream.kubernetes.api import POD_TEMPLATES
from ..gpu_pod import made_gpu_pod
from ..pod_shape import check_template


class GpuRequest(NamedTuple):
    """The GPUs of one pod, as `gpu_pod` takes them: the arguments of one call of `request_gpus`."""

    nodes: GpuNodes
    gpus: int = 1
    profile: str | None = None
    container: str | None = None
    claim: str | None = None


def pod_template(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The pod template of a workload's manifest."""
    template: Any = manifest
    for step in POD_TEMPLATES[manifest["kind"]]:
        template = template.get(step) or {}
    return dict(template)


def with_gpus(manifest: Mapping[str, Any], requests: tuple[GpuRequest, ...]) -> dict[str, Any]:
    """A workload's manifest in which the pod template has the GPUs of all requests."""
    template = copy.deepcopy(pod_template(manifest))
    check_template("workload", template)
    for request in requests:
        template = made_gpu_pod("workload", template, *request)
    return with_template(manifest, template)


def with_template(manifest: Mapping[str, Any], template: Any) -> dict[str, Any]:
    """A workload's manifest with another pod template."""
    replaced: dict[str, Any] = _replaced(manifest, POD_TEMPLATES[manifest["kind"]], template)
    return replaced


def _replaced(tree: Mapping[str, Any], steps: tuple[str, ...], value: Any) -> Any:
    return {**tree, steps[0]: _replaced(tree[steps[0]], steps[1:], value)} if steps else value
