"""The port on which a server of a recipe listens."""

from __future__ import annotations

from types import MappingProxyType

from ..arguments.errors import wrong
from ..manifests.workload.ports import port_of
from ..manifests.workload.service import client_port
from ..manifests.workload.settings import GpuWorkloadSettings


def server_port(settings: GpuWorkloadSettings, default: int) -> int:
    """The first port of the user's, which is `http` where there are several, or the program's own."""
    return port_of(next(iter((settings.port or {}).values()), default)).number


def server_address(settings: GpuWorkloadSettings) -> str:
    """The URL of the server for its clients in the namespace."""
    return f"http://{settings.name}:{client_port(settings, next(iter(settings.ports)))}"


def check_port_variable(settings: GpuWorkloadSettings, name: str) -> None:
    """Refuse the variable of the port among the user's: the Service, the probes and the clients use the argument
    `port`."""
    if name in settings.env:
        raise wrong("env", f"without {name}", name, "give 'port': the Service, the probes and the Job of the models use this port")


def check_listens(settings: GpuWorkloadSettings, own: int) -> None:
    """Refuse ports without the one on which the image listens, and which nothing changes. The port becomes the first,
    which the probes use."""
    if settings.port is None:
        return
    if own not in settings.port.values():
        name = next(iter(settings.port))
        hint = f"service={{'ports': [{{'name': {name!r}, 'port': …}}]}} gives the Service another port"
        raise wrong("port", f"with {own}, the port on which the image listens", dict(settings.port), hint)
    object.__setattr__(settings, "port", MappingProxyType(dict(sorted(settings.port.items(), key=lambda each: each[1] != own))))
