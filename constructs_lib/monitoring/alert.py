"""One alert: its condition, its severity, and its runbook for Talos; and what the texts of several alerts share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..arguments.commands import command
from ..upstream.choice import Choice
from .metrics import Metric
from .queries import MetricsSource

GPU = "GPU {{ $labels.gpu }} ({{ $labels.modelName }})"
"""A GPU, as a template."""


class Severity(Choice):
    """The severity of an alert, in the words of kube-prometheus, which most Alertmanager routes use."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, kw_only=True, slots=True)
class Alert:
    """One alert. Durations are in Prometheus' syntax; summary and runbook may use labels of the alert in Prometheus' template syntax."""

    name: str
    expr: str
    severity: Severity
    summary: str
    description: str
    """The condition and its meaning, without templates."""
    runbook: str
    for_: str | None = None
    keep_firing_for: str | None = None
    """Needs Prometheus 2.42 or newer; the Prometheus operator removes the field for older versions."""
    opt_in: bool = False

    @property
    def anchor(self) -> str:
        """The anchor of the alert's runbook on the page docs/alerts.md."""
        return self.name.lower()

    @property
    def metrics(self) -> list[Metric]:
        """The exporter's metrics that the alert needs. Without them in the counter file the alert never fires."""
        words = set(re.findall(r"\w+", self.expr))
        return [metric for metric in Metric if words & {str(metric), metric.dcgm_4_7.name}]

    def rule(self, labels: dict[str, str], runbook_url: str | None) -> dict[str, Any]:
        """The rule in the format of a rule file and of a PrometheusRule."""
        annotations = {"summary": self.summary, "description": self.description, "runbook": self.runbook}
        if runbook_url is not None:
            annotations["runbook_url"] = f"{runbook_url}#{self.anchor}"
        durations = {"for": self.for_, "keep_firing_for": self.keep_firing_for}
        return {
            "alert": self.name,
            "expr": self.expr,
            **{key: value for key, value in durations.items() if value is not None},
            "labels": {"severity": str(self.severity), **labels},
            "annotations": annotations,
        }


def node_of(source: MetricsSource) -> str:
    """The name of the node of an exporter's series, as a template."""
    return f"{{{{ $labels.{source.node_label} }}}}"


def with_address(node: str, runbook: str) -> str:
    """A runbook whose commands name an ADDRESS, and where it stands. Talos need not know the names that Kubernetes has for nodes."""
    wide = code("kubectl get node {node} --output wide", node=node)
    return f"{runbook} ADDRESS is the INTERNAL-IP that {wide} shows."


def reboot(node: str) -> str:
    """The commands that reset a GPU on Talos: the host has no shell for a tool of NVIDIA's.

    The drain is one of the program, so it works on any Talos; it waits for the API server, which is absent while a lone control plane boots, and
    uncordons the node then (siderolabs/talos cmd/talosctl/cmd/talos/reboot.go and drain.go at v1.13.9, read on 2026-11-23).
    """
    uncordon = code("kubectl uncordon {node}", node=node)
    return (
        f"{code('talosctl --nodes ADDRESS reboot --drain')} (talosctl 1.13 or newer; it deletes the emptyDir volumes of the pods that it moves, waits until the node is "
        f"Ready, and uncordons it; if it ends with an error, {uncordon})"
    )


def code(template: str, **values: str) -> str:
    """A command as code; a value, such as the template of a label, is one word of the shell."""
    return f"`{command(template, **values)}`"
