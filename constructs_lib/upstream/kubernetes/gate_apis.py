"""The feature gates of Kubernetes that need an API which is not served by default, or another gate."""

from __future__ import annotations

from collections.abc import Iterable

from .dra_gates import DRA_GATES
from .feature_gates import GATE_MINORS, NEWEST, OLDEST, has_gate
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

GATE_SINCE = {gate: first for gate, (first, _) in GATE_MINORS.items() if first > OLDEST} | {
    gate: found.since for gate, found in DRA_GATES.items()
}
"""The minor of Kubernetes 1.x that first has a gate. A program that does not have a gate refuses to start with it.

Source: kubernetes/kubernetes pkg/features/kube_features.go at v1.37.2 and v1.36.3 (2026-11-28)
"""

_REQUIRED_GATES = {
    "DRADeviceTaintRules": ("DRADeviceTaints",),
    TOPOLOGY_GATE: (POD_GROUP_GATE,),
    _COMPOSITE_GATE: (POD_GROUP_GATE, TOPOLOGY_GATE),
    "ClusterTrustBundleProjection": ("ClusterTrustBundle",),
    "DRAPartitionableDevicesType": ("DRAResourcePoolStatus",),
    "DRAWorkloadResourceClaims": (POD_GROUP_GATE,),
    "GangScheduling": (POD_GROUP_GATE,),
    "InPlacePodLevelResourcesVerticalScaling": ("NodeDeclaredFeatures",),
    "PodGroupPreemptionPolicy": (POD_GROUP_GATE,),
    "RestartAllContainersOnContainerExits": ("NodeDeclaredFeatures",),
    "WorkloadAwarePreemption": ("GangScheduling",),
    "WorkloadWithJob": (POD_GROUP_GATE,),
}
"""The gates that a gate needs, and that some Kubernetes from 1.35 on has off by default. A program refuses to start
with a gate whose needed gate is off.

Source: kubernetes/kubernetes pkg/features/kube_features.go at v1.35.3, v1.36.3 and v1.37.2,
defaultKubernetesFeatureGateDependencies; k8s.io/component-base featuregate/feature_gate.go at v0.37.2 (2026-11-28)
"""

_ON_SINCE = {gate: found.on_since for gate, found in DRA_GATES.items()} | {"NodeDeclaredFeatures": 36}
"""The minor of Kubernetes 1.x that first has a needed gate on by default; no Kubernetes has the others on.

Source: kubernetes/kubernetes pkg/features/kube_features.go at v1.37.2 (2026-11-28)
"""


def depends_on_kubernetes(gate: str) -> bool:
    """Whether some Kubernetes of the tables has no such gate, or another gate has to be on with it."""
    return gate in GATE_SINCE or gate in _REQUIRED_GATES or not has_gate(NEWEST, gate)


def with_required_gates(gates: Iterable[str], minor: int) -> list[str]:
    """The gates, and those that they need and that Kubernetes 1.`minor` has off by default."""
    closed = list(dict.fromkeys(gates))
    for gate in closed:  # grows: a needed gate may need another one
        needed = _REQUIRED_GATES.get(gate, ())
        closed += [each for each in needed if each not in closed and minor < _ON_SINCE.get(each, minor + 1)]
    return closed


def needed_apis(gates: Iterable[str], minor: int) -> list[str]:
    """The versions of APIs that `runtime-config` has to serve for the gates, in Kubernetes 1.`minor`."""
    found = [_GATE_APIS[gate][max(since for since in _GATE_APIS[gate] if since <= minor)] for gate in gates if gate in _GATE_APIS]
    return [api for api in dict.fromkeys(found) if api]
