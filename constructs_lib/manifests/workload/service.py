"""The Service of `GpuWorkload`."""

from __future__ import annotations

from typing import Any

from ..objects import Manifest, manifest
from .kinds import WorkloadKind
from .pod import workload_labels
from .settings import WorkloadSettings


def service_port(settings: WorkloadSettings, name: str) -> dict[str, Any]:
    """A port of the Service, whose number may be another one than that of the pods."""
    found: dict[str, Any] = next(port for port in service(settings)["spec"]["ports"] if port["name"] == name)
    return found


def client_port(settings: WorkloadSettings, name: str) -> int:
    """The number at which clients reach a port by the name of the Service. The name of a headless Service is that of
    the pods, with the pods' ports."""
    if service(settings)["spec"].get("clusterIP") == "None":
        return settings.ports[name].number
    number: int = service_port(settings, name)["port"]
    return number


def service(settings: WorkloadSettings) -> Manifest:
    """The Service of the workload's ports. A StatefulSet always has one, for the DNS names of its pods."""
    ports = [{"name": name, "port": port.number, "targetPort": name, **port.fields} for name, port in settings.ports.items()]
    for port in ports:
        if port["name"] in settings.app_protocols:
            port["appProtocol"] = settings.app_protocols[str(port["name"])]
    # Only a headless Service gives each pod of a StatefulSet its own DNS name. Peers must find each other before they
    # are ready.
    headless = {"clusterIP": "None", "publishNotReadyAddresses": True} if settings.kind is WorkloadKind.STATEFUL_SET else {}
    spec = {**headless, "selector": settings.service_selector, **({"ports": ports} if ports else {})}
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
