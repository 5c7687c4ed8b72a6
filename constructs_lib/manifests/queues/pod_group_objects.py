"""The Workload and the PodGroup of a gang: Kubernetes' own scheduler places all pods of the gang, or none."""

from __future__ import annotations

from typing import Any

from ...upstream.kubernetes.pod_groups import DISRUPTION_FIELDS, SCHEDULING_API, DisruptionMode
from ..objects import Manifest, Manifests, manifest
from ..workload.pod import workload_labels
from .gang_settings import GangSettings


def pod_group(settings: GangSettings, gang: Manifest, pod: dict[str, Any]) -> Manifests:
    """The Workload, which says for whom the group is, and the PodGroup, which the scheduler reads; `pod` is the spec of the gang's pods."""
    group: dict[str, Any] = {
        "schedulingPolicy": {"gang": {"minCount": settings.size}},
        # The gang restarts as a whole, so a pod that loses its GPUs takes the others with it.
        "disruptionMode": {DISRUPTION_FIELDS[settings.disruption_mode or DisruptionMode.ALL]: {}},
    }
    if settings.group_topology is not None:
        group["schedulingConstraints"] = {"topology": [{"key": settings.group_topology}]}
    if "priorityClassName" in pod:  # the scheduler refuses a group whose priority is not that of its pods
        group["priorityClassName"] = pod["priorityClassName"]
    controller = {"apiGroup": gang["apiVersion"].partition("/")[0], "kind": gang["kind"], "name": settings.name}
    specs = {
        "Workload": {"controllerRef": controller, "podGroupTemplates": [{"name": settings.name, **group}]},
        "PodGroup": {"workloadRef": {"workloadName": settings.name, "templateName": settings.name}, **group},
    }
    marks: dict[str, Any] = {"namespace": settings.namespace, "labels": workload_labels(settings), "annotations": settings.annotations}
    return {kind: manifest(SCHEDULING_API, kind, settings.name, **marks, spec=spec) for kind, spec in specs.items()}
