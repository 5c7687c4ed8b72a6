"""The feature gates that make a program of Kubernetes watch an API which is not served by default."""

from __future__ import annotations

from collections.abc import Iterable

from .dra_gates import DRA_GATES
from .pod_groups import POD_GROUP_GATE, SCHEDULING_API, TOPOLOGY_GATE

_COMPOSITE_GATE = "CompositePodGroup"

_GATE_APIS = {
    POD_GROUP_GATE: {35: "scheduling.k8s.io/v1alpha1", 36: "scheduling.k8s.io/v1alpha2", 37: SCHEDULING_API},
    _COMPOSITE_GATE: {37: "scheduling.k8s.io/v1alpha3"},
    "DRADeviceTaints": {33: "resource.k8s.io/v1alpha3", 35: ""},
    "DRADeviceTaintRules": {35: "resource.k8s.io/v1alpha3", 36: "resource.k8s.io/v1beta2", 37: ""},
}
"""The version of the API for each gate, by the minor of Kubernetes 1.x from which on it is this one; empty where the
default serves it. Without the API the scheduler waits for its informer for ever, and places no pod of the cluster.

Source: kubernetes/kubernetes pkg/scheduler/scheduler.go and pkg/scheduler/eventhandlers.go at v1.34.2, v1.35.3, v1.36.3
and v1.37.2 (2026-11-28)
"""

GATE_SINCE = {gate: found.since for gate, found in DRA_GATES.items()} | {POD_GROUP_GATE: 35, TOPOLOGY_GATE: 36, _COMPOSITE_GATE: 37}
"""The minor of Kubernetes 1.x that first has a gate. A program that does not have a gate refuses to start with it.

Source: kubernetes/kubernetes pkg/features/kube_features.go at v1.37.2 (2026-11-28)
"""


def needed_apis(gates: Iterable[str], minor: int) -> list[str]:
    """The versions of APIs that `runtime-config` has to serve for the gates, in Kubernetes 1.`minor`."""
    found = [_GATE_APIS[gate][max(since for since in _GATE_APIS[gate] if since <= minor)] for gate in gates if gate in _GATE_APIS]
    return [api for api in dict.fromkeys(found) if api]
