"""The ComputeDomain of a gang, by which pods on several machines share memory over NVLink, and the claim of its channel.

https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu/blob/main/site/content/docs/guides/compute-domain-workloads.md
"""

from __future__ import annotations

from typing import Any

from ...arguments.errors import warn, wrong
from ..objects import Manifest
from ..workload.pod import workload_object
from ..workload.settings import GpuWorkloadSettings

COMPUTE_DOMAIN_API = "resource.nvidia.com/v1beta1"
_CLAIM = "compute-domain-channel"


def check_compute_domain(settings: GpuWorkloadSettings, *, pods: int, queue: str | None) -> None:
    """Refuse a ComputeDomain that the class or the queue can't serve, and warn of what Talos lacks."""
    if settings.nodes.dra is None:
        hint = "the pods claim a channel, which the DraDriver of a class with 'dra' serves with compute_domains=True"
        raise wrong("compute_domain", "False on nodes without 'dra'", True, hint)
    if queue is not None:
        # pkg/dra/claims.go of kubernetes-sigs/kueue: DeviceClass … is not mapped in DRA configuration
        hint = "Kueue refuses a claim whose DeviceClass it does not map, and the channel is no GPU that a quota counts; use 'pod_group'"
        raise wrong("compute_domain", "False with 'queue'", True, hint)
    count = settings.nodes.count
    if count is not None and pods > count:
        # templates/deviceclass-compute-domain-default-channel.yaml selects the one channel with the ID 0 of each node.
        raise wrong("compute_domain", f"False for more pods than the class has nodes, {count}", pods, "a node has one channel, for one pod")
    # NVIDIA/nvidia-container-toolkit pkg/nvcdi/driver-nvml.go; siderolabs/extensions nvidia-gpu at release-1.14 and main has
    # no "imex"; NVIDIA packages nvidia-imex apart from the driver (NVIDIA/cloud-native-docs#453) (2026-11-28).
    warn(
        f"{settings.name}: for a ComputeDomain on a Multi-Node NVLink machine the DRA driver starts nvidia-imex from the driver's folder, and no extension of "
        "Talos names this program: without an extension of your own that brings it and nvidia-imex-ctl to /usr/local/bin the pods stay in ContainerCreating"
    )


def compute_domain(settings: GpuWorkloadSettings) -> Manifest:
    """The ComputeDomain with the name of the workload. Its controller makes the ResourceClaimTemplate of the channel."""
    # numNodes and allocationMode equal the defaults of the CRD, so that the object does not differ in the cluster. With 0
    # each daemon starts by itself, which upstream recommends.
    channel = {"allocationMode": "Single", "resourceClaimTemplate": {"name": _template(settings)}}
    return workload_object(settings, COMPUTE_DOMAIN_API, "ComputeDomain", spec={"numNodes": 0, "channel": channel})


def claim_channel(settings: GpuWorkloadSettings, spec: dict[str, Any], container: dict[str, Any]) -> None:
    """Let a container of the pod use the channel, in place."""
    spec["resourceClaims"] = [*spec.get("resourceClaims", []), {"name": _CLAIM, "resourceClaimTemplateName": _template(settings)}]
    resources = container["resources"]
    resources["claims"] = [*resources.get("claims", []), {"name": _CLAIM}]


def _template(settings: GpuWorkloadSettings) -> str:
    return f"{settings.name}-channel"
