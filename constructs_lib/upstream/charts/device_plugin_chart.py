"""NVIDIA's device plugin: its chart, folders and labels."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..nvidia.gpu_resources import PRESENT_LABEL
from .chart import Chart, ChartTable, Subchart
from .nfd_chart import NODE_FEATURE_DISCOVERY, VENDOR_LABEL

# The label, with the value NVIDIA, by which NVIDIA's charts find nodes whose processor is a Tegra.
TEGRA_LABEL = "feature.node.kubernetes.io/cpu-model.vendor_id"
# The toleration that NVIDIA's charts give their pods.
NVIDIA_TOLERATION = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
MPS_ROOT = "/run/nvidia/mps"  # The folder of a node that the MPS daemon and its clients share
"""Words of the chart's values.

Source: NVIDIA/k8s-device-plugin deployments/helm/nvidia-device-plugin/values.yaml at v0.20.0 (2026-08-22)
"""

UNIFIED_MEMORY_SINCE = "0.17.4"
"""The first device plugin that runs on a GPU without memory of its own, such as a GB10. Older plugins exit with
`error getting device memory`.

Source: NVIDIA/k8s-device-plugin internal/rm/devices.go at v0.17.3 and v0.17.4 (#1374); NVIDIA/gpu-operator#1794
(2026-11-22)
"""


def any_of(*labels: tuple[str, str]) -> dict[str, Any]:
    """The required node affinity for nodes with one of these labels."""
    terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]} for key, value in labels]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


DEVICE_PLUGIN = Chart(
    name="nvidia-device-plugin",
    aliases=("k8s-device-plugin", "nvdp", "nvidia-k8s-device-plugin"),
    # Before 0.15.0 GPU feature discovery was a subchart, with keys of its own.
    read_table=partial(ChartTable.of, "nvidia-device-plugin"),
    instead={
        "flags": "use the keys at the top (migStrategy, deviceListStrategy, deviceIDStrategy, …), or a config in config.map",
        "gfd.nodeSelector": "use nodeSelector at the top, which the whole chart shares",
        "gfd.tolerations": "use tolerations at the top, which the whole chart shares",
        "gfd.affinity": "use affinity at the top, which the whole chart shares",
        "gfd.resources": "use resources at the top, which the whole chart shares",
        "gfd.runtimeClassName": "use runtimeClassName at the top, which the whole chart shares",
        "gfd.noTimestamp": "use noTimestamp at the top",
        "gfd.sleepInterval": "use sleepInterval at the top",
        "env": "use the keys at the top (migStrategy, deviceListStrategy, deviceIDStrategy, …)",
        "sharing": "use a config in config.map, with sharing in it",
        "timeSlicing": "use a config in config.map, with sharing.timeSlicing in it",
    },
    refused={"namespace": "set the namespace of the release"},
    defaults={
        "affinity": any_of((VENDOR_LABEL, "true"), (TEGRA_LABEL, "NVIDIA"), (PRESENT_LABEL, "true")),
        "tolerations": [{"key": "CriticalAddonsOnly", "operator": "Exists"}, NVIDIA_TOLERATION],
        "nfd": {
            "worker": {
                "tolerations": [
                    {"key": "node-role.kubernetes.io/master", "operator": "Equal", "value": "", "effect": "NoSchedule"},
                    {"key": "nvidia.com/gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"},
                ],
                "config": {"sources": {"pci": {"deviceClassWhitelist": ["02", "03"], "deviceLabelFields": ["vendor"]}}},
            }
        },
    },
    subcharts={
        "nfd": Subchart(chart=NODE_FEATURE_DISCOVERY, own_keys=("enabled",)),
    },
)
"""The chart nvidia-device-plugin. Templates with `typeIs "bool"` drop a string, and templates with `typeIs "string"`
drop any other type.

Source: NVIDIA/k8s-device-plugin deployments/helm/nvidia-device-plugin/{values.yaml,templates} at v0.15.0 to v0.20.0
(2026-08-22)
"""

FEATURE_DISCOVERY = Chart(name="gpu-feature-discovery", aliases=("nvgfd", "nvidia-gpu-feature-discovery"))
"""The chart gpu-feature-discovery, which is a part of the device plugin's chart since 0.15.

Source: NVIDIA/k8s-device-plugin deployments/helm at v0.14.0 and v0.15.0 (2026-08-22)
"""

# The folder of the plugin's container in which it looks for the driver that its CDI specs describe.
CONTAINER_DRIVER_ROOT = "/driver-root"
# The variables that name another folder than `CONTAINER_DRIVER_ROOT`.
CONTAINER_DRIVER_ROOT_VARIABLES = ("DRIVER_ROOT_CTR_PATH", "CONTAINER_DRIVER_ROOT")
CDI_SPECS = "/var/run/cdi"  # The folder of a node into which the plugin writes CDI specs; /var/run is /run on Talos
CONFIG_KEYS = ("version", "flags", "resources", "sharing", "imex")  # The keys of the plugin's config file
# The prefixes of the labels that GPU feature discovery publishes. `nvidia.com/gpu.present` is none of them.
DISCOVERED_LABELS = ("nvidia.com/cuda.", "nvidia.com/gpu.", "nvidia.com/gfd.", "nvidia.com/mig", "nvidia.com/mps.", "nvidia.com/vgpu.")
"""The folders and variables of the plugin, the keys of its config file, and the labels of GPU feature discovery.

Source: NVIDIA/k8s-device-plugin api/config/v1/{consts,config}.go, cmd/nvidia-device-plugin/main.go,
internal/cdi/cdi.go, internal/lm at v0.20.0 (2026-08-22)
"""

KUBELET_SOCKETS = "/var/lib/kubelet/device-plugins"
"""The folder of a node in which every device plugin registers with the kubelet.

Source: https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/ (2026-08-22)
"""
