"""The part `GpuAlerts`."""

from __future__ import annotations

from ..manifests.exporter.alerts_object import GpuAlertsSettings, gpu_alerts
from ..manifests.objects import Manifests
from .app_registry import ALERTS, Place
from .metrics_sources import compare_with_exporters
from .part import Part


def _manifests(place: Place, settings: GpuAlertsSettings) -> Manifests:
    compare_with_exporters(place, settings.source)
    return gpu_alerts(settings)


GPU_ALERTS = Part("GpuAlerts", GpuAlertsSettings, _manifests, lambda settings: [(ALERTS, settings)])
