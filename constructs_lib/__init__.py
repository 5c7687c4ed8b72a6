"""cdk8s constructs that run NVIDIA GPUs on Talos Linux.

Describe a class of GPU nodes once; the cluster's GPU stack and the workloads follow from it::

    from cdk8s import App, Chart
    from constructs_lib import GpuNodes, GpuWorkload, NvidiaRuntimeClass, Persistent, StandaloneDevicePlugin, Taint, TimeSlicing

    app = App()
    chart = Chart(app, "gpu")
    nodes = GpuNodes(talos_version="1.12", taints=[Taint("dedicated", "ai")], sharing=TimeSlicing(replicas=5))
    NvidiaRuntimeClass(chart, "runtime-class")
    StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes)
    GpuWorkload(chart, "ollama", nodes=nodes, image="ollama/ollama:0.32.15", port=11434, volumes={"/root/.ollama": Persistent("100Gi")})
    app.synth()

The face is lazy: a name is imported when it is used, so that what needs no cdk8s never starts Node.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._request import request_gpus
    from ._validate import TalosGpuWarning
    from .container_values import ConfigMapKey, ExecProbe, HttpProbe, SecretKey, TcpProbe
    from .delivery import ArgoCd, Delivery, Flux, HelmTemplate
    from .device_plugin import StandaloneDevicePlugin
    from .gpu_operator import NvidiaGpuOperator
    from .manifests.device_plugin_settings import (
        DaemonSetUpdate,
        DeviceDiscoveryStrategy,
        DeviceIDStrategy,
        DeviceListStrategy,
        ImagePullPolicy,
    )
    from .manifests.gpu_pod import gpu_pod
    from .manifests.workload_settings import UpdateStrategy, WorkloadKind
    from .namespace import PrivilegedNamespace
    from .nodes import DriverTrack, GpuNodes, KernelModules, MigStrategy, Taint, TaintEffect
    from .runtime_class import NvidiaRuntimeClass
    from .sharing import Mps, TimeSlicing
    from .talos_version import Generation, TalosVersion
    from .validation_bridge import ValidationBridge
    from .volumes import (
        AccessMode,
        ConfigMapFiles,
        Empty,
        ExistingClaim,
        HostPath,
        HostPathType,
        Memory,
        Persistent,
        SecretFiles,
    )
    from .workload import GpuWorkload

__all__ = [
    "AccessMode",
    "ArgoCd",
    "ConfigMapFiles",
    "ConfigMapKey",
    "DaemonSetUpdate",
    "Delivery",
    "DeviceDiscoveryStrategy",
    "DeviceIDStrategy",
    "DeviceListStrategy",
    "DriverTrack",
    "Empty",
    "ExecProbe",
    "ExistingClaim",
    "Flux",
    "Generation",
    "GpuNodes",
    "GpuWorkload",
    "HelmTemplate",
    "HostPath",
    "HostPathType",
    "HttpProbe",
    "ImagePullPolicy",
    "KernelModules",
    "Memory",
    "MigStrategy",
    "Mps",
    "NvidiaGpuOperator",
    "NvidiaRuntimeClass",
    "Persistent",
    "PrivilegedNamespace",
    "SecretFiles",
    "SecretKey",
    "StandaloneDevicePlugin",
    "Taint",
    "TaintEffect",
    "TalosGpuWarning",
    "TalosVersion",
    "TcpProbe",
    "TimeSlicing",
    "UpdateStrategy",
    "ValidationBridge",
    "WorkloadKind",
    "gpu_pod",
    "request_gpus",
]

# Where each name is at home: the imports above, for the running program. A test holds the two together.
_HOMES = {
    "_validate": "TalosGpuWarning",
    "container_values": "ConfigMapKey ExecProbe HttpProbe SecretKey TcpProbe",
    "delivery": "ArgoCd Delivery Flux HelmTemplate",
    "device_plugin": "StandaloneDevicePlugin",
    "gpu_operator": "NvidiaGpuOperator",
    "manifests.device_plugin_settings": "DaemonSetUpdate DeviceDiscoveryStrategy DeviceIDStrategy DeviceListStrategy ImagePullPolicy",
    "manifests.gpu_pod": "gpu_pod",
    "manifests.workload_settings": "UpdateStrategy WorkloadKind",
    "namespace": "PrivilegedNamespace",
    "nodes": "DriverTrack GpuNodes KernelModules MigStrategy Taint TaintEffect",
    "_request": "request_gpus",
    "runtime_class": "NvidiaRuntimeClass",
    "sharing": "Mps TimeSlicing",
    "talos_version": "Generation TalosVersion",
    "validation_bridge": "ValidationBridge",
    "volumes": "AccessMode ConfigMapFiles Empty ExistingClaim HostPath HostPathType Memory Persistent SecretFiles",
    "workload": "GpuWorkload",
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names.split():
            found = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
            return found
    msg = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)
