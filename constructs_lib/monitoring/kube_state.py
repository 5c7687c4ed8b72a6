"""PromQL over kube-state-metrics: how many GPUs, or shares of them, the scheduler has, and which pods asked for them.

The labels are kube-state-metrics' own, as its charts have Prometheus keep them (`honorLabels`). Several copies of it repeat every series,
so here too the most of each comes before any sum (kubernetes/kube-state-metrics internal/store/node.go and pod.go).
"""

from __future__ import annotations

# What NVIDIA's device plugin advertises, and nothing else of nvidia.com (network devices; gpumem, of another vendor's plugin), with '_' for
# everything that no label may hold (kube-state-metrics internal/store/utils.go).
GPUS = 'resource=~"nvidia_com_(gpu|gpu_shared|mig_.+)"'
_POD = "cluster, namespace, pod"


def allocatable(*matchers: str) -> str:
    """The GPUs, or shares of them, that nodes have for pods: one series a node and resource."""
    return f"max by (cluster, node, resource) (kube_node_status_allocatable{{{_matching(GPUS, *matchers)}}})"


def requested(*matchers: str) -> str:
    """What pods on nodes asked for, without those that have ended: one series a container and resource."""
    return _asked("Pending|Running", 'node!=""', *matchers)


def waiting(*matchers: str) -> str:
    """What pods that have no node yet asked for: one series a container and resource."""
    return _asked("Pending", 'node=""', *matchers)


def _asked(phases: str, *matchers: str) -> str:
    # A pod that has ended still shows its requests, and holds nothing.
    asked = f"max by ({_POD}, container, node, resource) (kube_pod_container_resource_requests{{{_matching(GPUS, *matchers)}}})"
    alive = f'max by ({_POD}) (kube_pod_status_phase{{phase=~"{phases}"}}) == 1'
    return f"{asked} and on ({_POD}) ({alive})"


def _matching(*matchers: str) -> str:
    return ", ".join(matchers)
