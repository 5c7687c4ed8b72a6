"""The comparison of the metric names that dashboards and alerts of an app ask for with the names that its exporters
export."""

from __future__ import annotations

from ..arguments.talos_warnings import warn
from ..manifests.exporter.settings import APPLICATION, DcgmExporterSettings
from ..monitoring.metrics import Metric
from ..monitoring.queries import MetricsSource
from .app_registry import ALERTS, DASHBOARD, EXPORTER, Place


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
