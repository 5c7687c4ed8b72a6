"""Services of Talos that wait, that have failed, or whose program ends again and again."""

from __future__ import annotations

from ...arguments.commands import command
from ...upstream.talos.node_services import DRIVER_FILES, RESTARTS
from ..fault import Fault
from ..gpu_node import GpuNode
from ..node_commands import SERVICES
from ..talos_machine import Service

_SOURCE = "siderolabs/talos internal/app/machined/pkg/system/runner/restart; siderolabs/extensions#888; siderolabs/talos#14373"


def is_failing(service: Service) -> bool:
    """Whether the program of a service has ended with an error, or ends again and again."""
    return service.state == "Failed" or (service.state == "Waiting" and RESTARTS in service.event)


def service_fault(node: GpuNode, name: str, consequence: str) -> Fault | None:
    """The fault of a service of the node; None for a service that runs, has finished, or was not read."""
    services = node.machine.services if node.machine else None
    service = (services or {}).get(name)
    if service is None or not (is_failing(service) or service.state == "Waiting"):
        return None
    is_waiting = not is_failing(service)
    waits_for_driver = is_waiting and any(file in service.event for file in DRIVER_FILES)
    return Fault(
        name="service-waits" if is_waiting else "service-fails",
        cause=_cause(name, service, is_waiting=is_waiting),
        evidence=(service.evidence,),
        consequence=consequence,
        fix=command("talosctl --nodes ADDRESS dmesg | grep -i -e nvrm -e nvidia  # has the reason; give its lines to talos-gpu why")
        if waits_for_driver
        else command(
            "talosctl --nodes ADDRESS logs {name}   # has the reason; give its lines to talos-gpu why\ntalosctl --nodes ADDRESS service {name} restart",
            name=name,
        ),
        verify=SERVICES,
        source=_SOURCE,
    )


def _cause(name: str, service: Service, *, is_waiting: bool) -> str:
    if not is_waiting:
        return f"The service {name} does not stay up: its program ends"
    awaited = service.event.removeprefix("Waiting for ").strip()
    return f"The service {name} waits{f' for {awaited}' if awaited else ''}"
