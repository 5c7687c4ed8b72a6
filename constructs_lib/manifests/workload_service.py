"""The Service of `GpuWorkload`."""

from __future__ import annotations

from .objects import Manifest, manifest
from .workload_kinds import WorkloadKind
from .workload_pod import workload_labels
from .workload_settings import NAME_LABEL, GpuWorkloadSettings


def service(settings: GpuWorkloadSettings) -> Manifest:
    """The Service of the workload's ports."""
    ports = [{"name": name, "port": number, "targetPort": name} for name, number in settings.ports.items()]
    # Only a headless Service gives each pod of a StatefulSet its own DNS name.
    headless = {"clusterIP": "None"} if settings.kind is WorkloadKind.STATEFUL_SET else {}
    spec = {**headless, "selector": {NAME_LABEL: settings.name}, "ports": ports}
    return manifest("v1", "Service", settings.name, namespace=settings.namespace, labels=workload_labels(settings), spec=spec)
