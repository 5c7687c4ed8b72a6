"""The option values of NVIDIA's device plugin, of GPU feature discovery and of their config file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..choice import Choice
from ..version import Version


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
    """One device named tegra on each node, without a look at the node's cards (internal/rm/tegra_devices.go)."""


class AllocationPolicy(Choice):
    """The way in which the plugin chooses the GPU, or the MIG partition, of the next share.

    The plugin counts the shares of each. Without shares every count is zero, and the policy has no effect, although the
    text of upstream's flag names MIG resources.

    Source: NVIDIA/k8s-device-plugin api/config/v1/consts.go, internal/rm/{allocate,nvml_manager}.go at v0.20.0
    (2026-11-22)
    """

    DISTRIBUTED = "distributed"
    """The one of which the fewest shares are allocated."""
    PACKED = "packed"
    """The one of which the most shares are allocated."""


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


# The device list strategies by which containerd injects GPUs from CDI specs.
CDI_STRATEGIES = frozenset({DeviceListStrategy.CDI_ANNOTATIONS, DeviceListStrategy.CDI_CRI})
# The device discovery strategy that only GPU feature discovery knows, and the plugin does not.
DISCOVERY_ONLY_STRATEGY = "vfio"
CONFIG_FALLBACKS = ("named", "single", "empty")  # The fallback strategies of the plugin's config manager
"""Words of the strategies.

Source: NVIDIA/k8s-device-plugin api/config/v1/strategy.go, cmd/gpu-feature-discovery/main.go,
cmd/config-manager/main.go at v0.20.0 (2026-08-22)
"""

CDI_FEATURE_FLAGS = (
    "disable-ipc-discoverer",
    "disable-nvsandboxutils",
    "enable-coherent-annotations",
    "enable-explicit-driver-libraries",
    "no-additional-gids-for-device-nodes",
)
"""The feature flags of the plugin's CDI specs. The plugin ignores a flag that it does not know.

Source: NVIDIA/nvidia-container-toolkit pkg/nvcdi/api.go at v1.20.0, which NVIDIA/k8s-device-plugin v0.20.0 vendors
(2026-11-22)
"""

TEGRA_FEATURE_FLAG = "disable-multiple-csv-devices"
"""The feature flag of CDI specs that are made from the CSV files of a Tegra.

Source: NVIDIA/nvidia-container-toolkit pkg/nvcdi/lib-csv.go at v1.20.0 (2026-11-22)
"""

CDI_HOOKS = (
    "all",
    "chmod",
    "create-symlinks",
    "disable-device-node-modification",
    "enable-cuda-compat",
    "update-application-profile",
    "update-ldcache",
)
"""The OCI hooks of the plugin's CDI specs; `all` stands for every hook. The plugin ignores a hook that it does not
know.

Source: NVIDIA/nvidia-container-toolkit internal/discover/hooks.go at v1.20.0 (2026-11-22)
"""

FIRST_IMAGES = {
    "NVIDIA_DEV_ROOT": Version(0, 16, 0),
    "NVIDIA_CDI_HOOK_PATH": Version(0, 16, 0),
    "GDRCOPY_ENABLED": Version(0, 18, 0),
    "CDI_FEATURE_FLAGS": Version(0, 18, 1),
    "SHARED_DEVICES_ALLOCATION_POLICY": Version(0, 20, 0),
    "CDI_DISABLE_HOOKS": Version(0, 20, 0),
}
"""The first version of the plugin that reads a variable. An older plugin ignores the variable.

Source: NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go at v0.15.0 to v0.20.0, with v0.18.1 (2026-11-22)
"""

PASSES_BY_ITSELF = (Version(0, 19, 0), Version(0, 19, 3))
"""The first version of the plugin that passes GDRCopy, GPUDirect Storage and Mellanox OFED devices to containers unless
a variable says false, and the first that does not any more.

Source: NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go at v0.18.2 to v0.20.0; 0.19.1 on a node (2026-11-23)
"""

NODE_FEATURE_IMAGE = Version(0, 19, 0)
"""The first version of GPU feature discovery that writes a NodeFeature unless a variable says false. Older ones write a
file into a folder of node feature discovery, and exit where no such folder is mounted.

Source: NVIDIA/k8s-device-plugin cmd/gpu-feature-discovery/main.go at v0.15.0 to v0.20.0; 0.17.4, 0.18.2 and 0.19.1 on a
node (2026-11-23)
"""

INFINITE_SLEEP = "infinite"  # The sleep interval with which GPU feature discovery labels a node once
INFINITE_SLEEP_IMAGE = Version(0, 19, 0)  # The first version of GPU feature discovery that knows `INFINITE_SLEEP`
"""The sleep interval of GPU feature discovery.

Source: NVIDIA/k8s-device-plugin api/config/v1/duration.go at v0.20.0, cmd/gpu-feature-discovery/main.go at v0.18.2 and
v0.19.0 (2026-11-22)
"""

FEWEST_REPLICAS = 2  # The fewest replicas of a shared resource: "number of replicas must be >= 2"
# The most clients that MPS serves on one GPU from compute capability 7.5 on. On older GPUs MPS serves 16.
MOST_MPS_CLIENTS = 48
"""The bounds of sharing.

Source: NVIDIA/k8s-device-plugin api/config/v1/replicas.go, cmd/mps-control-daemon/mps/daemon.go at v0.20.0
(2026-08-22)
"""


