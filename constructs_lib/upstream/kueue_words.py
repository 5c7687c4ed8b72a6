"""The words of Kueue that its queues and the workloads in them need."""

from __future__ import annotations

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
"""The label of a workload with the name of its LocalQueue.

Source: kubernetes-sigs/kueue pkg/controller/constants/constants.go at v0.19.2 (2026-11-22)
"""
