"""`GpuAlerts`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from constructs import Construct

from .._arguments.keywords import named_arguments
from .._arguments.plain_values import given
from ..manifests.alerts_object import GpuAlertsSettings, gpu_alerts
from ..monitoring.alert_rules import DAEMON_SETS
from ..monitoring.alert_thresholds import AlertThresholds
from ..monitoring.queries import MetricsSource
from ._emit import GpuConstruct, check_place
from ._metrics_sources import compare_with_exporters
from ._registry import ALERTS, announce


@named_arguments()
class GpuAlerts(GpuConstruct):
    """Alerts on GPUs for Prometheus: lost, failing, hot and idle cards, and agents that do not run, each with what to do about it on Talos.

    Talos has no shell in which one could reset a GPU, so what NVIDIA answers with a reset is a drained node and `talosctl reboot` here. Several
    pods on one GPU give one alert. What is usual somewhere, such as an XID that an application causes, is off until it is named in `enable`.
    docs/alerts.md lists all alerts, and the counters that an exporter needs for them: without those an alert stays silent.

    Makes a PrometheusRule, whose CRD comes with the Prometheus operator; VictoriaMetrics' operator reads it too. Without either,
    `AlertRules` gives the same rules as data.

    Args:
        scope: The construct that it belongs to, such as a Chart.
        id: Its name in the construct tree.
        source: The exporter's job and version, and the labels of its series; `MetricsSource(job="nvidia-dcgm-exporter")` for the
            operator's own. Default: `MetricsSource()`, what `DcgmExporter` gives.
        enable: Names of alerts that are off. Default: none.
        disable: Names of alerts to leave out. Default: none.
        thresholds: From where on alerts fire. Default: `AlertThresholds()`.
        for_: How long it has to last before an alert fires, by the alert's name, in Prometheus' words. Default: as in docs/alerts.md.
        operator: Whether the GPU operator runs: adds GpuOperatorNotReconciled. Default: False.
        daemon_sets: A regular expression (RE2) of the names of DaemonSets that GpuDaemonSetNotReady watches. Default: those of NVIDIA's
            parts, by this library, the operator or a chart.
        alert_labels: Further labels of each alert, by which Alertmanager can choose a route. Default: none.
        name: The object's name. Default: `gpu-alerts`.
        namespace: Its namespace. Default: the chart's.
        labels: Its labels, by which Prometheus chooses its rules: kube-prometheus-stack wants `release`, with the name of its Helm release.
            Default: none.

    Raises:
        TypeError, ValueError: `'enable' must be made of names of alerts …`, with the name that was probably meant; likewise for each.

    Warns:
        TalosGpuWarning: When `source` asks a `DcgmExporter` of the same app for names that it does not export.

    Example:
        >>> app = App()
        >>> alerts = GpuAlerts(Chart(app, "gpu"), "alerts", enable=["GpuAllocatedIdle"], labels={"release": "kube-prometheus-stack"})
        >>> alerts.name, alerts.enable
        ('gpu-alerts', ('GpuAllocatedIdle',))

    https://prometheus-operator.dev/docs/api-reference/api/#monitoring.coreos.com/v1.PrometheusRule
    """

    source: MetricsSource
    enable: tuple[str, ...]
    disable: tuple[str, ...]
    thresholds: AlertThresholds
    for_: Mapping[str, str]
    operator: bool
    daemon_sets: str
    alert_labels: Mapping[str, str]
    name: str
    namespace: str | None
    labels: Mapping[str, str]

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        source: MetricsSource = MetricsSource(),  # noqa: B008  # a frozen value
        enable: Iterable[str] = (),
        disable: Iterable[str] = (),
        thresholds: AlertThresholds = AlertThresholds(),  # noqa: B008  # likewise
        for_: Mapping[str, str] | None = None,
        operator: bool = False,
        daemon_sets: str = DAEMON_SETS,
        alert_labels: Mapping[str, str] | None = None,
        name: str = "gpu-alerts",
        namespace: str | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> None:
        check_place(scope, id)
        settings = GpuAlertsSettings(
            source=source,
            enable=enable,
            disable=disable,
            thresholds=thresholds,
            for_=given(for_),
            operator=operator,
            daemon_sets=daemon_sets,
            alert_labels=given(alert_labels),
            name=name,
            namespace=namespace,
            labels=given(labels),
        )
        compare_with_exporters(scope, source)
        super().__init__(scope, id, settings, gpu_alerts(settings))
        announce(scope, ALERTS, settings)
