"""The part `GpuDashboard`."""

from __future__ import annotations

from ..arguments.errors import wrong
from ..manifests.exporter.dashboard_object import GpuDashboardSettings, dashboard_object
from ..manifests.objects import Manifests
from .app_registry import DASHBOARD, Place
from .metrics_sources import compare_with_exporters
from .part import Part, id_as_subdomain


def _manifests(place: Place, settings: GpuDashboardSettings) -> Manifests:
    manifests = dashboard_object(settings)
    for other in place.neighbours(DASHBOARD):
        if settings.uid == other.uid:
            hint = f"'{other.name}' has the same uid, and Grafana would show only one of the two dashboards"
            raise wrong("uid", "one that no other GpuDashboard of this app has", settings.uid, hint)
    compare_with_exporters(place, settings.source)
    return manifests


GPU_DASHBOARD = Part(
    "GpuDashboard", GpuDashboardSettings, _manifests, lambda settings: [(DASHBOARD, settings)], defaults={"name": id_as_subdomain}
)
