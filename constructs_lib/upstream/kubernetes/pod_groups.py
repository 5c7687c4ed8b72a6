"""Kubernetes' own gangs: the Workload and the PodGroup, and the feature gates that they need."""

from __future__ import annotations

from ..choice import Choice

SCHEDULING_API = "scheduling.k8s.io/v1beta1"  # The API version of a Workload and a PodGroup
POD_GROUPS_SINCE = 37  # The first minor of Kubernetes with this API version, and with the feature gate as a beta
POD_GROUP_GATE = "GenericWorkload"  # The gate of the API, of the scheduler's gangs and of their preemption; off by default
TOPOLOGY_GATE = "TopologyAwareWorkloadScheduling"  # The alpha gate of `schedulingConstraints`
"""The words of Kubernetes' gangs.

The API server, the scheduler and the controller manager need the gate, and the API server `--runtime-config` too: no
beta of an API is served by default. `GangScheduling` and `WorkloadAwarePreemption`, gates of their own in 1.36, are
parts of `GenericWorkload` since 1.37.

Source: k8s.io/api scheduling/v1beta1/types.go at v0.37.2; kubernetes/kubernetes pkg/features/kube_features.go,
pkg/registry/scheduling/rest/storage_scheduling.go, cmd/kube-controller-manager/app/scheduling.go at v1.37.2
(2026-11-28)
"""

POD_GROUP_APIS = {36: ("scheduling.k8s.io/v1alpha2",), 37: (SCHEDULING_API, "scheduling.k8s.io/v1alpha3")}
"""The API versions with a PodGroup, the best first, by the minor of Kubernetes 1.x; before 1.36 there is none.

Source: k8s.io/api scheduling at v0.35.4, v0.36.3 and v0.37.2 (2026-11-28)
"""


class DisruptionMode(Choice):
    """How the scheduler may take the GPUs of a gang for another one of a higher priority.

    Source: k8s.io/api scheduling/v1beta1/types.go at v0.37.2 (2026-11-28)
    """

    ALL = "All"
    """Of all pods together."""
    SINGLE = "Single"
    """Of each pod by itself."""


DISRUPTION_FIELDS = {DisruptionMode.ALL: "all", DisruptionMode.SINGLE: "single"}
"""The field of `disruptionMode` for each mode.

Source: k8s.io/api scheduling/v1beta1/types.go at v0.37.2 (2026-11-28)
"""
