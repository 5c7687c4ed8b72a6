"""NVIDIA's GPU operator: its chart, and the labels and files that the operator uses."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..version import Version
from .chart import Chart, ChartTable, Subchart
from .nfd_chart import NODE_FEATURE_DISCOVERY, OF_MASTER

UNIFIED_MEMORY_SINCE = "25.3.3"
"""The first GPU operator whose device plugin runs on a GPU without memory of its own: v0.17.4 of the plugin.

Source: NVIDIA/gpu-operator deployments/gpu-operator/values.yaml at v25.3.2 and v25.3.3 (2026-11-22)
"""

_ON = "driver.enabled | driver.nvidiaDriverCRD.enabled | driver.useNvidiaDriverCRD"  # the last is the name in a ClusterPolicy
_POLICY_CONDITIONS: dict[str, str] = {
    "driver": _ON,
    **dict.fromkeys(("driver.nvidiaDriverCRD", "driver.useNvidiaDriverCRD"), ""),
    "driver.upgradePolicy": "",
    "toolkit": "toolkit.enabled",
    "devicePlugin": "devicePlugin.enabled",
    # A config manager beside GPU feature discovery has the image of the device plugin.
    "devicePlugin.config": "devicePlugin.enabled | gfd.enabled",
    **dict.fromkeys(
        (f"devicePlugin.{key}" for key in ("repository", "image", "version", "imagePullPolicy", "imagePullSecrets")),
        "devicePlugin.enabled | devicePlugin.config.name & gfd.enabled",
    ),
    **{part: f"{part}.enabled" for part in ("gfd", "dcgm", "dcgmExporter", "migManager", "nodeStatusExporter", "gds", "gdrcopy")},
    "dcgmExporter.serviceMonitor": "dcgmExporter.enabled & dcgmExporter.serviceMonitor.enabled",
    "sandboxWorkloads": "sandboxWorkloads.enabled",
    **{
        part: f"sandboxWorkloads.enabled & {part}.enabled"
        for part in (
            *("vgpuManager", "vgpuDeviceManager", "vfioManager", "kataManager", "ccManager"),
            *("sandboxDevicePlugin", "kataSandboxDevicePlugin"),
        )
    },
}
"""Under which values the operator reads the fields of a ClusterPolicy: the chart writes most of them without a
condition.

Source: NVIDIA/gpu-operator controllers/{state_manager,object_controls,upgrade_controller}.go at v25.3.4, v25.10.1 and
v26.7.0 (2026-11-24)
"""

_BY_LABELS = "the operator chooses nodes by labels alone: set nvidia.com/gpu.deploy.<operand>=false on nodes where it must not run"

GPU_OPERATOR = Chart(
    name="gpu-operator",
    aliases=("nvidia-gpu-operator",),
    repository="https://helm.ngc.nvidia.com/nvidia",
    default_version="v26.7.0",
    read_table=partial(ChartTable.of, "gpu-operator"),
    instead={
        "*.nodeSelector": _BY_LABELS,
        "*.affinity": _BY_LABELS,
        "tolerations": "use daemonsets.tolerations for the operands, and operator.tolerations for the operator itself",
        "*.tolerations": "use daemonsets.tolerations, which every operand shares",
        "*.mps": "no template reads it, although values.yaml has it",
        "validator.enabled": "set the node label nvidia.com/gpu.deploy.operator-validator=false where it must not run",
        "*.runtimeClass": "use operator.runtimeClass",
        "operator.defaultRuntime": "leave it out: the operator finds the container runtime by itself",
    },
    defaults={
        "nfd": {"enabled": True},
        "cdi": {"nriPluginEnabled": False},
        "sandboxWorkloads": {"enabled": False, "defaultWorkload": "container"},
        "hostPaths": {"driverInstallDir": "/run/nvidia/driver"},
        "daemonsets": {"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]},
        "operator": {"runtimeClass": "nvidia", "upgradeCRD": True, "tolerations": OF_MASTER},
        "mig": {"strategy": "single"},
        "driver": {"enabled": True, "repository": "nvcr.io/nvidia", "image": "driver"},
        "toolkit": {
            "enabled": True,
            "installDir": "/usr/local/nvidia",
            "repository": "nvcr.io/nvidia/k8s",
            "image": "container-toolkit",
        },
        "devicePlugin": {"enabled": True},
        "dcgmExporter": {"enabled": True},
        "gfd": {"enabled": True},
        "migManager": {"enabled": True, "config": {"default": "all-disabled"}},
        "clusterPolicy": {"deployCR": True},
        "gpuCluster": {"deployCR": False},
        NODE_FEATURE_DISCOVERY.name: {
            "worker": {
                "tolerations": [*OF_MASTER, {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
                "config": {
                    "sources": {
                        "pci": {"deviceClassWhitelist": ["02", "0200", "0207", "0300", "0302"], "deviceLabelFields": ["vendor"]},
                    }
                },
            }
        },
    },
    subcharts={
        NODE_FEATURE_DISCOVERY.name: Subchart(chart=NODE_FEATURE_DISCOVERY),
    },
    beyond_templates=_POLICY_CONDITIONS,
)
"""The chart gpu-operator. Its versions carry the `v` of the tag. The ClusterPolicy that the chart renders has the same
fields.

