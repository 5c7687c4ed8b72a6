"""The words of the column STATUS of `kubectl get pods`: a state, which many causes have."""

from __future__ import annotations

POD_STATUSES = frozenset(
    {
        "Pending", "ContainerCreating", "PodInitializing", "ImagePullBackOff", "ErrImagePull", "CreateContainerConfigError", "CreateContainerError",
        "RunContainerError", "PostStartHookError", "CrashLoopBackOff", "Error", "OOMKilled", "Failed", "Terminating", "Unknown", "NotReady",
    }
)  # fmt: skip
"""The states of a pod that does not serve; those of init containers have `Init:` before them.

Source: kubernetes/kubernetes pkg/printers/internalversion/printers.go,
pkg/kubelet/kuberuntime/kuberuntime_container.go, pkg/kubelet/images/types.go, pkg/kubelet/container/sync_result.go
(2026-11-22)
"""
