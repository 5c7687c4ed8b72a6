"""The alerts that are on, and their rules for a rule file or a PrometheusRule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import attrs

from ..arguments.errors import wrong, wrong_kind
from ..arguments.fields import call, copied, named, to_flag, to_texts
from ..arguments.keywords import named_arguments
from ..arguments.plain_values import given, instance, mapping, text, writable
from ..arguments.spelling import did_you_mean
from .alert import Alert, AlertThresholds, prometheus_duration, taken_out
from .cluster_alerts import daemon_set_alert, node_alerts, operator_alert
from .exporter_alerts import clock_alerts, error_alerts, hardware_alerts, memory_alerts, metrics_alerts, use_alerts
from .queries import LABEL_NAME, MetricsSource, to_source

# The agents of this library, of the operator, and of NVIDIA's charts, whose DaemonSets begin with the name of the
# release.
DAEMON_SETS = "(.+-)?(nvidia|dcgm-exporter|gpu-feature-discovery)(-.+)?"
_GROUP = "nvidia-gpu"


def _to_thresholds(value: AlertThresholds, argument: str = "") -> AlertThresholds:
    return instance(argument, value, AlertThresholds, "an AlertThresholds")


def _to_durations(value: Mapping[str, str] | None, argument: str = "") -> Mapping[str, str]:
    durations = mapping(argument, given(value), "a mapping of names of alerts to durations")
    return MappingProxyType({name: prometheus_duration(f"{argument}[{name}]", each) for name, each in durations.items()})


def _to_pattern(value: str, argument: str = "") -> str:
    rule = "a regular expression of names of DaemonSets"
    pattern = text(argument, value, rule)
    try:
        re.compile(pattern)
    except re.error as error:
        raise wrong(argument, rule, value, str(error)) from None
    if re.search(r"\(\?<?[=!]|\\[1-9]", pattern):
        raise wrong(
            argument, rule, value, "RE2 of Prometheus has neither lookaround nor backreferences; Prometheus would load none of the rules"
        )
    return pattern


def _to_alert_labels(value: Mapping[str, str] | None, argument: str = "") -> Mapping[str, str]:
    labels = mapping(argument, given(value), "a mapping of label names to strings")
    for name, item in labels.items():
        if not re.fullmatch(LABEL_NAME, name):
            raise wrong(argument, "made of names of Prometheus' labels (letters, digits and '_')", name)
        if name in ("severity", "alertname"):
            raise wrong(argument, f"without '{name}'", item, f"each alert sets its own '{name}'")
        if not isinstance(item, str):
            raise wrong_kind(f"{argument}[{name}]", "a string", item)
        writable(f"{argument}[{name}]", item)
    return MappingProxyType(labels)


def _to_page(value: str | None, argument: str = "") -> str | None:
    if value is None:
        return None
    rule = "the URL of a page (http or https, without '#')"
    # Annotations are templates, so braces would be read as one.
    if not re.fullmatch(r"https?://[^\s#{}]+", text(argument, value, rule)):
        raise wrong(argument, rule, value, "each alert appends its own anchor, such as '#gpuxidfatal'")
    return value


@named_arguments()
@attrs.frozen(kw_only=True, repr=False, field_transformer=named)
class AlertRules:
    """The alerting rules on GPUs as plain data, for a VMRule or for a Prometheus without operator. `GpuAlerts` makes a
    PrometheusRule of the same rules.

    Where the driver or the card knows a limit, the alert uses this limit and no fixed number. The runbooks are for
    Talos, which has no shell in which one could reset a GPU: drain the node and reboot it. An alert whose metric is not
    exported never fires. docs/alerts.md lists all alerts.

    Args:
        source: The exporter's job and version, and the labels of its series. Default: `MetricsSource()`, the series of
            `DcgmExporter`.
        enable: Names of alerts to switch on that are off by default. Default: none.
        disable: Names of alerts to leave out. Default: none.
        thresholds: The thresholds of the alerts. Default: `AlertThresholds()`.
        for_: How long a condition must last before its alert fires: a mapping from the alert's name to a Prometheus
            duration. Default: the durations in docs/alerts.md.
        operator: Whether the GPU operator runs in the cluster; adds GpuOperatorNotReconciled. Default: False.
        dra: Whether pods claim the GPUs by NVIDIA's DRA driver; the runbooks of alerts on a sick card then name the
            DeviceTaintRule that takes it alone out of use. Default: False.
        daemon_sets: A regular expression (RE2) of the names of the DaemonSets that GpuDaemonSetNotReady watches.
            Default: the names of NVIDIA's agents as this library, the operator and NVIDIA's charts install them.
        alert_labels: Further labels of each alert, by which Alertmanager can choose a route. Default: none.
        runbook_url: The URL where your readers find docs/alerts.md, in your own copy of it. Each alert gets the
            annotation `runbook_url` with its anchor on that page. Default: no such annotation; the annotation `runbook`
            always has the commands.

    Raises:
        TypeError, ValueError: `'enable' must be made of names of alerts …`, with a suggestion for a misspelt name;
            likewise for every other argument.

    Example:
        >>> rules = AlertRules(disable=["GpuPodPending"], alert_labels={"team": "ml"})
        >>> rules.groups[0]["rules"][0]["labels"]
        {'severity': 'warning', 'team': 'ml'}

    https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/
    """

    source: MetricsSource = attrs.field(default=MetricsSource(), converter=to_source)
    enable: tuple[str, ...] = attrs.field(default=(), converter=to_texts)
    disable: tuple[str, ...] = attrs.field(default=(), converter=to_texts)
    thresholds: AlertThresholds = attrs.field(default=AlertThresholds(), converter=_to_thresholds)
    for_: Mapping[str, str] = attrs.field(default=None, converter=_to_durations, hash=False)
    operator: bool = attrs.field(default=False, converter=to_flag)
    dra: bool = attrs.field(default=False, converter=to_flag)
    daemon_sets: str = attrs.field(default=DAEMON_SETS, converter=_to_pattern)
    alert_labels: Mapping[str, str] = attrs.field(default=None, converter=_to_alert_labels, hash=False)

    runbook_url: str | None = attrs.field(default=None, converter=_to_page)

    def __attrs_post_init__(self) -> None:
        names = [alert.name for alert in self.all_alerts]
        for argument, chosen in {"enable": self.enable, "disable": self.disable, "for_": self.for_}.items():
            for name in chosen:
                if name not in names:
                    raise wrong(argument, "made of names of alerts", name, did_you_mean(name, names) or "docs/alerts.md lists them")
        if both := sorted(set(self.enable) & set(self.disable)):
            raise wrong("disable", "made of other names than 'enable'", both[0])
        if not self.alerts:
            raise wrong("disable", "a list that leaves one alert at least", list(self.disable))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by the constructor call."""
        return copied(self, **self._mappings)

    def __repr__(self) -> str:
        """The constructor call, without the arguments that have their default."""
        return call(self, **self._mappings)

    @property
    def _mappings(self) -> dict[str, dict[str, str]]:
        return {"for_": dict(self.for_), "alert_labels": dict(self.alert_labels)}

    @property
    def all_alerts(self) -> list[Alert]:
        """Every alert, with those that are off."""
        alerts = [
            *metrics_alerts(self.source, self.daemon_sets),
            *error_alerts(self.source, self.thresholds),
            *hardware_alerts(self.source, self.thresholds),
            *memory_alerts(self.source),
            *clock_alerts(self.source, self.thresholds),
            *use_alerts(self.source, self.thresholds),
            *node_alerts(self.thresholds),
            daemon_set_alert(self.daemon_sets),
            operator_alert(opt_in=not self.operator),
        ]
        return [taken_out(alert) for alert in alerts] if self.dra else alerts

    @property
    def alerts(self) -> list[Alert]:
        """The alerts that are on."""
        on = [alert for alert in self.all_alerts if alert.name not in self.disable and (alert.name in self.enable or not alert.opt_in)]
        return [replace(alert, for_=self.for_.get(alert.name, alert.for_)) for alert in on]

    @property
    def groups(self) -> list[dict[str, Any]]:
        """The `groups` of a rule file, and of the spec of a PrometheusRule or a VMRule."""
        return [{"name": _GROUP, "rules": [alert.rule(dict(self.alert_labels), self.runbook_url) for alert in self.alerts]}]
