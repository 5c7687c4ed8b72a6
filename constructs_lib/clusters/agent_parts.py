"""The parts of node agents, and of what their pods need: RuntimeClass, privileged namespace, claim."""

from __future__ import annotations

from ..arguments.errors import wrong
from ..arguments.names import namespace_name
from ..manifests.cluster_objects import NamespaceSettings, RuntimeClassSettings, privileged_namespace, runtime_class
from ..manifests.dra.claim_objects import GpuClaimSettings, gpu_claim_object
from ..manifests.exporter.objects import dcgm_exporter
from ..manifests.exporter.settings import DcgmExporterSettings
from ..manifests.objects import MAIN, Manifests
from ..manifests.operator.bridge_objects import ValidationBridgeSettings, validation_bridge
from ..manifests.plugin.objects import standalone_device_plugin
from ..manifests.plugin.settings import DevicePluginSettings
from .app_registry import BRIDGE, DEVICE_PLUGIN, DRA_DRIVER, EXPORTER, OPERATOR, RUNTIME_CLASS, Place
from .monitoring_parts import compare_with_sources
from .part import Part, agent_namespace


def _bridge_manifests(place: Place, settings: ValidationBridgeSettings) -> Manifests:
    for other in place.neighbours(BRIDGE):
        if settings.nodes.may_overlap(other.nodes):
            hint = (
                f"'{other.name}' writes the same files on these nodes, and NvidiaGpuOperator brings its own bridges; leave this bridge out"
            )
            raise wrong("nodes", "a class that no other bridge of this app has", settings.nodes, hint)
    return validation_bridge(settings)


VALIDATION_BRIDGE = Part(
    "ValidationBridge",
    ValidationBridgeSettings,
    _bridge_manifests,
    lambda settings: [(BRIDGE, settings)],
    defaults={"namespace": agent_namespace},
    needs={"nodes": "the bridge runs on one class of GPU nodes"},
)


GPU_CLAIM = Part(
    "GpuClaim",
    GpuClaimSettings,
    lambda _, settings: {MAIN: gpu_claim_object(settings)},
    needs={"nodes": "a claim is for the GPUs of a class of nodes"},
)


def _device_plugin_manifests(place: Place, settings: DevicePluginSettings) -> Manifests:
    manifests = standalone_device_plugin(settings)
    _device_plugin_check_neighbours(place, settings)
    return manifests


def _device_plugin_check_neighbours(place: Place, settings: DevicePluginSettings) -> None:
    for other in place.neighbours(DEVICE_PLUGIN):
        if (settings.name, settings.namespace) == (other.name, other.namespace) and not settings.nodes.may_overlap(other.nodes):
            hint = "two plugins can't have objects of the same name; give each class of nodes, or each plugin, its own 'name'"
            raise wrong("name", "one that no other StandaloneDevicePlugin of this app has", settings.name, hint)
        if settings.nodes.may_overlap(other.nodes):
            hint = (
                "the kubelet listens to only one of two plugins on a node; give each class of nodes its own 'name', or different 'labels'"
            )
            raise wrong("nodes", f"a class that shares no node with that of '{other.name}'", settings.nodes, hint)
    for operator in place.neighbours(OPERATOR):
        if any(settings.nodes.may_overlap(theirs) for theirs in operator.plugin_classes):
            hint = "the operator runs its own device plugin on these nodes; leave this plugin out, or set devicePlugin.enabled in the operator's 'values' to False"
            raise wrong("nodes", "a class that no NvidiaGpuOperator of this app has", settings.nodes, hint)
    for driver in place.neighbours(DRA_DRIVER):
        if any(settings.nodes.may_overlap(theirs) for theirs in driver.nodes):
            hint = "the driver allocates the same GPUs a second time; give each class different 'labels', or its own 'name'"
            raise wrong("nodes", "a class that shares no node with those of the DraDriver", settings.nodes, hint)


STANDALONE_DEVICE_PLUGIN = Part(
    "StandaloneDevicePlugin",
    DevicePluginSettings,
    _device_plugin_manifests,
    lambda settings: [(DEVICE_PLUGIN, settings)],
    defaults={"namespace": agent_namespace},
    needs={"nodes": "a plugin runs on one class of GPU nodes"},
)


def _exporter_manifests(place: Place, settings: DcgmExporterSettings) -> Manifests:
    manifests = dcgm_exporter(settings)
    _exporter_check_neighbours(place, settings)
    compare_with_sources(place, settings)
    return manifests


def _exporter_check_neighbours(place: Place, settings: DcgmExporterSettings) -> None:
    for other in place.neighbours(EXPORTER):
        if settings.nodes.may_overlap(other.nodes):
            hint = "two exporters on one node count every GPU twice; give each class of nodes its own 'name', or different 'labels'"
            raise wrong("nodes", f"a class that shares no node with that of '{other.name}'", settings.nodes, hint)
        if (settings.name, settings.namespace) == (other.name, other.namespace):
            hint = "two exporters can't have objects of the same name; give each class of nodes, or each exporter, its own 'name'"
            raise wrong("name", "one that no other DcgmExporter of this app has", settings.name, hint)
    for operator in place.neighbours(OPERATOR):
        if operator.runs_dcgm_exporter and any(settings.nodes.may_overlap(theirs) for theirs in operator.nodes):
            hint = (
                "the operator runs its own exporter on these nodes; give the operator values={'dcgmExporter': {'enabled': False}}, or leave this "
                "DcgmExporter out and read the operator's metrics with MetricsSource(job='nvidia-dcgm-exporter')"
            )
            raise wrong("nodes", "a class that no NvidiaGpuOperator with its own exporter has", settings.nodes, hint)


DCGM_EXPORTER = Part(
    "DcgmExporter",
    DcgmExporterSettings,
    _exporter_manifests,
    lambda settings: [(EXPORTER, settings)],
    defaults={"namespace": agent_namespace},
    needs={"nodes": "an exporter runs on one class of GPU nodes"},
)


PRIVILEGED_NAMESPACE = Part(
    "PrivilegedNamespace",
    NamespaceSettings,
    lambda _, settings: privileged_namespace(settings),
    defaults={"name": lambda _, place: namespace_name("id", place)},
)


def _runtime_class_manifests(place: Place, settings: RuntimeClassSettings) -> Manifests:
    for operator in place.neighbours(OPERATOR):
        if settings.name == operator.runtime_class:
            raise owned_by_operator("name", settings.name, "a RuntimeClass that no NvidiaGpuOperator of this app owns")
    return runtime_class(settings)


def owned_by_operator(argument: str, name: str, rule: str) -> ValueError:
    """The error for a RuntimeClass that has the same name as the RuntimeClass of an operator in the same app."""
    hint = "the operator creates and owns its RuntimeClass; leave NvidiaRuntimeClass out, or give it another name"
    return wrong(argument, rule, name, hint)


NVIDIA_RUNTIME_CLASS = Part(
    "NvidiaRuntimeClass", RuntimeClassSettings, _runtime_class_manifests, lambda settings: [(RUNTIME_CLASS, settings)]
)
