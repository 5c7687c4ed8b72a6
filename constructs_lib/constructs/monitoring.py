"""`GpuAlerts` and `GpuDashboard`."""

from __future__ import annotations

from constructs import Construct

from ..clusters.agent_parts import GPU_ALERTS, GPU_DASHBOARD
from ..manifests.exporter.dashboard_object import GpuAlertsSettings, GpuDashboardSettings
from ._emit import GpuConstruct
from ._settings import takes


class GpuAlerts(GpuConstruct, GpuAlertsSettings):
    """Prometheus alerts on lost, failing, hot and idle GPUs, and on missing GPU agents; each alert has a runbook for
    Talos.

    Talos has no shell in which one could reset a GPU. Where NVIDIA's advice is a reset, the runbook drains the node and
    reboots it with `talosctl reboot`. Critical alerts need somebody now; a memory error that the GPU contained is a
    warning. Several pods on one GPU give one alert. Two clusters whose series have the label `cluster` give alerts of
    their own. An alert that is normal in some clusters, such as an XID that an application causes, is off until
    `enable` names the alert. docs/alerts.md lists all alerts and the counters that an exporter needs for them. An alert
    without its counter never fires.

    Makes a PrometheusRule. Its CRD comes with the Prometheus operator; the VictoriaMetrics operator reads a
    PrometheusRule too. Without either operator, `AlertRules` gives the same rules as data.

    Args:
        source: The exporter's job and version, and the labels of its series. For the operator's own exporter:
            `MetricsSource(job="nvidia-dcgm-exporter")`. Default: `MetricsSource()`, the series of `DcgmExporter`.
        name: The object's name. Default: `gpu-alerts`.
        namespace: The object's namespace. Default: the chart's.
        labels: The object's labels, by which Prometheus selects its rules. kube-prometheus-stack wants the label
            `release` with the name of its Helm release. Default: none.

    Raises:
        TypeError, ValueError: `'enable' must be made of names of alerts …`, with a suggestion for a misspelt name;
            likewise for every other argument.

    Warns:
        TalosGpuWarning: When `source` asks a `DcgmExporter` of the same app for names that the exporter does not
            export.

    Example:
        >>> app = App()
        >>> alerts = GpuAlerts(Chart(app, "gpu"), "alerts", enable=["GpuAllocatedIdle"], labels={"release": "kube-prometheus-stack"})
        >>> alerts.name, alerts.enable
        ('gpu-alerts', ('GpuAllocatedIdle',))

    https://prometheus-operator.dev/docs/api-reference/api/#monitoring.coreos.com/v1.PrometheusRule
    """

    @takes(GPU_ALERTS)
    def __init__(self, scope: Construct, id: str, settings: GpuAlertsSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, GPU_ALERTS)


class GpuDashboard(GpuConstruct, GpuDashboardSettings):
    """A Grafana dashboard of the cluster's GPUs: use by pod, load, memory, temperature, clocks, errors, and free GPUs.

    The dashboard counts each card once, also where pods share the card or MIG partitions it. Most panels read metrics
    of the DCGM exporter; a panel without its metric stays empty. The allocation panels read
    kube-state-metrics.

    Makes a ConfigMap for Grafana's sidecar, or a GrafanaDashboard for the Grafana operator. The sidecar of Grafana's
    own chart reads only its own namespace; the sidecar of kube-prometheus-stack reads every namespace.

    Args:
        source: The exporter's job and version, and the labels of its series. Default: `MetricsSource()`.
        kind: `config-map` or `grafana-dashboard`. Default: `config-map`.
        name: The object's name. Default: the id.
        namespace: The object's namespace. Default: the chart's.
        folder: The title of the folder in which Grafana shows the dashboard. Default: none; the Grafana operator then
            names the folder after the namespace.
        folder_annotation: The annotation from which the sidecar reads the folder: the value of
            `sidecar.dashboards.folderAnnotation` of the sidecar's chart. The chart also needs
            `provider.foldersFromFilesStructure: true`. Only for a ConfigMap. Default: `grafana_folder`.
        instance_selector: The labels of the Grafana that gets the dashboard. Only for the Grafana operator; the field
            is immutable in the cluster. Default: `dashboards: grafana`.
        allow_cross_namespace_import: Whether a Grafana in another namespace may import the dashboard. Only for the
            Grafana operator. Default: False.
        labels: Further labels. Default: none; a ConfigMap always has `grafana_dashboard: "1"`.
        title: The dashboard's title, at most 189 characters. Default: `NVIDIA GPUs`.
        uid: The dashboard's UID in Grafana, and with `.json` the key of the ConfigMap: at most 40 letters, digits, '-'
            and '_'. Default: `nvidia-gpus`.
        profiling: Whether the dashboard shows profiling metrics: a row, and a column in the table of pods. Default:
            False.

    Raises:
        TypeError, ValueError: `'folder' must be the title of one folder …`,
            `'uid' must be one that no other GpuDashboard of this app has …`.

    Warns:
        TalosGpuWarning: When `source` asks a `DcgmExporter` of the same app for names that the exporter does not
            export.

    Example:
        >>> app = App()
        >>> dashboard = GpuDashboard(Chart(app, "monitoring"), "gpu-dashboard", source=MetricsSource(job="nvidia-dcgm-exporter"))
        >>> dashboard.dashboard["title"]
        'NVIDIA GPUs'

    https://github.com/grafana-community/helm-charts/tree/main/charts/grafana#sidecar-for-dashboards
    """

    @takes(GPU_DASHBOARD)
    def __init__(self, scope: Construct, id: str, settings: GpuDashboardSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, GPU_DASHBOARD)
