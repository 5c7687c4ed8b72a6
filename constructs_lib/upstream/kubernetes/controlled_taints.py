"""The taints that Kubernetes and controllers set on nodes, and take away themselves. A pod that tolerates one runs on a
node that can't serve it."""

from __future__ import annotations

from fnmatch import fnmatchcase

# The domain of the taints that Kubernetes itself sets. The pods of a DaemonSet tolerate most of them.
OF_KUBERNETES = "node.kubernetes.io/"
CORDONED = "node.kubernetes.io/unschedulable"  # The taint of a cordoned node
# The taint of a node whose condition `Ready` is `Unknown`: its kubelet does not report.
UNREACHABLE = "node.kubernetes.io/unreachable"
# The taint of a node whose condition `Ready` is `False`: its kubelet reports, and can't run pods.
NOT_READY = "node.kubernetes.io/not-ready"
# The taint of a node whose condition `NetworkUnavailable` is `True`.
NETWORK_UNAVAILABLE = "node.kubernetes.io/network-unavailable"
DISK_PRESSURE = "node.kubernetes.io/disk-pressure"  # The taint of a node whose condition `DiskPressure` is `True`
MEMORY_PRESSURE = "node.kubernetes.io/memory-pressure"  # The taint of a node whose condition `MemoryPressure` is `True`
PID_PRESSURE = "node.kubernetes.io/pid-pressure"  # The taint of a node whose condition `PIDPressure` is `True`
"""The taints that Kubernetes itself sets on nodes.

Source: https://kubernetes.io/docs/reference/labels-annotations-taints/ (2026-11-22)
"""

UNINITIALIZED = ("node.cloudprovider.kubernetes.io/uninitialized", "node.cluster.x-k8s.io/uninitialized", "karpenter.sh/unregistered")
"""The taints of a new node that a cloud's controller, the Cluster API or Karpenter has not taken up yet.

Source: kubernetes/cloud-provider api/well_known_taints.go,
https://cluster-api.sigs.k8s.io/reference/api/labels-and-annotations, kubernetes-sigs/karpenter
pkg/scheduling/taints.go, KnownEphemeralTaints (2026-11-23)
"""

AGENT_UNREADY = "/agent-not-ready"
"""The end of the taints that an agent takes away once its pod is ready on the node, such as those of Cilium and of CSI
drivers.

Source: cilium/cilium operator/watchers/node_taint.go and its option agent-not-ready-taint-key,
kubernetes-sigs/aws-ebs-csi-driver docs/install.md, kubernetes-sigs/aws-efs-csi-driver pkg/driver/driver.go,
AgentNotReadyNodeTaintKey (2026-11-23)
"""

DISAPPEARING = ("ToBeDeletedByClusterAutoscaler", "karpenter.sh/disrupted", "node.cloudprovider.kubernetes.io/shutdown")
"""The taints of a node that an autoscaler removes, or that its cloud has shut down.

Source: kubernetes/autoscaler cluster-autoscaler/utils/taints/taints.go, https://karpenter.sh/docs/concepts/disruption/
(2026-11-23)
"""

_REMOVERS = {
    f"{OF_KUBERNETES}*": "Kubernetes",
    "node.cloudprovider.kubernetes.io/*": "the cloud controller manager",
    "node.cluster.x-k8s.io/*": "the Cluster API",
    "karpenter.sh/*": "Karpenter",
    f"node.cilium.io{AGENT_UNREADY}": "Cilium",
    f"ebs.csi.aws.com{AGENT_UNREADY}": "the EBS CSI driver",
    f"efs.csi.aws.com{AGENT_UNREADY}": "the EFS CSI driver",
    f"*{AGENT_UNREADY}": "the agent that the taint names",
    "cni.istio.io/not-ready": "Istio",
    "*/uninitialized": "the controller that the taint names",
    "readiness.k8s.io/*": "the Node Readiness Controller",
    "status-taint.cluster-autoscaler.kubernetes.io/*": "the controller that the taint is for",
    "ignore-taint.cluster-autoscaler.kubernetes.io/*": "the controller that the taint is for",
    "*startup-taint*": "the controller that the taint is for",
    "*OfClusterAutoscaler": "the Cluster Autoscaler",
    "*ByClusterAutoscaler": "the Cluster Autoscaler",
    "cloud.google.com/impending-node-termination": "the cloud",
    "NodeWithImpairedVolumes": "the cloud",
    "drbd.linbit.com/lost-quorum": "the HA controller of Piraeus",
    "drbd.linbit.com/force-io-error": "the HA controller of Piraeus",
}
"""Who takes a taint away, by the pattern of its key; the first pattern counts.

Source: the sources above; kubernetes/kubernetes staging/src/k8s.io/api/core/v1/well_known_taints.go;
kubernetes/autoscaler cluster-autoscaler/utils/taints/taints.go (prefixes and NodeConditionTaints);
kubernetes-sigs/karpenter pkg/scheduling/taints.go (KnownEphemeralTaintKeyPrefixes); istio/istio
pilot/pkg/controllers/untaint; piraeusdatastore/piraeus-ha-controller pkg/metadata (2026-11-23)
"""


def remover(key: str) -> str:
    """Who takes this taint away once the node can serve pods; empty for a taint that stays on its node."""
    return next((by for pattern, by in _REMOVERS.items() if fnmatchcase(key, pattern)), "")


def is_controlled(key: str) -> bool:
    """Whether Kubernetes or a controller takes this taint away. Nothing has to tolerate it."""
    return bool(remover(key))
