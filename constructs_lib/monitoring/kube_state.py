"""PromQL over kube-state-metrics: the GPUs, or shares of GPUs, that nodes offer and pods request.

The labels are those of kube-state-metrics, which its charts make Prometheus keep (`honorLabels`). Several replicas of
kube-state-metrics repeat every series, so each expression takes the maximum of a series before any sum
(kubernetes/kube-state-metrics internal/store/node.go and pod.go).
"""

from __future__ import annotations

import json

# The resources of NVIDIA's device plugin, without other resources of nvidia.com (network devices; gpumem of another
# vendor's plugin).
# kube-state-metrics writes '_' for every character that a label can't hold (internal/store/utils.go).
GPUS = 'resource=~"nvidia_com_(gpu|gpu_shared|mig_.+)"'
POD = "cluster, namespace, pod"
"""The labels of a pod, for `by` and `on`."""
OFFERED = f"kube_node_status_allocatable{{{GPUS}}}"
"""The GPUs, or shares, that nodes offer, with one series for each copy of kube-state-metrics."""


def allocatable(*matchers: str) -> str:
    """The GPUs, or shares, that nodes offer to pods: one series for each node and resource."""
    return f"max by (cluster, node, resource) (kube_node_status_allocatable{{{_matching(GPUS, *matchers)}}})"


def desired(daemon_sets: str) -> str:
    """The number of nodes on which a DaemonSet should run, with one series for each copy of kube-state-metrics;
    `daemon_sets` is a regular expression.
    """
    return f"kube_daemonset_status_desired_number_scheduled{{{_daemon_sets(daemon_sets)}}}"


def ready(daemon_sets: str) -> str:
    """The number of nodes on which a DaemonSet is ready, as `desired` counts the nodes."""
    return f"kube_daemonset_status_number_ready{{{_daemon_sets(daemon_sets)}}}"


def _daemon_sets(pattern: str) -> str:
    return f"daemonset=~{json.dumps(pattern, ensure_ascii=False)}"


def requested(*matchers: str) -> str:
    """The GPUs that pods with a node request, without finished pods: one series for each container and resource."""
    return _requests("Pending|Running", 'node!=""', *matchers)


def waiting(*matchers: str) -> str:
    """The GPUs that pods without a node request: one series for each container and resource."""
    return _requests("Pending", 'node=""', *matchers)


def _requests(phases: str, *matchers: str) -> str:
    # A finished pod still has series of its requests, but holds no GPU.
    requests = f"max by ({POD}, container, node, resource) (kube_pod_container_resource_requests{{{_matching(GPUS, *matchers)}}})"
    alive = f'max by ({POD}) (kube_pod_status_phase{{phase=~"{phases}"}}) == 1'
    return f"{requests} and on ({POD}) ({alive})"


def _matching(*matchers: str) -> str:
    return ", ".join(matchers)