Source: NVIDIA/gpu-operator deployments/gpu-operator/{values.yaml,templates,crds} at v25.3.4, v25.10.1, v26.3.3 and
v26.7.0 (2026-08-22)
"""

# The keys of `devicePlugin.config` that have to be set beside `create: true`: the chart ends without them.
CONFIG_NEEDS = ("name", "data")
CONFIG_NEEDS_SINCE = "v26.7.0"  # The first version that ends without `CONFIG_NEEDS`
"""The condition under which the chart ends without a config of the device plugin.

Source: NVIDIA/gpu-operator deployments/gpu-operator/templates/validations.yaml at v26.3.3 and v26.7.0 (2026-11-22)
"""

WITHOUT_POLICY_DEFAULT = (("mig", "strategy"),)
"""The paths of `defaults` at which a ClusterPolicy without the field does not get the chart's default.

Without `mig.strategy` the operator sets no MIG_STRATEGY: the device plugin uses its config file, or else its own
default `none`.

Source: NVIDIA/gpu-operator controllers/object_controls.go, applyMIGConfiguration, and deployments/gpu-operator/crds at
v25.3.4, v25.10.1, v26.3.3 and v26.7.0 (2026-11-22)
"""

POLICY_DEFAULTS: dict[tuple[str, ...], tuple[str, str | None]] = {
    ("cdi", "default"): ("v25.10.0", None),
    ("cdi", "nriPluginEnabled"): ("v26.3.0", None),
    ("hostPaths", "kubeletRootDir"): ("v26.7.0", None),
    ("migManager", "config", "name"): ("v25.3.0", "v26.3.0"),
    ("operator", "defaultRuntime"): ("v25.3.0", "v26.3.0"),
}
"""The fields of a ClusterPolicy to which the CRD gives a default, and which the chart leaves out or renders as null
without a value, or with an empty or false one.

Each has the first version of the chart that does so, and the first one that does so no more. The API server adds such a
field to the ClusterPolicy of the chart. The field `OLD_DEFAULT` stays after an upgrade to a newer version.

Source: NVIDIA/gpu-operator deployments/gpu-operator/{templates/clusterpolicy.yaml,values.yaml,crds} and
api/nvidia/v1/clusterpolicy_types.go at v25.3.4, v25.10.0, v25.10.1, v26.3.0, v26.3.3 and v26.7.0; server-side applied
to a real API server (2026-11-23)
"""

OLD_DEFAULT = ("operator", "defaultRuntime")
"""The field of `POLICY_DEFAULTS` that an upgrade to v26.3.0 or newer leaves in the ClusterPolicy. No operator reads the
field from there on.

