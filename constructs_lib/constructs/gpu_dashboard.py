"""`GpuDashboard`."""

from __future__ import annotations

from constructs import Construct

from .._arguments.errors import wrong
from .._arguments.keywords import named_arguments
from .._arguments.names import dns_subdomain
from ..manifests.dashboard_object import GpuDashboardSettings, dashboard_object
from ._emit import GpuConstruct
from ._metrics_sources import compare_with_exporters
from ._registry import DASHBOARD, announce, neighbours
from ._settings import takes


@named_arguments()
class GpuDashboard(GpuConstruct, GpuDashboardSettings):
    """A dashboard of the GPUs in Grafana: who uses what, how busy, full, hot and fast each one is, what went wrong, and what is free.

    It counts each card once, also where pods share it or it is partitioned. Most panels ask for metrics of the DCGM exporter; what the
    exporter does not give stays empty. Allocation asks kube-state-metrics.

    Makes a ConfigMap that the sidecar beside Grafana finds, or a GrafanaDashboard for the Grafana operator. Grafana's own chart looks only
    in its own namespace, kube-prometheus-stack in all of them.

    Args:
        scope: The construct that it belongs to, such as a Chart.
        id: Its name in the construct tree.
        source: How Prometheus has the exporter's metrics: the exporter's job and version, and its labels. Default: as `MetricsSource` says.
        kind: `config-map` or `grafana-dashboard`. Default: `config-map`.
        name: The object's name. Default: the id.
        namespace: Its namespace. Default: the chart's.
        folder: The title of the folder that Grafana shows it in. Default: none, which the operator takes for the namespace's name.
        folder_annotation: The annotation from which the sidecar reads the folder, as `sidecar.dashboards.folderAnnotation` of its chart
            says; that chart needs `provider.foldersFromFilesStructure: true` as well. Only for a ConfigMap. Default: `grafana_folder`.
        instance_selector: The labels of the Grafana that shall have it. Only for the operator, and never to change in a cluster. Default:
            `dashboards: grafana`.
        allow_cross_namespace_import: Whether a Grafana in another namespace may have it. Only for the operator. Default: False.
        labels: Further labels. Default: none; a ConfigMap has `grafana_dashboard: "1"` in any case.
        title: What people see. At most 189 characters. Default: `NVIDIA GPUs`.
        uid: What Grafana knows it by, and with `.json` the ConfigMap's key: at most 40 letters, digits, '-' and '_'. Default: `nvidia-gpus`.
        profiling: Whether it has what only profiling gives: a row, and a column of the pods. Default: False.

    Raises:
        TypeError, ValueError: `'folder' must be the title of one folder …`, `'uid' must be one that no other GpuDashboard of this app has …`.

    Warns:
        TalosGpuWarning: When `source` asks a `DcgmExporter` of the same app for names that it does not export.

    Example:
        >>> app = App()
        >>> made = GpuDashboard(Chart(app, "monitoring"), "gpu-dashboard", source=MetricsSource(job="nvidia-dcgm-exporter"))
        >>> made.dashboard["title"]
        'NVIDIA GPUs'

    https://github.com/grafana-community/helm-charts/tree/main/charts/grafana#sidecar-for-dashboards
    """

    @takes(GpuDashboardSettings, name=lambda _, place: dns_subdomain("id", place))
    def __init__(self, scope: Construct, id: str, settings: GpuDashboardSettings) -> None:  # noqa: A002
        manifests = dashboard_object(settings)
        for other in neighbours(scope, DASHBOARD):
            if settings.uid == other.uid:
                hint = f"'{other.name}' has it, and Grafana would show one of the two"
                raise wrong("uid", "one that no other GpuDashboard of this app has", settings.uid, hint)
        compare_with_exporters(scope, settings.source)
        super().__init__(scope, id, settings, manifests)
        announce(scope, DASHBOARD, settings)
