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
    from .cards import Architecture
    from .checks.attach import attach
    from .checks.check import check
    from .checks.finding import Finding, Severity
    from .claim import GpuClaim
    from .container_values import ConfigMapKey, ExecProbe, HttpProbe, SecretKey, TcpProbe
    from .dashboard import GpuDashboard
    from .dcgm_exporter import DcgmExporter
    from .delivery import ArgoCd, Delivery, Flux, HelmTemplate
    from .device_plugin import StandaloneDevicePlugin
    from .dra import Dra, DraShare, TimeSliceInterval
    from .dra_driver import DraDriver
    from .driver import DriverTrack, KernelModules
    from .gpu_alerts import GpuAlerts
    from .gpu_operator import NvidiaGpuOperator
    from .manifests.daemon_set import DaemonSetUpdate, ImagePullPolicy
    from .manifests.dashboard import DashboardKind
    from .manifests.device_plugin_strategies import DeviceDiscoveryStrategy, DeviceIDStrategy, DeviceListStrategy
    from .manifests.gpu_claim import gpu_claim
    from .manifests.gpu_pod import gpu_pod
    from .manifests.workload_settings import UpdateStrategy, WorkloadKind
    from .mig import MigStrategy
    from .monitoring.alert_rules import AlertRules
    from .monitoring.alert_thresholds import AlertThresholds
    from .monitoring.counters import Counter, default_counters
    from .monitoring.dashboard import gpu_dashboard
    from .monitoring.metrics import Metric, MetricKind
    from .monitoring.queries import MetricsSource
    from .monitoring.scraping import operator_exporter_values
    from .namespace import PrivilegedNamespace
    from .node_feature_discovery import NodeFeatureDiscovery
    from .nodes import GpuNodes
    from .nodes_file import read_nodes
    from .runtime_class import NvidiaRuntimeClass
    from .sharing import Mps, TimeSlicing
    from .taints import Taint, TaintEffect
    from .talos.existing_schematic import ExistingSchematic, existing_schematic
    from .talos.factory_images import Arch, Platform
    from .talos.leftovers import Leftover
    from .talos.machine_config import ConfigStyle, MachineConfigPatch
    from .talos.machine_files import FileOperation, check_machine_files
    from .talos.omni import OmniTarget, omni_config_patch, omni_extensions
    from .talos.omni_template import OmniTemplateKind, omni_template
    from .talos.schematic import Bootloader, EnrollKeys, Overlay, Schematic, SecureBoot
    from .talos.talconfig import merge_into_talconfig
    from .talos.talhelper import talhelper_node
    from .talos.terraform import terraform_json
    from .talos.upgrade import UpgradePlan
    from .talos.upgrade_step import UpgradeAction, UpgradePhase, UpgradeRoute, UpgradeStep
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
    "AlertRules",
    "AlertThresholds",
    "Arch",
    "Architecture",
    "ArgoCd",
    "Bootloader",
    "ConfigMapFiles",
    "ConfigMapKey",
    "ConfigStyle",
    "Counter",
    "DaemonSetUpdate",
    "DashboardKind",
    "DcgmExporter",
    "Delivery",
    "DeviceDiscoveryStrategy",
    "DeviceIDStrategy",
    "DeviceListStrategy",
    "Dra",
    "DraDriver",
    "DraShare",
    "DriverTrack",
    "Empty",
    "EnrollKeys",
    "ExecProbe",
    "ExistingClaim",
    "ExistingSchematic",
    "FileOperation",
    "Finding",
    "Flux",
    "Generation",
    "GpuAlerts",
    "GpuClaim",
    "GpuDashboard",
    "GpuNodes",
    "GpuWorkload",
    "HelmTemplate",
    "HostPath",
    "HostPathType",
    "HttpProbe",
    "ImagePullPolicy",
    "KernelModules",
    "Leftover",
    "MachineConfigPatch",
    "Memory",
    "Metric",
    "MetricKind",
    "MetricsSource",
    "MigStrategy",
    "Mps",
    "NodeFeatureDiscovery",
    "NvidiaGpuOperator",
    "NvidiaRuntimeClass",
    "OmniTarget",
    "OmniTemplateKind",
    "Overlay",
    "Persistent",
    "Platform",
    "PrivilegedNamespace",
    "Schematic",
    "SecretFiles",
    "SecretKey",
    "SecureBoot",
    "Severity",
    "StandaloneDevicePlugin",
    "Taint",
    "TaintEffect",
    "TalosGpuWarning",
    "TalosVersion",
    "TcpProbe",
    "TimeSliceInterval",
    "TimeSlicing",
    "UpdateStrategy",
    "UpgradeAction",
    "UpgradePhase",
    "UpgradePlan",
    "UpgradeRoute",
    "UpgradeStep",
    "ValidationBridge",
    "WorkloadKind",
    "attach",
    "check",
    "check_machine_files",
    "default_counters",
    "existing_schematic",
    "gpu_claim",
    "gpu_dashboard",
    "gpu_pod",
    "merge_into_talconfig",
    "omni_config_patch",
    "omni_extensions",
    "omni_template",
    "operator_exporter_values",
    "read_nodes",
    "request_gpus",
    "talhelper_node",
    "terraform_json",
]