Source: NVIDIA/gpu-operator api/nvidia/v1/clusterpolicy_types.go at v26.3.3 and v26.7.0; seen after an upgrade from
v25.10.1 (2026-11-23)
"""

NULL_IF_EMPTY: dict[str, str | None] = {
    "devicePlugin.config.default": "v26.3.0",
    "driver.kernelModuleType": None,
    "hostPaths.driverInstallDir": None,
    "hostPaths.rootFS": None,
    "mig.strategy": None,
    "migManager.config.name": "v26.3.0",
}
"""The texts that the chart writes into the ClusterPolicy without quotes, and without a condition: an empty text becomes
null.

`mig.strategy` has a condition, and is all that `mig` has: without a strategy `mig` itself is null. Each key has the
first version that quotes the text, or has a condition; None for no version. The API server refuses a null under
server-side apply, unless the CRD has a default for the field.

Source: NVIDIA/gpu-operator deployments/gpu-operator/templates/clusterpolicy.yaml at v25.3.4, v25.10.1, v26.3.3 and
v26.7.0 (2026-11-23)
"""

MIG_CONFIG = "default-mig-parted-config"
"""The default of `migManager.config.name` in the CRD before v26.3.0. The newer CRD has no default, and refuses the null
of the older chart.

Source: NVIDIA/gpu-operator deployments/gpu-operator/crds at v25.3.4, v25.10.1 and v26.3.0 (2026-11-23)
"""

CDI_BY_DEFAULT = "v25.10.0"
"""The first version with `cdi.enabled: true` in its own values.

Source: NVIDIA/gpu-operator deployments/gpu-operator/values.yaml at v25.3.4 and v25.10.0 (2026-08-22)
"""

COMPARED_SINCE = {"cdi.enabled": "v26.3.0", "cdi.nriPluginEnabled": "v26.7.0"}
"""The keys that the chart compares by `eq`, each with the first version that does: a string there ends in "incompatible
types for comparison".

Source: NVIDIA/gpu-operator deployments/gpu-operator/templates/validations.yaml at v26.3.0 and v26.7.0 (2026-11-20)
"""

LEGACY = "v25.10.1"
"""The version for Talos up to 1.12: of the last line whose CDI one value switches off, and the version seen on clusters
there.

Source: NVIDIA/gpu-operator deployments/gpu-operator/values.yaml at v25.10.1 (2026-08-22)
"""

CDI_RUNTIME_CLASSES = ("nvidia-cdi", "nvidia-legacy")
"""The RuntimeClasses that the operator makes beside `operator.runtimeClass` while CDI is on and NRI is off, and deletes
when CDI goes off. Talos has no handler of these names.

Source: NVIDIA/gpu-operator controllers/object_controls.go, RuntimeClasses, at v25.3.4, v25.10.1, v26.3.3 and v26.7.0
(2026-11-23)
"""

POLICY_CRD = "https://raw.githubusercontent.com/NVIDIA/gpu-operator/{version}/deployments/gpu-operator/crds/nvidia.com_clusterpolicies.yaml"
"""The address of the CRD of ClusterPolicy for a version of the chart.

The chart's own hook renews the CRD after Helm has looked at the ClusterPolicy. The CRD from v26.3.0 on refuses the
ClusterPolicy of v25.10.1, in which `migManager.config.name` is null: only the older CRD has a default for the field.

Source: NVIDIA/gpu-operator deployments/gpu-operator/{crds,templates/upgrade_crd.yaml} at v25.10.1, v26.3.0 and v26.7.0;
tried with Helm on a real API server (2026-11-23)
"""

BROKEN = {
    "v26.3.0": 'it reads Talos\' OS version as a number, so the ClusterPolicy stays NotReady (strconv.Atoi: parsing "v1", '
    "NVIDIA/gpu-operator#2239)",
}
"""The versions that work on no Talos, each with its symptom.

