"""The option values of NVIDIA's device plugin, of GPU feature discovery and of their config file."""

from __future__ import annotations

from dataclasses import dataclass

from .choice import Choice


class DeviceListStrategy(Choice):
    """The way in which the plugin tells the container runtime which GPUs it allocated.

    Source: NVIDIA/k8s-device-plugin api/config/v1/strategy.go at v0.20.0 (2026-08-22)
    """

    ENVVAR = "envvar"
    VOLUME_MOUNTS = "volume-mounts"
    CDI_ANNOTATIONS = "cdi-annotations"
    CDI_CRI = "cdi-cri"


class DeviceIDStrategy(Choice):
    """The form in which the plugin names a GPU to the container runtime.

    Source: NVIDIA/k8s-device-plugin api/config/v1/consts.go at v0.20.0 (2026-08-22)
    """

    UUID = "uuid"
    INDEX = "index"


class DeviceDiscoveryStrategy(Choice):
    """The way in which the plugin finds the node's GPUs.

    Source: NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go at v0.20.0 (2026-08-22)
    """

    AUTO = "auto"
    NVML = "nvml"
    TEGRA = "tegra"


class MigStrategy(Choice):
    """The way in which GPUs with MIG partitions are advertised.

    Source: NVIDIA/k8s-device-plugin api/config/v1/consts.go at v0.20.0 (2026-08-22)
    """

    NONE = "none"
    """Whole GPUs only."""
    SINGLE = "single"
    """Every GPU of a node in partitions of one size, advertised as `nvidia.com/gpu`."""
    MIXED = "mixed"
    """Partitions of several sizes, advertised as `nvidia.com/mig-<profile>`."""


CDI_STRATEGIES = frozenset({DeviceListStrategy.CDI_ANNOTATIONS, DeviceListStrategy.CDI_CRI})
"""The device list strategies by which containerd injects GPUs from CDI specs.

Source: NVIDIA/k8s-device-plugin api/config/v1/strategy.go at v0.20.0 (2026-08-22)
"""

DISCOVERY_ONLY_STRATEGY = "vfio"
"""The device discovery strategy that only GPU feature discovery knows, and the plugin does not.

Source: NVIDIA/k8s-device-plugin cmd/gpu-feature-discovery/main.go at v0.20.0 (2026-08-22)
"""

ALLOCATION_POLICIES = ("distributed", "packed")
"""The allocation policies of shared devices.

Source: NVIDIA/k8s-device-plugin api/config/v1/consts.go at v0.20.0 (2026-08-22)
"""

CONFIG_FALLBACKS = ("named", "single", "empty")
"""The fallback strategies of the plugin's config manager.

Source: NVIDIA/k8s-device-plugin cmd/config-manager/main.go at v0.20.0 (2026-08-22)
"""

FEWEST_REPLICAS = 2
"""The fewest replicas of a shared resource: "number of replicas must be >= 2".

Source: NVIDIA/k8s-device-plugin api/config/v1/replicas.go at v0.20.0 (2026-08-22)
"""

MOST_MPS_CLIENTS = 48
"""The most clients that MPS serves on one GPU from compute capability 7.5 on. On older GPUs MPS serves 16.

Source: NVIDIA/k8s-device-plugin cmd/mps-control-daemon/mps/daemon.go at v0.20.0 (2026-08-22)
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spelling:
    """The ways in which one option of the plugin is written: variables, flags, the path in a config file, and the chart's value."""

    variables: tuple[str, ...]
    flags: tuple[str, ...]
    in_file: tuple[str, ...]
    in_values: str = ""


LIST_STRATEGY = "device-list-strategy"
"""The option with the device list strategies, which tell the container runtime which GPUs were allocated.

The variable, the flag and the chart's value are split at commas. In a config file a string is one word and several words are a list: there
the plugin refuses "envvar,cdi-cri" with "invalid strategy: envvar,cdi-cri".

Source: NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go, api/config/v1/flags.go (UnmarshalJSON) at v0.20.0 (2026-11-22)
"""

ID_STRATEGY = "device-id-strategy"
"""The option for the form in which a GPU is named to the container runtime.

Source: NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go at v0.20.0 (2026-08-22)
"""

DISCOVERY_STRATEGY = "device-discovery-strategy"
"""The option for the way in which the GPUs of a node are found.

Source: NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go at v0.20.0 (2026-08-22)
"""

MIG_STRATEGY = "mig-strategy"
"""The option for the way in which MIG partitions are advertised.

Source: NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go at v0.20.0 (2026-08-22)
"""

DRIVER_ROOT_OPTION = "nvidia-driver-root"
"""The option for the folder of the node that holds the driver.

Source: NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go at v0.20.0 (2026-08-22)
"""

ALLOCATION_POLICY = "shared-devices-allocation-policy"
"""The option for the choice of the card of a share.

Source: NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go at v0.20.0 (2026-08-22)
"""

SPELLINGS = {
    LIST_STRATEGY: Spelling(
        variables=("DEVICE_LIST_STRATEGY",),
        flags=("--device-list-strategy",),
        in_file=("flags", "plugin", "deviceListStrategy"),
        in_values="deviceListStrategy",
    ),
    ID_STRATEGY: Spelling(
        variables=("DEVICE_ID_STRATEGY",),
        flags=("--device-id-strategy",),
        in_file=("flags", "plugin", "deviceIDStrategy"),
        in_values="deviceIDStrategy",
    ),
    DISCOVERY_STRATEGY: Spelling(
        variables=("DEVICE_DISCOVERY_STRATEGY",),
        flags=("--device-discovery-strategy",),
        in_file=("flags", "deviceDiscoveryStrategy"),
        in_values="deviceDiscoveryStrategy",
    ),
    MIG_STRATEGY: Spelling(
        variables=("MIG_STRATEGY", "GFD_MIG_STRATEGY"),
        flags=("--mig-strategy",),
        in_file=("flags", "migStrategy"),
        in_values="migStrategy",
    ),
    DRIVER_ROOT_OPTION: Spelling(
        variables=("NVIDIA_DRIVER_ROOT",),
        flags=("--nvidia-driver-root", "--driver-root"),
        in_file=("flags", "nvidiaDriverRoot"),
        in_values="nvidiaDriverRoot",
    ),
    ALLOCATION_POLICY: Spelling(
        variables=("SHARED_DEVICES_ALLOCATION_POLICY",),
        flags=("--shared-devices-allocation-policy",),
        in_file=("flags", "plugin", "sharedDevicesAllocationPolicy"),
    ),
}
"""Each option of the plugin in all its spellings.

Source: NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go, api/config/v1/flags.go at v0.20.0 (2026-08-22)
"""

SET_BY_OPERATOR = (LIST_STRATEGY, ID_STRATEGY)
"""The options that the GPU operator sets on its own plugin, over any config file.

Source: NVIDIA/gpu-operator assets/state-device-plugin/0500_daemonset.yaml at v26.7.0 (2026-08-22)
"""