# Where each name is at home: the imports above, for the running program. A test holds the two together.
_HOMES = {
    "_request": "request_gpus",
    "_validate": "TalosGpuWarning",
    "cards": "Architecture",
    "checks.attach": "attach",
    "checks.check": "check",
    "checks.finding": "Finding Severity",
    "claim": "GpuClaim",
    "container_values": "ConfigMapKey ExecProbe HttpProbe SecretKey TcpProbe",
    "dashboard": "GpuDashboard",
    "dcgm_exporter": "DcgmExporter",
    "delivery": "ArgoCd Delivery Flux HelmTemplate",
    "device_plugin": "StandaloneDevicePlugin",
    "dra": "Dra DraShare TimeSliceInterval",
    "dra_driver": "DraDriver",
    "gpu_alerts": "GpuAlerts",
    "gpu_operator": "NvidiaGpuOperator",
    "manifests.daemon_set": "DaemonSetUpdate ImagePullPolicy",
    "manifests.dashboard": "DashboardKind",
    "manifests.device_plugin_strategies": "DeviceDiscoveryStrategy DeviceIDStrategy DeviceListStrategy",
    "manifests.gpu_claim": "gpu_claim",
    "manifests.gpu_pod": "gpu_pod",
    "manifests.workload_settings": "UpdateStrategy WorkloadKind",
    "mig": "MigStrategy",
    "monitoring.alert_rules": "AlertRules",
    "monitoring.alert_thresholds": "AlertThresholds",
    "monitoring.counters": "Counter default_counters",
    "monitoring.dashboard": "gpu_dashboard",
    "monitoring.metrics": "Metric MetricKind",
    "monitoring.queries": "MetricsSource",
    "monitoring.scraping": "operator_exporter_values",
    "namespace": "PrivilegedNamespace",
    "node_feature_discovery": "NodeFeatureDiscovery",
    "driver": "DriverTrack KernelModules",
    "nodes": "GpuNodes",
    "nodes_file": "read_nodes",
    "runtime_class": "NvidiaRuntimeClass",
    "sharing": "Mps TimeSlicing",
    "taints": "Taint TaintEffect",
    "talos.existing_schematic": "ExistingSchematic existing_schematic",
    "talos.factory_images": "Arch Platform",
    "talos.leftovers": "Leftover",
    "talos.machine_config": "ConfigStyle MachineConfigPatch",
    "talos.machine_files": "FileOperation check_machine_files",
    "talos.omni": "OmniTarget omni_config_patch omni_extensions",
    "talos.omni_template": "OmniTemplateKind omni_template",
    "talos.schematic": "Bootloader EnrollKeys Overlay Schematic SecureBoot",
    "talos.talconfig": "merge_into_talconfig",
    "talos.talhelper": "talhelper_node",
    "talos.terraform": "terraform_json",
    "talos.upgrade": "UpgradePlan",
    "talos.upgrade_step": "UpgradeAction UpgradePhase UpgradeRoute UpgradeStep",
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
