"""The Service of `GpuWorkload`."""

from __future__ import annotations

from .objects import Manifest, manifest
from .workload_kinds import WorkloadKind
from .workload_pod import workload_labels
from .workload_settings import NAME_LABEL, WorkloadSettings


def service(settings: WorkloadSettings) -> Manifest:
    """The Service of the workload's ports. A StatefulSet always has one, for the DNS names of its pods."""
    ports = [{"name": name, "port": port.number, "targetPort": name, **port.fields} for name, port in settings.ports.items()]
    # Only a headless Service gives each pod of a StatefulSet its own DNS name. Peers must find each other before they are ready.
    headless = {"clusterIP": "None", "publishNotReadyAddresses": True} if settings.kind is WorkloadKind.STATEFUL_SET else {}
    spec = {**headless, "selector": {NAME_LABEL: settings.name}, **({"ports": ports} if ports else {})}
    made = manifest(
        "v1",
        "Service",
        settings.name,
        namespace=settings.namespace,
        labels=workload_labels(settings),
        annotations=settings.annotations,
        spec=spec,
    )
    if not settings.service_fields:
        return made
    from .service_fields import shaped_service  # deferred: only a given argument needs the fields of a Service

    return shaped_service(made, settings.service_fields)
