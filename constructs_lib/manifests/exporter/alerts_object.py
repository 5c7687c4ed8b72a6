"""The PrometheusRule with the alerts on GPUs."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from ...arguments.fields import named, to_dns_subdomain, to_labels, to_optional_namespace
from ...monitoring.alert_rules import AlertRules
from ..objects import MAIN, Manifests, manifest


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class GpuAlertsSettings(AlertRules):
    """The checked arguments of `GpuAlerts`, which documents each argument."""

    name: str = attrs.field(default="gpu-alerts", converter=to_dns_subdomain)
    namespace: str | None = attrs.field(default=None, converter=to_optional_namespace)
    labels: Mapping[str, str] = attrs.field(default=None, converter=to_labels)


def gpu_alerts(settings: GpuAlertsSettings) -> Manifests:
    """The PrometheusRule."""
    rule = manifest(
        "monitoring.coreos.com/v1", "PrometheusRule", settings.name, namespace=settings.namespace, labels=settings.labels,
        spec={"groups": settings.groups},
    )  # fmt: skip
    return {MAIN: rule}
