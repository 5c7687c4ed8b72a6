"""`GpuDashboard`."""

from __future__ import annotations

from constructs import Construct

from ..clusters.dashboard_part import GPU_DASHBOARD
from ..manifests.exporter.dashboard_object import GpuDashboardSettings
from ._emit import GpuConstruct
from ._settings import takes


class GpuDashboard(GpuConstruct, GpuDashboardSettings):
    """A Grafana dashboard of the cluster's GPUs: use by pod, load, memory, temperature, clocks, errors, and free GPUs.

    The dashboard counts each card once, also where pods share the card or MIG partitions it. Most panels read metrics
    of the DCGM exporter; a panel whose metric is not exported stays empty. The allocation panels read
    kube-state-metrics.

    Makes a ConfigMap for Grafana's sidecar, or a GrafanaDashboard for the Grafana operator. The sidecar of Grafana's
    own chart reads only its own namespace; the sidecar of kube-prometheus-stack reads every namespace.

    Args:
        scope: The parent construct: a Chart, or a construct in a Chart.
        id: The construct's ID in the construct tree.
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
