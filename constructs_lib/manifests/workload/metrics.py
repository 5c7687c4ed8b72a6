"""The ServiceMonitor of a workload."""

from __future__ import annotations

from typing import Any

import attrs

from ...arguments.errors import wrong
from ...arguments.fields import named, settle, to_optional_text, to_scrape_duration
from ...arguments.names import url_path
from ...arguments.quantities import milliseconds, scrape_duration
from ..objects import MAIN, Manifests, service_monitor
from .part_settings import PartSettings, default_name, port_name, tcp_port
from .settings import NAME_LABEL


def _to_path(value: str | None, argument: str = "") -> str | None:
    return None if value is None else url_path(argument, value)


def _to_timeout(value: str | None, argument: str = "") -> str | None:
    return None if value is None else scrape_duration(argument, value)


@attrs.frozen(eq=False, repr=False, field_transformer=named)
class ScrapeSettings(PartSettings):
    """The checked arguments of `scrape`, which documents each argument."""

    port: str | None = attrs.field(default=None, converter=to_optional_text, kw_only=True)
    path: str | None = attrs.field(default=None, converter=_to_path, kw_only=True)
    interval: str = attrs.field(default="30s", converter=to_scrape_duration, kw_only=True)
    scrape_timeout: str | None = attrs.field(default=None, converter=_to_timeout, kw_only=True)

    def __attrs_post_init__(self) -> None:
        if self.path is None:
            self._take_known()
        settle(self, "path", "/metrics")
        settle(self, "port", port_name(self.workload, self.port))
        tcp_port(self.workload, str(self.port), "Prometheus")
        settle(self, "name", default_name(self.workload, str(self.port)))
        if self.scrape_timeout is not None and milliseconds(self.scrape_timeout) > milliseconds(self.interval):
            raise wrong("scrape_timeout", f"at most 'interval' ({self.interval})", self.scrape_timeout, "Prometheus refuses a longer one")

    def _take_known(self) -> None:
        """Take the place of the metrics from a workload that knows it."""
        known, port = self.workload.metrics, self.workload.metrics_port
        if known == "" and self.port is None:
            hint = "where you have turned metrics on, say so: give their 'path'"
            raise wrong("workload", "a server with metrics", self.workload.name, hint)
        settle(self, "path", known or None)
        if port is not None and self.port not in (None, port):
            raise wrong("port", f"'{port}', where this server has its metrics", self.port)
        settle(self, "port", port)


def workload_metrics(settings: ScrapeSettings) -> Manifests:
    """The ServiceMonitor for the workload's own Service."""
    endpoint: dict[str, Any] = {"port": settings.port, "path": settings.path, "interval": settings.interval}
    if settings.scrape_timeout is not None:
        endpoint["scrapeTimeout"] = settings.scrape_timeout
    if (key := settings.workload.metrics_key) is not None:
        endpoint["authorization"] = {"credentials": {"name": key.secret, "key": key.key}}
    marks = settings.metadata["labels"]
    selector = {NAME_LABEL: settings.workload.name}
    monitor = service_monitor(
        settings.name, settings.workload.namespace, marks, selector, endpoint, annotations=settings.annotations
    )  # fmt: skip
    return {MAIN: monitor}
