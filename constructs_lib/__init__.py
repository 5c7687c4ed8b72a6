"""cdk8s constructs that run NVIDIA GPUs on Talos Linux.

Describe a class of GPU nodes once. The constructs derive the cluster's GPU stack and the workloads from the description::

    from cdk8s import App, Chart
    from constructs_lib import GpuNodes, GpuWorkload, NvidiaRuntimeClass, Persistent, StandaloneDevicePlugin, Taint, TimeSlicing, attach

    app = App()
    attach(app)
    chart = Chart(app, "gpu")
    nodes = GpuNodes(talos_version="1.12", taints=[Taint("dedicated", "ai")], sharing=TimeSlicing(replicas=5))
    NvidiaRuntimeClass(chart, "runtime-class")
    StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes)
    GpuWorkload(chart, "ollama", nodes=nodes, image="ollama/ollama:0.32.15", port=11434, volumes={"/root/.ollama": Persistent("100Gi")})
    app.synth()

Every name is imported on first use, so that a program without cdk8s constructs never starts Node.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .arguments.errors import ArgumentError, ArgumentTypeError
    from .arguments.talos_warnings import TalosGpuWarning
    from .checks.check import check
    from .checks.finding import Finding, Severity
    from .checks.formats.cluster_page import cluster_page
    from .constructs.attach import attach
    from .constructs.autoscale import autoscale
    from .constructs.companion import Companion
    from .constructs.dcgm_exporter import DcgmExporter
    from .constructs.dra_driver import DraDriver
    from .constructs.expose import expose
    from .constructs.gpu_alerts import GpuAlerts
    from .constructs.gpu_claim import GpuClaim
    from .constructs.gpu_dashboard import GpuDashboard
    from .constructs.gpu_gang import GpuGang
    from .constructs.gpu_quota import GpuQuota
    from .constructs.gpu_stack import GpuStack
    from .constructs.gpu_workload import GpuWorkload
    from .constructs.isolate import isolate
    from .constructs.kueue_queue import KueueQueue
    from .constructs.mirror import mirror
    from .constructs.node_feature_discovery import NodeFeatureDiscovery
    from .constructs.nvidia_gpu_operator import NvidiaGpuOperator
    from .constructs.nvidia_runtime_class import NvidiaRuntimeClass
    from .constructs.open_webui import OpenWebUI
    from .constructs.privileged_namespace import PrivilegedNamespace
    from .constructs.recipes import (
        ComfyUI,
        CudaSmokeTest,
        Frigate,
        ImmichMachineLearning,
        Jellyfin,
        Jupyter,
        LlamaCpp,
        Ollama,
        Plex,
        Sglang,
        TextEmbeddings,
        Triton,
        Vllm,
        Whisper,
        WyomingWhisper,
    )
    from .constructs.request_gpus import request_gpus
    from .constructs.scrape import scrape
    from .constructs.standalone_device_plugin import StandaloneDevicePlugin
    from .constructs.synth_errors import TalosGpuError
    from .constructs.validation_bridge import ValidationBridge
    from .manifests.charts.delivery import ArgoCd, Delivery, Flux, HelmTemplate
    from .manifests.dra.claim_objects import gpu_claim
    from .manifests.exporter.dashboard_object import DashboardKind
    from .manifests.foreign.gpu_values import gpu_values
    from .manifests.foreign.kubespawner_pod import kubespawner_override
    from .manifests.foreign.kubevirt_devices import permitted_host_devices
    from .manifests.foreign.operator_pods import argo_template, kserve_predictor, ray_group
    from .manifests.foreign.spark_pods import spark_conf, spark_template
    from .manifests.gpu_pod import gpu_pod
    from .manifests.plugin.agent_pods import FeatureDiscovery, MpsControlDaemon
    from .manifests.plugin.daemon_set_choices import DaemonSetUpdate, ImagePullPolicy
    from .manifests.queues.gang_settings import GangKind
    from .manifests.volumes.empty import Empty, Memory
    from .manifests.volumes.existing_claim import ExistingClaim
    from .manifests.volumes.files import ConfigMapFiles, SecretFiles
    from .manifests.volumes.nfs import Nfs
    from .manifests.volumes.node import HostPath, HostPathType
    from .manifests.volumes.oci_image import OciImage
    from .manifests.volumes.volume import AccessMode, Persistent
    from .manifests.workload.container_values import ConfigMapKey, ExecProbe, HttpProbe, SecretKey, TcpProbe
    from .manifests.workload.kinds import CompletionMode, UpdateStrategy, WorkloadKind
    from .monitoring.alert_rules import AlertRules
    from .monitoring.alert_thresholds import AlertThresholds
    from .monitoring.counters import Counter, default_counters
    from .monitoring.grafana_dashboard import gpu_dashboard
    from .monitoring.metrics import Metric, MetricKind
    from .monitoring.queries import MetricsSource
    from .monitoring.scraping import operator_exporter_values
    from .nodes.dra import Dra, DraShare, TimeSliceInterval
    from .nodes.gpu_nodes import GpuNodes
    from .nodes.nodes_file import read_nodes
    from .nodes.passthrough import Passthrough
    from .nodes.sharing import Mps, TimeSlicing
    from .nodes.taints import Taint, TaintEffect
    from .nodes.talos_version import Generation, TalosVersion
    from .recipes.model import Model
    from .talos.config.machine_config import ConfigStyle, MachineConfigPatch
    from .talos.config.machine_files import check_machine_files
    from .talos.image.existing_schematic import ExistingSchematic, existing_schematic
    from .talos.image.schematic import Bootloader, EnrollKeys, Overlay, Schematic, SecureBoot
    from .talos.leftovers import Leftover
    from .talos.targets.cluster_api import cluster_api_yaml
    from .talos.targets.omni import OmniTarget, omni_config_patch, omni_extensions
    from .talos.targets.omni_template import OmniTemplateKind, omni_template
    from .talos.targets.talconfig import merge_into_talconfig
    from .talos.targets.talhelper import talhelper_node
    from .talos.targets.terraform import terraform_json
    from .talos.upgrade import UpgradePlan
    from .talos.upgrade_step import Outage, UpgradeAction, UpgradePhase, UpgradeRoute, UpgradeStep, UpgradeTool
    from .upstream.charts.pod_keys import SparkRole, WorkloadChart
    from .upstream.kubernetes.routing import IngressController
    from .upstream.nvidia.card_names import Architecture
    from .upstream.nvidia.driver_branches import DriverTrack, KernelModules
    from .upstream.nvidia.plugin_words import AllocationPolicy, DeviceDiscoveryStrategy, DeviceIDStrategy, DeviceListStrategy, MigStrategy
    from .upstream.programs.quantizations import CacheType
    from .upstream.talos.file_writes import FileOperation
    from .upstream.talos.platforms import Arch, Platform

__all__ = [
    "AccessMode",
    "AlertRules",
    "AlertThresholds",
    "AllocationPolicy",
    "Arch",
    "Architecture",
    "ArgoCd",
    "ArgumentError",
    "ArgumentTypeError",
    "Bootloader",
    "CacheType",
    "ComfyUI",
    "Companion",
    "CompletionMode",
    "ConfigMapFiles",
    "ConfigMapKey",
    "ConfigStyle",
    "Counter",
    "CudaSmokeTest",
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
    "FeatureDiscovery",
    "FileOperation",
    "Finding",
    "Flux",
    "Frigate",
    "GangKind",
    "Generation",
    "GpuAlerts",
    "GpuClaim",
    "GpuDashboard",
    "GpuGang",
    "GpuNodes",
    "GpuQuota",
    "GpuStack",
    "GpuWorkload",
    "HelmTemplate",
    "HostPath",
    "HostPathType",
    "HttpProbe",
    "ImagePullPolicy",
    "ImmichMachineLearning",
    "IngressController",
    "Jellyfin",
    "Jupyter",
    "KernelModules",
    "KueueQueue",
    "Leftover",
    "LlamaCpp",
    "MachineConfigPatch",
    "Memory",
    "Metric",
    "MetricKind",
    "MetricsSource",
    "MigStrategy",
    "Model",
    "Mps",
    "MpsControlDaemon",
    "Nfs",
    "NodeFeatureDiscovery",
    "NvidiaGpuOperator",
    "NvidiaRuntimeClass",
    "OciImage",
    "Ollama",
    "OmniTarget",
    "OmniTemplateKind",
    "OpenWebUI",
    "Outage",
    "Overlay",
    "Passthrough",
    "Persistent",
    "Platform",
    "Plex",
    "PrivilegedNamespace",
    "Schematic",
    "SecretFiles",
    "SecretKey",
    "SecureBoot",
    "Severity",
    "Sglang",
    "SparkRole",
    "StandaloneDevicePlugin",
    "Taint",
    "TaintEffect",
    "TalosGpuError",
    "TalosGpuWarning",
    "TalosVersion",
    "TcpProbe",
    "TextEmbeddings",
    "TimeSliceInterval",
    "TimeSlicing",
    "Triton",
    "UpdateStrategy",
    "UpgradeAction",
    "UpgradePhase",
    "UpgradePlan",
    "UpgradeRoute",
    "UpgradeStep",
    "UpgradeTool",
    "ValidationBridge",
    "Vllm",
    "Whisper",
    "WorkloadChart",
    "WorkloadKind",
    "WyomingWhisper",
    "argo_template",
    "attach",
    "autoscale",
    "check",
    "check_machine_files",
    "cluster_api_yaml",
    "cluster_page",
    "default_counters",
    "existing_schematic",
    "expose",
    "gpu_claim",
    "gpu_dashboard",
    "gpu_pod",
    "gpu_values",
    "isolate",
    "kserve_predictor",
    "kubespawner_override",
    "merge_into_talconfig",
    "mirror",
    "omni_config_patch",
    "omni_extensions",
    "omni_template",
    "operator_exporter_values",
    "permitted_host_devices",
    "ray_group",
    "read_nodes",
    "request_gpus",
    "scrape",
    "spark_conf",
    "spark_template",
    "talhelper_node",
    "terraform_json",
]

# The module of each name, for the lazy import at run time. A test compares this table with the imports above.
_HOMES = {
    "arguments.errors": "ArgumentError ArgumentTypeError",
    "arguments.talos_warnings": "TalosGpuWarning",
    "checks.check": "check",
    "checks.finding": "Finding Severity",
    "checks.formats.cluster_page": "cluster_page",
    "constructs.attach": "attach",
    "constructs.autoscale": "autoscale",
    "constructs.companion": "Companion",
    "constructs.dcgm_exporter": "DcgmExporter",
    "constructs.dra_driver": "DraDriver",
    "constructs.expose": "expose",
    "constructs.gpu_alerts": "GpuAlerts",
    "constructs.gpu_claim": "GpuClaim",
    "constructs.gpu_dashboard": "GpuDashboard",
    "constructs.gpu_quota": "GpuQuota",
    "constructs.gpu_stack": "GpuStack",
    "constructs.gpu_gang": "GpuGang",
    "constructs.gpu_workload": "GpuWorkload",
    "constructs.isolate": "isolate",
    "constructs.kueue_queue": "KueueQueue",
    "constructs.mirror": "mirror",
    "constructs.node_feature_discovery": "NodeFeatureDiscovery",
    "constructs.nvidia_gpu_operator": "NvidiaGpuOperator",
    "constructs.nvidia_runtime_class": "NvidiaRuntimeClass",
    "constructs.open_webui": "OpenWebUI",
    "constructs.privileged_namespace": "PrivilegedNamespace",
    "constructs.recipes": "ComfyUI CudaSmokeTest Frigate ImmichMachineLearning Jellyfin Jupyter LlamaCpp Ollama Plex Sglang TextEmbeddings Triton Vllm Whisper WyomingWhisper",
    "constructs.request_gpus": "request_gpus",
    "constructs.scrape": "scrape",
    "constructs.standalone_device_plugin": "StandaloneDevicePlugin",
    "constructs.synth_errors": "TalosGpuError",
    "constructs.validation_bridge": "ValidationBridge",
    "manifests.plugin.agent_pods": "FeatureDiscovery MpsControlDaemon",
    "manifests.dra.claim_objects": "gpu_claim",
    "manifests.workload.container_values": "ConfigMapKey ExecProbe HttpProbe SecretKey TcpProbe",
    "manifests.plugin.daemon_set_choices": "DaemonSetUpdate ImagePullPolicy",
    "manifests.exporter.dashboard_object": "DashboardKind",
    "manifests.charts.delivery": "ArgoCd Delivery Flux HelmTemplate",
    "manifests.volumes.empty": "Empty Memory",
    "manifests.volumes.existing_claim": "ExistingClaim",
    "manifests.volumes.files": "ConfigMapFiles SecretFiles",
    "manifests.queues.gang_settings": "GangKind",
    "manifests.gpu_pod": "gpu_pod",
    "manifests.foreign.gpu_values": "gpu_values",
    "manifests.foreign.kubespawner_pod": "kubespawner_override",
    "manifests.foreign.kubevirt_devices": "permitted_host_devices",
    "manifests.volumes.nfs": "Nfs",
    "manifests.volumes.node": "HostPath HostPathType",
    "manifests.volumes.oci_image": "OciImage",
    "manifests.foreign.operator_pods": "argo_template kserve_predictor ray_group",
    "manifests.foreign.spark_pods": "spark_conf spark_template",
    "manifests.volumes.volume": "AccessMode Persistent",
    "manifests.workload.kinds": "CompletionMode UpdateStrategy WorkloadKind",
    "monitoring.alert_rules": "AlertRules",
    "monitoring.alert_thresholds": "AlertThresholds",
    "monitoring.counters": "Counter default_counters",
    "monitoring.grafana_dashboard": "gpu_dashboard",
    "monitoring.metrics": "Metric MetricKind",
    "monitoring.queries": "MetricsSource",
    "monitoring.scraping": "operator_exporter_values",
    "nodes.dra": "Dra DraShare TimeSliceInterval",
    "nodes.gpu_nodes": "GpuNodes",
    "nodes.nodes_file": "read_nodes",
    "nodes.passthrough": "Passthrough",
    "nodes.sharing": "Mps TimeSlicing",
    "nodes.taints": "Taint TaintEffect",
    "nodes.talos_version": "Generation TalosVersion",
    "recipes.model": "Model",
    "talos.targets.cluster_api": "cluster_api_yaml",
    "talos.image.existing_schematic": "ExistingSchematic existing_schematic",
    "talos.leftovers": "Leftover",
    "talos.config.machine_config": "ConfigStyle MachineConfigPatch",
    "talos.config.machine_files": "check_machine_files",
    "talos.targets.omni": "OmniTarget omni_config_patch omni_extensions",
    "talos.targets.omni_template": "OmniTemplateKind omni_template",
    "talos.image.schematic": "Bootloader EnrollKeys Overlay Schematic SecureBoot",
    "talos.targets.talconfig": "merge_into_talconfig",
    "talos.targets.talhelper": "talhelper_node",
    "talos.targets.terraform": "terraform_json",
    "talos.upgrade": "UpgradePlan",
    "talos.upgrade_step": "Outage UpgradeAction UpgradePhase UpgradeRoute UpgradeStep UpgradeTool",
    "upstream.nvidia.card_names": "Architecture",
    "upstream.charts.pod_keys": "SparkRole WorkloadChart",
    "upstream.nvidia.driver_branches": "DriverTrack KernelModules",
    "upstream.talos.platforms": "Arch Platform",
    "upstream.nvidia.plugin_words": "AllocationPolicy DeviceDiscoveryStrategy DeviceIDStrategy DeviceListStrategy MigStrategy",
    "upstream.programs.quantizations": "CacheType",
    "upstream.kubernetes.routing": "IngressController",
    "upstream.talos.file_writes": "FileOperation",
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names.split():
            value = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
            return value
    msg = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)
