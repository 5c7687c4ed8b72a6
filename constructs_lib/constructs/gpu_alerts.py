"""`GpuAlerts`."""

from __future__ import annotations

from constructs import Construct

from .._arguments.keywords import named_arguments
from ..manifests.alerts_object import GpuAlertsSettings, gpu_alerts
from ._emit import GpuConstruct
from ._metrics_sources import compare_with_exporters
from ._registry import ALERTS, announce
from ._settings import takes


@named_arguments()
class GpuAlerts(GpuConstruct, GpuAlertsSettings):
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

    @takes(GpuAlertsSettings)
    def __init__(self, scope: Construct, id: str, settings: GpuAlertsSettings) -> None:  # noqa: A002
        compare_with_exporters(scope, settings.source)
        super().__init__(scope, id, settings, gpu_alerts(settings))
        announce(scope, ALERTS, settings)
