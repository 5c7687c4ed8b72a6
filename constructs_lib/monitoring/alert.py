"""One alert: when it fires, how bad that is, and what to do about it on Talos."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..upstream.choice import Choice
from .metrics import Metric


class Severity(Choice):
    """How bad it is, in the words of kube-prometheus, which most routes of Alertmanager know."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, kw_only=True, slots=True)
class Alert:
    """One alert of the table. Durations are Prometheus'; summary and runbook may name the labels of what fires, as Prometheus' templates do."""

    name: str
    expr: str
    severity: Severity
    summary: str
    description: str
    """When it fires and what that means, for a reader who has no alert before him: no template."""
    runbook: str
    for_: str | None = None
    keep_firing_for: str | None = None
    """Prometheus 2.42 or newer; its operator leaves it out for older ones."""
    opt_in: bool = False

    @property
    def metrics(self) -> list[Metric]:
        """The exporter's metrics that it needs: without them in the counter file it stays silent."""
        words = set(re.findall(r"\w+", self.expr))
        return [metric for metric in Metric if words & {str(metric), metric.dcgm_4_7.name}]

    def rule(self, labels: dict[str, str]) -> dict[str, Any]:
        """The rule, as a rule file and a PrometheusRule have it."""
        annotations = {"summary": self.summary, "description": self.description, "runbook": self.runbook}
        durations = {"for": self.for_, "keep_firing_for": self.keep_firing_for}
        return {
            "alert": self.name,
            "expr": self.expr,
            **{key: value for key, value in durations.items() if value is not None},
            "labels": {"severity": str(self.severity), **labels},
            "annotations": annotations,
        }
