"""The resources and variables by which pods ask for NVIDIA GPUs, the labels of GPU nodes that every chart of NVIDIA's
knows, and the MIG profiles of cards."""

from __future__ import annotations

import re


def _seven(unit: int, double: int, half: int, whole: int) -> dict[str, int]:
    """The profiles of a card with seven slices, by NVIDIA's rounded memory sizes, with the number of each that fit."""
    return {
        f"1g.{unit}gb": 7, f"1g.{unit}gb+me": 1, f"1g.{double}gb": 4, f"2g.{double}gb": 3, f"3g.{half}gb": 2, f"4g.{half}gb": 1,
        f"7g.{whole}gb": 1,
    }  # fmt: skip


def _workstation(unit: int, slices: int) -> dict[str, int]:
    """The profiles of an RTX PRO with two or four slices: every profile also with graphics, partial profiles with
    variants for media engines."""
    whole = f"{slices}g.{slices * unit}gb"
    found = {f"1g.{unit}gb+me": 1, whole: 1, f"{whole}+gfx": 1}
    for size in range(1, slices):
        if slices % size == 0:
            name, most = f"{size}g.{size * unit}gb", slices // size
            found |= {name: most, f"{name}+gfx": most, f"{name}-me": most, f"{name}+me.all": 1}
    return found


# By the card's name, and its memory in GB. A hint only: profiles depend on the driver, and new cards appear.
_A30 = {"1g.6gb": 4, "1g.6gb+me": 1, "2g.12gb": 2, "2g.12gb+me": 1, "4g.24gb": 1}
_OF_80 = _seven(10, 20, 40, 80)
_OF_96 = _seven(12, 24, 48, 96)
MIG_CARDS: dict[str, dict[int, dict[str, int]]] = {
    "A30": {24: _A30},
    "A[18]00": {40: _seven(5, 10, 20, 40), 80: _OF_80},
    "H[18]00": {80: _OF_80, 94: _seven(12, 24, 47, 94), 96: _OF_96},
    "H20": {96: _OF_96},
    "H200": {141: _seven(18, 35, 71, 141)},
    "GH200": {96: _OF_96, 144: _seven(18, 36, 72, 144)},
    "B200": {180: _seven(23, 45, 90, 180)},
    "GB200": {186: _seven(23, 47, 93, 186)},
    "B300": {269: _seven(34, 67, 135, 269)},
    "GB300": {278: _seven(35, 70, 139, 278)},
    "RTX PRO 6000": {96: _workstation(24, 4)},
    "RTX PRO 5000": {48: _workstation(24, 2)},
    "RTX PRO 4500": {32: _workstation(16, 2)},
}
"""The MIG profiles of a card, with the number of each that fit, by a pattern of the card's name and its memory in GB.

Source: NVIDIA/mig-parted deployments/systemd/config-default.yaml at v0.15.0,
https://docs.nvidia.com/datacenter/tesla/mig-user-guide/ (2026-08-22)
"""


GPU_RESOURCE = "nvidia.com/gpu"  # The extended resource of a GPU, or of a share of one
MIG_RESOURCE = "nvidia.com/mig-"  # The prefix of the extended resource of a MIG partition, with the strategy `mixed`
SHARED_SUFFIX = ".shared"  # The suffix that the device plugin appends to a shared resource, with `renameByDefault`
# The node label by which the plugin's config manager chooses a node's config.
CONFIG_LABEL = "nvidia.com/device-plugin.config"
"""The names that the device plugin gives resources, and the label that chooses its config.

Source: NVIDIA/k8s-device-plugin api/config/v1/consts.go, internal/rm/rm.go, cmd/config-manager/main.go at v0.20.0
(2026-08-22)
"""

# The prefix of an extended resource in a ResourceQuota. The API server takes the prefix `limits.` and a name without a
# prefix, too, and counts nothing by them.
REQUESTS_PREFIX = "requests."
# The suffix that makes the name of a DeviceClass an entry of a ResourceQuota: the devices of the class that all claims
# of the namespace request.
CLASS_QUOTA_SUFFIX = ".deviceclass.resource.k8s.io/devices"
"""The names of devices in a ResourceQuota.

Source: https://kubernetes.io/docs/concepts/policy/resource-quotas/#quota-for-extended-resources and
#quota-for-dra-resource-claims (2026-11-22); kubernetes/kubernetes pkg/quota/v1/evaluator/core/pods.go,
isExtendedResourceNameForQuota, and kube-apiserver 1.36.3 (2026-11-28)
"""

MIG_CONFIG_LABEL = "nvidia.com/mig.config"  # The node label that names the layout which the MIG manager applies
MIG_STATE_LABEL = "nvidia.com/mig.config.state"  # `success`, `failed`, `pending` or `rebooting`
ALL_DISABLED = "all-disabled"  # The layout without MIG
"""The names of the MIG manager.

Source: NVIDIA/mig-parted cmd/nvidia-mig-manager/main.go, pkg/mig/reconfigure/reconfigure.go,
deployments/systemd/config-default.yaml at v0.15.0 (2026-11-28)
"""

VISIBLE_DEVICES = "NVIDIA_VISIBLE_DEVICES"
"""The variable that tells NVIDIA's container runtime which GPUs a container sees; the pod's own value beats the device
plugin's. It is a request: every CDI specification of the toolkit and of the DRA driver sets it to `void` inside the
container, so what a program reads there tells nothing.

Source: https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html (2026-08-22);
NVIDIA/nvidia-container-toolkit pkg/nvcdi/wrapper.go at v1.18.2 and v1.19.1 (2026-11-23)
"""

PRESENT_LABEL = "nvidia.com/gpu.present"
"""The label of a GPU node that only the GPU operator sets, and no other component of NVIDIA's.

Source: NVIDIA/gpu-operator controllers/nodelabeling_controller.go at v26.7.0 (2026-08-22)
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
