"""One alert: its condition, its severity, and its runbook for Talos; the thresholds of the alerts; and what the texts
of several alerts share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import attrs

from ..arguments.commands import command
from ..arguments.errors import wrong
from ..arguments.fields import named
from ..arguments.keywords import named_arguments
from ..arguments.plain_values import ordered, text, whole_number
from ..upstream.choice import Choice
from ..upstream.nvidia.card_thresholds import IDLE, MEMORY_FULL, PCIE_REPLAYS, SLOWDOWN_SHARE
from ..upstream.nvidia.xid_errors import APPLICATION_XIDS, RESET_XIDS
from .metrics import Metric
from .queries import MetricsSource

# The pattern of the CRDs of the Prometheus operator. Unlike Go's durations, Prometheus' durations have days and no
# fractions.
_DURATION = r"(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?"


def _to_xids(value: Iterable[int], argument: str = "") -> tuple[int, ...]:
    rule = "a list of XIDs, such as [48, 79]"
    numbers = tuple(whole_number(argument, each) for each in ordered(argument, value, rule))
    if not numbers:
        raise wrong(argument, rule, value, "to switch the alert off, name the alert in 'disable'")
    return numbers


def _to_temperature(value: int | None, argument: str = "") -> int | None:
    return None if value is None else whole_number(argument, value, 1, 150, "the unit is °C")


def _to_rate(value: int, argument: str = "") -> int:
    return whole_number(argument, value, 0, hint="the unit is replays a minute")


def _to_percent(value: int, argument: str = "") -> int:
    return whole_number(argument, value, 1, 99, "the unit is %")


def _to_lookback(value: str, argument: str = "") -> str:
    return prometheus_duration(argument, value, zero=False)


@named_arguments()
@attrs.frozen(kw_only=True, field_transformer=named)
class AlertThresholds:
    """The thresholds at which alerts fire. Limits of the cards themselves need no threshold, because the driver knows
    them.

    Args:
        fatal_xids: The XIDs of GpuXidFatal; for NVLink 5 (GB200 and newer) add 144 to 150. Default: the XIDs for which
            NVIDIA advises a reset or a reboot: 46, 62, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 143, 155, 156,
            158. GpuXidUncorrectable has 48, and is silent where 94 says that the error was contained.
        application_xids: The XIDs of GpuXidApplication. Default: 13, 31, 43, 45, 68, 69.
        slowdown_temperature: The temperature in °C from which GpuAtSlowdownTemperature fires, for exporters without
            `DCGM_FI_DEV_SLOWDOWN_TEMP`. Default: the slowdown temperature that each card reports.
        slowdown_share: The share of a quarter of an hour, in %, above which GpuHwThermalSlowdown, GpuHwPowerBrake,
            GpuSwThermalSlowdown and GpuAtSlowdownTemperature fire. Default: 25.
        pcie_replays: The number of PCIe replays a minute above which GpuPcieReplays fires. Default: 8.
        idle_utilization: The mean utilization of an hour, in %, below which GpuAllocatedIdle fires. Default: 1.
        memory_used: The share of a GPU's memory, in %, above which GpuMemoryNearlyFull fires. Default: 97.
        lookback: How long GpuDisappeared and GpuNodeLostGpus remember earlier GPUs, as a Prometheus duration. After a
            card is removed for good, both alerts fire for this time. Default: `6h`.

    Raises:
        TypeError, ValueError: `'pcie_replays' must be a whole number of at least 0 …`; likewise for every other
            argument.

    Example:
        >>> AlertThresholds(pcie_replays=20, lookback="1d").fatal_xids[:3]
        (46, 62, 64)

    https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html
    """

    fatal_xids: tuple[int, ...] = attrs.field(default=RESET_XIDS, converter=_to_xids)
    application_xids: tuple[int, ...] = attrs.field(default=APPLICATION_XIDS, converter=_to_xids)
    slowdown_temperature: int | None = attrs.field(default=None, converter=_to_temperature)
    slowdown_share: int = attrs.field(default=SLOWDOWN_SHARE, converter=_to_percent)
    pcie_replays: int = attrs.field(default=PCIE_REPLAYS, converter=_to_rate)
    idle_utilization: int = attrs.field(default=IDLE, converter=_to_percent)
    memory_used: int = attrs.field(default=MEMORY_FULL, converter=_to_percent)
    lookback: str = attrs.field(default="6h", converter=_to_lookback)


def prometheus_duration(argument: str, value: object, *, zero: bool = True) -> str:
    """A duration in Prometheus' syntax."""
    rule = "a duration of Prometheus' such as '30s', '15m' or '1d'"
    written = text(argument, value, rule)
    if not re.fullmatch(_DURATION, written) or (not zero and not re.search("[1-9]", written)):
        raise wrong(argument, rule, written)
    return written


GPU = "GPU {{ $labels.gpu }} ({{ $labels.modelName }})"
"""A GPU, as a template."""


class Severity(Choice):
    """The severity of an alert, in the words of kube-prometheus, which most Alertmanager routes use."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, kw_only=True, slots=True)
class Alert:
    """One alert. Durations are in Prometheus' syntax; summary and runbook may use labels of the alert in Prometheus'
    template syntax.
    """

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
    """A runbook whose commands name an ADDRESS, and where it stands. Talos need not know the names that Kubernetes has
    for nodes.
    """
    wide = code("kubectl get node {node} --output wide", node=node)
    return f"{runbook} ADDRESS is the INTERNAL-IP that {wide} shows."


def reboot(node: str) -> str:
    """The commands that reset a GPU on Talos: the host has no shell for a tool of NVIDIA's.

    The drain is one of the program, so it works on any Talos; it waits for the API server, which is absent while a lone
    control plane boots, and uncordons the node then (siderolabs/talos cmd/talosctl/cmd/talos/reboot.go and drain.go at
    v1.13.9, read on 2026-11-23).
    """
    uncordon = code("kubectl uncordon {node}", node=node)
    return (
        f"{code('talosctl --nodes ADDRESS reboot --drain')} (talosctl 1.13 or newer; it deletes the emptyDir volumes "
        f"of the pods that it moves, waits until the node is Ready, and uncordons it; if it ends with an error, "
        f"{uncordon})"
    )


def code(template: str, **values: str) -> str:
    """A command as code; a value, such as the template of a label, is one word of the shell."""
    return f"`{command(template, **values)}`"


SICK_CARDS = ("GpuRecoveryActionRequired", "GpuXidFatal", "GpuXidUncorrectable", "GpuUncorrectableEcc", "GpuRowRemapFailure")
"""The alerts on one card that is not to be used until it is reset or replaced."""


def taken_out(alert: Alert) -> Alert:
    """The alert of a cluster whose GPUs are claimed: a DeviceTaintRule takes the card out of use, and the node's other cards
    go on (docs/dra.md, "Take a sick card out")."""
    if alert.name not in SICK_CARDS:
        return alert
    taint = (
        "With DRA a DeviceTaintRule with NoExecute takes this card alone out of use at once, and the other cards of the node go on: "
        f"{code('kubectl get resourceslices --output yaml')} has the device of UUID {{{{ $labels.UUID }}}}, and docs/dra.md the rule. "
        "Delete the rule when the card is well."
    )
    return replace(alert, runbook=f"{alert.runbook} {taint}")
