"""The PrometheusRule with the alerts of GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .._arguments.keywords import named_arguments
from .._arguments.names import dns_subdomain, label_map, namespace_name
from ..monitoring.alert_rules import AlertRules
from .objects import MAIN, Manifests, manifest


@named_arguments()
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class GpuAlertsSettings(AlertRules):
    """The checked arguments of the alerts; `GpuAlerts` documents each."""

    name: str = "gpu-alerts"
    namespace: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        AlertRules.__post_init__(self)
        dns_subdomain("name", self.name)
        if self.namespace is not None:
            namespace_name("namespace", self.namespace)
        object.__setattr__(self, "labels", label_map("labels", self.labels))


def gpu_alerts(settings: GpuAlertsSettings) -> Manifests:
    """The PrometheusRule."""
    rule = manifest(
        "monitoring.coreos.com/v1", "PrometheusRule", settings.name, namespace=settings.namespace, labels=settings.labels,
        spec={"groups": settings.groups},
    )  # fmt: skip
    return {MAIN: rule}
