"""The port on which a server of a recipe listens."""

from __future__ import annotations

from ..manifests.workload_ports import port_of
from ..manifests.workload_settings import GpuWorkloadSettings


def server_port(settings: GpuWorkloadSettings, default: int) -> int:
    """The first port of the user's, or the program's own."""
    return port_of(next(iter((settings.port or {}).values()), default)).number