Source: NVIDIA/gpu-operator#2239, #2244 (2026-08-22)
"""

DRIVER_OBJECT_GUARDED = "v25.10.1"
"""The first version whose chart creates no NVIDIADriver with `driver.enabled: false`. An older one does with
`driver.nvidiaDriverCRD.enabled: true` and `driver.nvidiaDriverCRD.deployDefaultCR`, which is true by default.

Source: NVIDIA/gpu-operator deployments/gpu-operator/templates/nvidiadriver.yaml at v25.3.4, v25.10.0 and v25.10.1,
#1795 (2026-11-22)
"""

DRIVER_OBJECT_SWITCHED = "v26.3.0"
"""The first version that ignores NVIDIADriver objects while the ClusterPolicy has no `driver.useNvidiaDriverCRD: true`.
No version looks at `driver.enabled` there.

Source: NVIDIA/gpu-operator controllers/nvidiadriver_controller.go at v25.10.1, v26.3.1 and v26.7.0, 85ddbc15e
(2026-11-22)
"""

# The prefix of the node labels by which the operator chooses the nodes of each operand. The operator keeps an existing
# value.
DEPLOY_LABEL = "nvidia.com/gpu.deploy."
# The node label that keeps the operator's validator off the node with the value "false".
VALIDATOR_LABEL = f"{DEPLOY_LABEL}operator-validator"
# The node label that keeps the operator's device plugin off the node with the value "false".
PLUGIN_LABEL = f"{DEPLOY_LABEL}device-plugin"
# The node label that keeps the operator's GPU feature discovery off the node with the value "false".
FEATURE_DISCOVERY_LABEL = f"{DEPLOY_LABEL}gpu-feature-discovery"
# The node label that keeps every operand off the node with the value "false".
OPERANDS_LABEL = f"{DEPLOY_LABEL}operands"
"""The node labels by which the operator chooses the nodes of each operand. The operator keeps an existing value.

Source: NVIDIA/gpu-operator controllers/state_manager.go at v26.7.0, addGPUStateLabels (2026-08-22)
"""

VALIDATIONS = "/run/nvidia/validations"  # The folder of a node in which the operator's pods wait for files
TOOLKIT_READY = "toolkit-ready"  # The file in `VALIDATIONS` that every operand waits for before it starts
"""The files by which the operator's pods wait for each other.

Source: NVIDIA/gpu-operator assets/state-device-plugin/0500_daemonset.yaml at v25.10.1 and v26.7.0 (2026-08-22)
"""

DRIVER_READY: dict[str, str] = {
    "IS_HOST_DRIVER": "true",
    "NVIDIA_DRIVER_ROOT": "/",
    "DRIVER_ROOT_CTR_PATH": "/host",
    "NVIDIA_DEV_ROOT": "/",
    "DEV_ROOT_CTR_PATH": "/host",
}
"""The variables that the validator writes into the file driver-ready for a driver of the host. The device plugin
sources the file.

Source: NVIDIA/gpu-operator cmd/nvidia-validator/main.go at v25.10.1 and v26.7.0 (2026-08-22)
"""


def default(*path: str) -> Any:
    """The chart's own value at a path. None for an unknown default."""
    value: Any = GPU_OPERATOR.defaults
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def is_within(version: Version, since: str | None, before: str | None) -> bool:
    """Whether a version of the chart is at least `since` and older than `before`; None is no limit."""
    first, end = (Version.parse(each) if each else None for each in (since, before))
    return (first is None or version >= first) and (end is None or version < end)


DRIVER_FOLDER: str = default("hostPaths", "driverInstallDir")
"""The folder of a node in which the operator looks for the driver by the chart's own values. Talos has no driver there.

Source: NVIDIA/gpu-operator deployments/gpu-operator/values.yaml at v25.3.4, v25.10.1, v26.3.3 and v26.7.0 (2026-08-22)
"""