class Spelling(NamedTuple):
    """The ways in which one option of the plugin is written: variables, flags, the path in a config file, and the
    chart's value."""

    variables: tuple[str, ...]
    flags: tuple[str, ...]
    in_file: tuple[str, ...]
    in_values: str = ""


LIST_STRATEGY = "device-list-strategy"
"""The option with the device list strategies, which tell the container runtime which GPUs were allocated.

The variable, the flag and the chart's value are split at commas. In a config file a string is one word and several
words are a list: there the plugin refuses "envvar,cdi-cri" with "invalid strategy: envvar,cdi-cri".

Source: NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go, api/config/v1/flags.go (UnmarshalJSON) at v0.20.0
(2026-11-22)
"""

ID_STRATEGY = "device-id-strategy"  # The option for the form in which a GPU is named to the container runtime
DISCOVERY_STRATEGY = "device-discovery-strategy"  # The option for the way in which the GPUs of a node are found
MIG_STRATEGY = "mig-strategy"  # The option for the way in which MIG partitions are advertised
DRIVER_ROOT_OPTION = "nvidia-driver-root"  # The option for the folder of the node that holds the driver
ALLOCATION_POLICY = "shared-devices-allocation-policy"  # The option for the choice of the card of a share
"""Further options of the plugin.

Source: NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go at v0.20.0 (2026-08-22)
"""

INIT_ERROR, DEVICE_SPECS = "fail-on-init-error", "pass-device-specs"
"""The options by which the plugin ends where it finds no GPU, and passes the device nodes that the CPU manager needs.

Source: NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go at v0.20.0 (2026-08-22)
"""

SPELLINGS = {
    LIST_STRATEGY: Spelling(
        ("DEVICE_LIST_STRATEGY",), ("--device-list-strategy",), ("flags", "plugin", "deviceListStrategy"), "deviceListStrategy"
    ),
    ID_STRATEGY: Spelling(("DEVICE_ID_STRATEGY",), ("--device-id-strategy",), ("flags", "plugin", "deviceIDStrategy"), "deviceIDStrategy"),
    DISCOVERY_STRATEGY: Spelling(
        ("DEVICE_DISCOVERY_STRATEGY",), ("--device-discovery-strategy",), ("flags", "deviceDiscoveryStrategy"), "deviceDiscoveryStrategy"
    ),
    MIG_STRATEGY: Spelling(("MIG_STRATEGY", "GFD_MIG_STRATEGY"), ("--mig-strategy",), ("flags", "migStrategy"), "migStrategy"),
    DRIVER_ROOT_OPTION: Spelling(
        ("NVIDIA_DRIVER_ROOT",), ("--nvidia-driver-root", "--driver-root"), ("flags", "nvidiaDriverRoot"), "nvidiaDriverRoot"
    ),
    ALLOCATION_POLICY: Spelling(
        ("SHARED_DEVICES_ALLOCATION_POLICY",), ("--shared-devices-allocation-policy",), ("flags", "plugin", "sharedDevicesAllocationPolicy")
    ),
    INIT_ERROR: Spelling(("FAIL_ON_INIT_ERROR",), ("--fail-on-init-error",), ("flags", "failOnInitError"), "failOnInitError"),
    DEVICE_SPECS: Spelling(
        ("PASS_DEVICE_SPECS",), ("--pass-device-specs",), ("flags", "plugin", "passDeviceSpecs"), "compatWithCPUManager"
    ),
}
"""Each option of the plugin in all its spellings.

Source: NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go, api/config/v1/flags.go at v0.20.0 (2026-08-22)
"""

SET_BY_OPERATOR = (LIST_STRATEGY, ID_STRATEGY)
"""The options that the GPU operator sets on its own plugin, over any config file.

Source: NVIDIA/gpu-operator assets/state-device-plugin/0500_daemonset.yaml at v26.7.0 (2026-08-22)
"""

_Fields = Mapping[str, "_Fields | None"]
"""The fields of a mapping; None below a field that is not a mapping."""


def _fields(text: str, **below: _Fields) -> _Fields:
    return {**dict.fromkeys(text.split()), **below}


REPLICATED_RESOURCE = _fields("name rename devices replicas")
"""The fields of a shared resource, which is read as a map of Go: with their case.

Source: NVIDIA/k8s-device-plugin api/config/v1/replicas.go at v0.20.0 (2026-11-28)
"""

_SHARED = _fields("renameByDefault failRequestsGreaterThanOne resources")
CONFIG_FIELDS: _Fields = _fields(
    "version resources",
    flags=_fields(
        "migStrategy failOnInitError mpsRoot nvidiaDriverRoot nvidiaDevRoot gdrcopyEnabled gdsEnabled mofedEnabled useNodeFeatureAPI "
        "deviceDiscoveryStrategy",
        plugin=_fields(
            "passDeviceSpecs deviceListStrategy deviceIDStrategy cdiAnnotationPrefix nvidiaCTKPath containerDriverRoot "
            "sharedDevicesAllocationPolicy"
        ),
        gfd=_fields("oneshot noTimestamp sleepInterval outputFile machineTypeFile"),
    ),
    sharing=_fields("", timeSlicing=_SHARED, mps=_SHARED),
    imex=_fields("channelIDs required"),
)
"""The fields of the config file of the device plugin and of GPU feature discovery, without those of `resources`, which
the plugin ignores as a whole. Both programs read a file past a field that they do not know, and past the case of a name
outside of a shared block.

Source: NVIDIA/k8s-device-plugin api/config/v1/{config,flags,sharing,replicas,imex}.go at v0.20.0 (2026-11-28)
"""
