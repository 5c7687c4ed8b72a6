"""The facts that a class of workloads knows about its server. The objects around a workload, such as routes and
ServiceMonitors, follow from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from ...arguments.plain_values import EMPTY

if TYPE_CHECKING:
    from .container_values import SecretKey


class ServerFacts:
    """The facts of a server, as class attributes. The defaults are those of a server of which nothing is known."""

    __slots__ = ()

    unauthenticated: ClassVar[str] = ""
    """A sentence that the server has no authentication, as "Ollama has no authentication"; empty where the server asks
    for a login or nothing is known."""

    has_peers: ClassVar[bool] = False
    """Whether the pods talk to one another, at ports that nobody knows before."""

    direct_client: ClassVar[str] = ""
    """The object beside a server that calls its Service by itself, as "the Job of 'models'"; empty where there is
    none."""

    app_protocols: ClassVar[Mapping[str, str]] = EMPTY
    """The application protocol of ports, by name, where a proxy that takes them for HTTP/1 would fail."""

    metrics: ClassVar[str | None] = None
    """The path of the server's metrics. Empty if the server has none, None if nothing is known."""

    metrics_port: ClassVar[str | None] = None
    """The name of the port with the metrics, where that is another port than the first one."""

    clients: ClassVar[tuple[str, ...]] = ()
    """The names of the Jobs beside the workload whose pods ask the server for something."""

    downloads: ClassVar[str] = ""
    """The argument whose value the server itself downloads from the internet; empty where it needs no download."""

    def without_http(self, port: str) -> str:
        """Why no host name leads to a port, and what to do, as one sentence; empty for a port that serves HTTP."""
        return ""

    @property
    def metrics_key(self) -> SecretKey | None:
        """The key that the server asks Prometheus for, as a bearer token."""
        return None
