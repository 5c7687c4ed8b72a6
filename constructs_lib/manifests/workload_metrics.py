"""The ServiceMonitor of a workload."""

from __future__ import annotations

import attrs

from .._arguments.errors import wrong
from .._arguments.fields import named, settle, to_optional_text
from .._arguments.host_names import url_path
from .._arguments.quantities import milliseconds, scrape_duration
from .objects import MAIN, Manifests
from .part_settings import PartSettings, default_name, port_name, tcp_port
from .service_monitor import service_monitor
from .workload_settings import NAME_LABEL


def _to_path(value: str, argument: str = "") -> str:
    return url_path(argument, value)


def _to_interval(value: str, argument: str = "") -> str:
    return scrape_duration(argument, value)


def _to_timeout(value: str | None, argument: str = "") -> str | None:
    return None if value is None else scrape_duration(argument, value)


@attrs.frozen(eq=False, repr=False, field_transformer=named)
class ScrapeSettings(PartSettings):
    """The checked arguments of `scrape`, which documents each argument."""

    port: str | None = attrs.field(default=None, converter=to_optional_text, kw_only=True)
    path: str = attrs.field(default="/metrics", converter=_to_path, kw_only=True)
    interval: str = attrs.field(default="30s", converter=_to_interval, kw_only=True)
    scrape_timeout: str | None = attrs.field(default=None, converter=_to_timeout, kw_only=True)

    def __attrs_post_init__(self) -> None:
        settle(self, "port", port_name(self.workload, self.port))
        tcp_port(self.workload, str(self.port), "Prometheus")
        settle(self, "name", default_name(self.workload, str(self.port)))
        if self.scrape_timeout is not None and milliseconds(self.scrape_timeout) > milliseconds(self.interval):
            raise wrong("scrape_timeout", f"at most 'interval' ({self.interval})", self.scrape_timeout, "Prometheus refuses a longer one")


def workload_metrics(settings: ScrapeSettings) -> Manifests:
    """The ServiceMonitor for the workload's own Service."""
    endpoint = {"port": settings.port, "path": settings.path, "interval": settings.interval}
    if settings.scrape_timeout is not None:
        endpoint["scrapeTimeout"] = settings.scrape_timeout
    marks = settings.metadata["labels"]
    selector = {NAME_LABEL: settings.workload.name}
    monitor = service_monitor(
        settings.name, settings.workload.namespace, marks, selector, endpoint, annotations=settings.annotations
    )  # fmt: skip
    return {MAIN: monitor}
