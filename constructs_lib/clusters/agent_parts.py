"""The parts of node agents and of their alerts and dashboard, and of what their pods need: RuntimeClass, namespace,
claim."""

from __future__ import annotations

from ..arguments.errors import warn, wrong
from ..arguments.names import namespace_name
from ..manifests.cluster_objects import NamespaceSettings, RuntimeClassSettings, privileged_namespace, runtime_class
from ..manifests.dra.claim_objects import GpuClaimSettings, gpu_claim_object
from ..manifests.exporter.dashboard_object import GpuAlertsSettings, GpuDashboardSettings, dashboard_object, gpu_alerts
from ..manifests.exporter.objects import dcgm_exporter
from ..manifests.exporter.settings import APPLICATION, DcgmExporterSettings
from ..manifests.objects import MAIN, Manifests
from ..manifests.operator.bridge_objects import ValidationBridgeSettings, validation_bridge
from ..manifests.plugin.objects import standalone_device_plugin
from ..manifests.plugin.settings import DevicePluginSettings
from ..monitoring.metrics import Metric
from ..monitoring.queries import MetricsSource
from .app_registry import ALERTS, BRIDGE, DASHBOARD, DEVICE_PLUGIN, DRA_DRIVER, EXPORTER, OPERATOR, RUNTIME_CLASS, Place
from .part import Part, agent_namespace, id_as_subdomain, owned_by_operator


def _compare_with_exporters(place: Place, source: MetricsSource) -> None:
    if source.has_base_units:
        for exporter in place.neighbours(EXPORTER):
            _compare(source, exporter)


def _compare(source: MetricsSource, exporter: DcgmExporterSettings) -> None:
    """Warn where a dashboard or alerts ask for names that an exporter of the same app does not export."""
    # Every dashboard and most alerts read this metric.
    name = source.name(Metric.GPU_TEMP)
    if source.has_base_units and source.job == APPLICATION and name not in {str(counter.metric) for counter in exporter.counters}:
        warn(
            f"'source' asks the job '{source.job}' for the names of dcgm-exporter {source.exporter_version}, such as {name}. DcgmExporter "
            f"'{exporter.name}' has this job and exports the names up to 4.8: leave 'exporter_version' out"
        )


def _alerts_manifests(place: Place, settings: GpuAlertsSettings) -> Manifests:
    _compare_with_exporters(place, settings.source)
    return gpu_alerts(settings)


GPU_ALERTS = Part("GpuAlerts", GpuAlertsSettings, _alerts_manifests, lambda settings: [(ALERTS, settings)])


def _dashboard_manifests(place: Place, settings: GpuDashboardSettings) -> Manifests:
    manifests = dashboard_object(settings)
    for other in place.neighbours(DASHBOARD):
        if settings.uid == other.uid:
            hint = f"'{other.name}' has the same uid, and Grafana would show only one of the two dashboards"
            raise wrong("uid", "one that no other GpuDashboard of this app has", settings.uid, hint)
    _compare_with_exporters(place, settings.source)
    return manifests


GPU_DASHBOARD = Part(
    "GpuDashboard", GpuDashboardSettings, _dashboard_manifests, lambda settings: [(DASHBOARD, settings)], defaults={"name": id_as_subdomain}
)


def _bridge_manifests(place: Place, settings: ValidationBridgeSettings) -> Manifests:
    for other, _ in place.overlapping(BRIDGE, settings.nodes):
        hint = f"'{other.name}' writes the same files on these nodes, and NvidiaGpuOperator brings its own bridges; leave this bridge out"
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
    for other in place.neighbours(DEVICE_PLUGIN):
        if (settings.name, settings.namespace) == (other.name, other.namespace) and not settings.nodes.may_overlap(other.nodes):
            hint = "two plugins can't have objects of the same name; give each class of nodes, or each plugin, its own 'name'"
            raise wrong("name", "one that no other StandaloneDevicePlugin of this app has", settings.name, hint)
        if settings.nodes.may_overlap(other.nodes):
            hint = (
                "the kubelet listens to only one of two plugins on a node; give each class of nodes its own 'name', or different 'labels'"
            )
            raise wrong("nodes", f"a class that shares no node with that of '{other.name}'", settings.nodes, hint)
    for _ in place.overlapping(OPERATOR, settings.nodes, "plugin_classes"):
        hint = "the operator runs its own device plugin on these nodes; leave this plugin out, or set devicePlugin.enabled in the operator's 'values' to False"
        raise wrong("nodes", "a class that no NvidiaGpuOperator of this app has", settings.nodes, hint)
    for _ in place.overlapping(DRA_DRIVER, settings.nodes):
        hint = "the driver allocates the same GPUs a second time; give each class different 'labels', or its own 'name'"
        raise wrong("nodes", "a class that shares no node with those of the DraDriver", settings.nodes, hint)
    return manifests


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
    for other in place.neighbours(EXPORTER):
        if settings.nodes.may_overlap(other.nodes):
            hint = "two exporters on one node count every GPU twice; give each class of nodes its own 'name', or different 'labels'"
            raise wrong("nodes", f"a class that shares no node with that of '{other.name}'", settings.nodes, hint)
        if (settings.name, settings.namespace) == (other.name, other.namespace):
            hint = "two exporters can't have objects of the same name; give each class of nodes, or each exporter, its own 'name'"
            raise wrong("name", "one that no other DcgmExporter of this app has", settings.name, hint)
    for operator, _ in place.overlapping(OPERATOR, settings.nodes):
        if operator.runs_dcgm_exporter:
            hint = (
                "the operator runs its own exporter on these nodes; give the operator values={'dcgmExporter': {'enabled': False}}, or leave this "
                "DcgmExporter out and read the operator's metrics with MetricsSource(job='nvidia-dcgm-exporter')"
            )
            raise wrong("nodes", "a class that no NvidiaGpuOperator with its own exporter has", settings.nodes, hint)
    for kind in (DASHBOARD, ALERTS):
        for asking in place.neighbours(kind):
            _compare(asking.source, settings)
    return manifests


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


NVIDIA_RUNTIME_CLASS = Part(
    "NvidiaRuntimeClass", RuntimeClassSettings, _runtime_class_manifests, lambda settings: [(RUNTIME_CLASS, settings)]
)
