"""The parts of alerts and of the dashboard, with the exporters that they find in an app."""

from __future__ import annotations

from ..arguments.errors import wrong
from ..arguments.talos_warnings import warn
from ..manifests.exporter.dashboard_object import GpuAlertsSettings, GpuDashboardSettings, dashboard_object, gpu_alerts
from ..manifests.exporter.settings import APPLICATION, DcgmExporterSettings
from ..manifests.objects import Manifests
from ..monitoring.metrics import Metric
from ..monitoring.queries import MetricsSource
from .app_registry import ALERTS, DASHBOARD, EXPORTER, Place
from .part import Part, id_as_subdomain


def compare_with_exporters(place: Place, source: MetricsSource) -> None:
    """Warn where a dashboard or alerts ask for names that an exporter of the same app does not export."""
    if source.has_base_units:
        for exporter in place.neighbours(EXPORTER):
            _compare(source, exporter)


def compare_with_sources(place: Place, exporter: DcgmExporterSettings) -> None:
    """Warn where an exporter does not export the names that a dashboard or alerts of the same app ask for."""
    for kind in (DASHBOARD, ALERTS):
        for settings in place.neighbours(kind):
            _compare(settings.source, exporter)


def _compare(source: MetricsSource, exporter: DcgmExporterSettings) -> None:
    # Every dashboard and most alerts read this metric.
    name = source.name(Metric.GPU_TEMP)
    if source.has_base_units and source.job == APPLICATION and name not in {str(counter.metric) for counter in exporter.counters}:
        warn(
            f"'source' asks the job '{source.job}' for the names of dcgm-exporter {source.exporter_version}, such as {name}. DcgmExporter "
            f"'{exporter.name}' has this job and exports the names up to 4.8: leave 'exporter_version' out"
        )


def _alerts_manifests(place: Place, settings: GpuAlertsSettings) -> Manifests:
    compare_with_exporters(place, settings.source)
    return gpu_alerts(settings)


GPU_ALERTS = Part("GpuAlerts", GpuAlertsSettings, _alerts_manifests, lambda settings: [(ALERTS, settings)])


def _dashboard_manifests(place: Place, settings: GpuDashboardSettings) -> Manifests:
    manifests = dashboard_object(settings)
    for other in place.neighbours(DASHBOARD):
        if settings.uid == other.uid:
            hint = f"'{other.name}' has the same uid, and Grafana would show only one of the two dashboards"
            raise wrong("uid", "one that no other GpuDashboard of this app has", settings.uid, hint)
    compare_with_exporters(place, settings.source)
    return manifests


GPU_DASHBOARD = Part(
    "GpuDashboard", GpuDashboardSettings, _dashboard_manifests, lambda settings: [(DASHBOARD, settings)], defaults={"name": id_as_subdomain}
)
