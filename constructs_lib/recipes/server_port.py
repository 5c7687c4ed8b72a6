"""The port on which a server of a recipe listens."""

from __future__ import annotations

from .._arguments.errors import wrong
from ..manifests.workload_ports import port_of
from ..manifests.workload_settings import GpuWorkloadSettings


def server_port(settings: GpuWorkloadSettings, default: int) -> int:
    """The first port of the user's, or the program's own."""
    return port_of(next(iter((settings.port or {}).values()), default)).number


def check_listens(settings: GpuWorkloadSettings, own: int) -> None:
    """Refuse ports without the one on which the image listens, and which nothing changes."""
    if settings.port is not None and own not in {port_of(each).number for each in settings.port.values()}:
        name = next(iter(settings.port))
        hint = f"service={{'ports': [{{'name': {name!r}, 'port': …}}]}} gives the Service another port"
        raise wrong("port", f"with {own}, the port on which the image listens", dict(settings.port), hint)
