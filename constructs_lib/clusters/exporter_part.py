"""The part `DcgmExporter`."""

from __future__ import annotations

from ..arguments.errors import wrong
from ..manifests.exporter.objects import dcgm_exporter
from ..manifests.exporter.settings import DcgmExporterSettings
from ..manifests.objects import Manifests
from .app_registry import EXPORTER, OPERATOR, Place
from .metrics_sources import compare_with_sources
from .part import Part, agent_namespace


def _manifests(place: Place, settings: DcgmExporterSettings) -> Manifests:
    manifests = dcgm_exporter(settings)
    _check_neighbours(place, settings)
    compare_with_sources(place, settings)
    return manifests


def _check_neighbours(place: Place, settings: DcgmExporterSettings) -> None:
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
    _manifests,
    lambda settings: [(EXPORTER, settings)],
    defaults={"namespace": agent_namespace},
    needs={"nodes": "an exporter runs on one class of GPU nodes"},
)
