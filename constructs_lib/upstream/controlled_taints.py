"""The taints that Kubernetes and controllers set on nodes, and take away themselves. A pod that tolerates one runs on a node that can't serve it."""

from __future__ import annotations

CORDONED = "node.kubernetes.io/unschedulable"
"""The taint of a cordoned node.

Source: https://kubernetes.io/docs/reference/labels-annotations-taints/ (2026-11-22)
"""

UNREACHABLE = "node.kubernetes.io/unreachable"
"""The taint of a node whose condition `Ready` is `Unknown`: its kubelet does not report.

Source: https://kubernetes.io/docs/reference/labels-annotations-taints/ (2026-11-22)
"""

NOT_READY = "node.kubernetes.io/not-ready"
"""The taint of a node whose condition `Ready` is `False`: its kubelet reports, and can't run pods.

Source: https://kubernetes.io/docs/reference/labels-annotations-taints/ (2026-11-22)
"""

NETWORK_UNAVAILABLE = "node.kubernetes.io/network-unavailable"
"""The taint of a node whose condition `NetworkUnavailable` is `True`.

Source: https://kubernetes.io/docs/reference/labels-annotations-taints/ (2026-11-22)
"""

DISK_PRESSURE = "node.kubernetes.io/disk-pressure"
"""The taint of a node whose condition `DiskPressure` is `True`.

Source: https://kubernetes.io/docs/reference/labels-annotations-taints/ (2026-11-22)
"""

MEMORY_PRESSURE = "node.kubernetes.io/memory-pressure"
"""The taint of a node whose condition `MemoryPressure` is `True`.

Source: https://kubernetes.io/docs/reference/labels-annotations-taints/ (2026-11-22)
"""

PID_PRESSURE = "node.kubernetes.io/pid-pressure"
"""The taint of a node whose condition `PIDPressure` is `True`.

Source: https://kubernetes.io/docs/reference/labels-annotations-taints/ (2026-11-22)
"""

OF_KUBERNETES = "node.kubernetes.io/"
"""The domain of the taints that Kubernetes itself sets. The pods of a DaemonSet tolerate most of them.

Source: https://kubernetes.io/docs/reference/labels-annotations-taints/ (2026-11-22)
"""

UNINITIALIZED = ("node.cloudprovider.kubernetes.io/uninitialized", "node.cluster.x-k8s.io/uninitialized", "karpenter.sh/unregistered")
"""The taints of a new node that a cloud's controller, the Cluster API or Karpenter has not taken up yet.

Source: https://kubernetes.io/docs/reference/labels-annotations-taints/, https://cluster-api.sigs.k8s.io/reference/api/labels-and-annotations, https://karpenter.sh/docs/concepts/scheduling/ (2026-11-22)
"""

AGENT_UNREADY = "/agent-not-ready"
"""The end of the taints that an agent takes away once its pod is ready on the node, such as those of Cilium and of CSI drivers.

Source: https://docs.cilium.io/en/stable/installation/taints/, kubernetes-sigs/aws-ebs-csi-driver docs/install.md (2026-11-22)
"""

DISAPPEARING = ("ToBeDeletedByClusterAutoscaler", "karpenter.sh/disrupted", "node.cloudprovider.kubernetes.io/shutdown")
"""The taints of a node that an autoscaler removes, or that its cloud has shut down.

Source: https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md, https://karpenter.sh/docs/concepts/disruption/ (2026-11-22)
"""


def is_controlled(key: str) -> bool:
    """Whether Kubernetes or a controller sets this taint, and takes it away."""
    return key.startswith(OF_KUBERNETES) or key.endswith(AGENT_UNREADY) or key in UNINITIALIZED or key in DISAPPEARING
