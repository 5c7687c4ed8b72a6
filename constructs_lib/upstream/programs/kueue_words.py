"""The words of Kueue that its queues and the workloads in them need."""

from __future__ import annotations

KUEUE_API = "kueue.x-k8s.io/v1beta2"
"""The stored version of Kueue's API. The older version v1beta1 is served with a warning.

Source: kubernetes-sigs/kueue config/components/crd at v0.19.2 (2026-11-22)
"""

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
"""The label of a workload with the name of its LocalQueue.

Source: kubernetes-sigs/kueue pkg/controller/constants/constants.go at v0.19.2 (2026-11-22)
"""

KUEUE_LABELS = "kueue.x-k8s.io/"
"""The prefix of the labels that Kueue reads, such as those of the queue and of the priority.

Source: kubernetes-sigs/kueue pkg/controller/constants/constants.go at v0.19.2 (2026-11-22)
"""

MOST_PER_FLAVOR = 8
"""The most node labels, and the most node taints, of a ResourceFlavor.

Source: kubernetes-sigs/kueue apis/kueue/v1beta2/resourceflavor_types.go at v0.19.2 (2026-11-22)
"""

NAMESPACE_LABEL = "kubernetes.io/metadata.name"
"""The label of every namespace with its name, which Kubernetes sets.

Source: https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-metadata-name (2026-11-22)
"""
