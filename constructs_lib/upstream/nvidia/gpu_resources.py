"""The resource names and variables by which pods ask Kubernetes for NVIDIA GPUs, and the labels of GPU nodes that every
chart of NVIDIA's knows."""

from __future__ import annotations

import re

GPU_RESOURCE = "nvidia.com/gpu"
"""The extended resource of a GPU, or of a share of one.

Source: NVIDIA/k8s-device-plugin api/config/v1/consts.go at v0.20.0 (2026-08-22)
"""

MIG_RESOURCE = "nvidia.com/mig-"
"""The prefix of the extended resource of a MIG partition, with the strategy `mixed`.

Source: NVIDIA/k8s-device-plugin internal/rm/rm.go at v0.20.0 (2026-08-22)
"""

SHARED_SUFFIX = ".shared"
"""The suffix that the device plugin appends to a shared resource, with `renameByDefault`.

Source: NVIDIA/k8s-device-plugin api/config/v1/consts.go at v0.20.0 (2026-08-22)
"""

REQUESTS_PREFIX = "requests."
"""The prefix of an extended resource in a ResourceQuota. Kubernetes refuses the prefix `limits.` and a name without a
prefix there.

Source: https://kubernetes.io/docs/concepts/policy/resource-quotas/#quota-for-extended-resources (2026-11-22)
"""

CLASS_QUOTA_SUFFIX = ".deviceclass.resource.k8s.io/devices"
"""The suffix that makes the name of a DeviceClass an entry of a ResourceQuota: the devices of the class that all claims
of the namespace request.

Source: https://kubernetes.io/docs/concepts/policy/resource-quotas/#quota-for-dra-resource-claims (2026-11-22)
"""

VISIBLE_DEVICES = "NVIDIA_VISIBLE_DEVICES"
"""The variable that tells NVIDIA's container runtime which GPUs a container sees; the pod's own value beats the device
plugin's.

Source: https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html (2026-08-22)
"""

PRESENT_LABEL = "nvidia.com/gpu.present"
"""The label of a GPU node that only the GPU operator sets, and no other component of NVIDIA's.

Source: NVIDIA/gpu-operator controllers/nodelabeling_controller.go at v26.7.0 (2026-08-22)
"""

CONFIG_LABEL = "nvidia.com/device-plugin.config"
"""The node label by which the plugin's config manager chooses a node's config.

Source: NVIDIA/k8s-device-plugin cmd/config-manager/main.go at v0.20.0 (2026-08-22)
"""

NVIDIA = re.compile(r"nvidia|gpu-operator|k8s-device-plugin|\bdcgm\b|\bcuda\b", re.IGNORECASE)
"""A text that names NVIDIA, or a component of its GPU stack.

Source: the names of NVIDIA/gpu-operator, NVIDIA/k8s-device-plugin and NVIDIA/dcgm-exporter (2026-08-22)
"""


def is_gpu(resource: str) -> bool:
    """Whether an extended resource is a GPU of NVIDIA's: whole, shared, or a partition."""
    return resource == GPU_RESOURCE or resource.startswith((f"{GPU_RESOURCE}.", MIG_RESOURCE))


def mig_resource(profile: str) -> str:
    """The extended resource of a MIG profile. It has no plus, which Kubernetes refuses in a name."""
    return f"{MIG_RESOURCE}{profile.replace('+', '.')}"
