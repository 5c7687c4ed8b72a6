"""`DcgmExporter`."""

from __future__ import annotations

from constructs import Construct

from ..clusters.agent_parts import DCGM_EXPORTER
from ..manifests.exporter.settings import DcgmExporterSettings
from ._emit import GpuConstruct
from ._settings import takes


class DcgmExporter(GpuConstruct, DcgmExporterSettings):
    """NVIDIA's DCGM exporter without the operator: GPU metrics for a node class, by GPU and by pod.

    On Talos the exporter needs the RuntimeClass `nvidia`; without it the exporter finds no NVML library and exits.
    Upstream's chart sets no RuntimeClass. Add one `NvidiaRuntimeClass` to the app.

    The exporter reads a counter file of this library, not the one in its image. A new image therefore changes no
    metric. The file also has the health counters of the cards.

    The counter file has the names and units up to dcgm-exporter 4.8. An image of 4.9 changes neither: its DCGM 4.7 has
    the old fields beside the new ones, and resolves the old names (NVIDIA/go-dcgm pkg/dcgm/const_fields.go at 892ef1f8,
    read on 2026-11-22; no exporter was tried). So dashboards and alerts ask for this exporter's metrics without
    `MetricsSource(exporter_version=…)`.

    Makes a ServiceAccount, a ConfigMap with the counter file, a DaemonSet, a Service and a ServiceMonitor. The
    ServiceMonitor sets the target label `node` to the node's name. The job is `dcgm-exporter` for every node class.
    The namespace must be privileged, because the pods mount the kubelet's pod-resources socket from the node: the
    socket tells which pod has which GPU.

    Where `nodes` shares GPUs, each pod gets its own series, and the exporter splits a GPU's use by process. The split
    needs the node's process IDs (`hostPID`) and a ClusterRole that lists pods; other exporters get neither. Where pods
    claim their GPUs (`dra`), the ClusterRole lists ResourceSlices too. On MIG nodes the container is privileged,
    because DCGM does not start there without privileges. `nodes` with `dra` don't say whether pods claim MIG
    partitions: set the privileges by `pod_spec`, as docs/dra.md shows.

    Args:
        nodes: The node class.
        name: The name of the objects. Default: `dcgm-exporter`, followed by the name of the class.
        namespace: The namespace, which must be privileged. Default: the chart's, or `kube-system`, which Talos exempts
            from Pod Security.
        counters: The metrics to export: `Counter`s, or names of metrics. Default: `default_counters(profiling=…)`.
        profiling: Export the profiling metrics, which measure the use of each unit of the GPU. Profiling needs
            SYS_ADMIN and a card that supports profiling; GeForce cards up to Ada don't. For a MIG partition profiling
            is the only measure of load. Default: False.
        interval: The time between two samples of DCGM, and between two scrapes of Prometheus. Default: `15s`.
        scrape_timeout: The time limit of a scrape, at most `interval`. Default: `10s`.
        service_monitor: Make a ServiceMonitor, for the Prometheus operator or the VictoriaMetrics operator. Default:
            True.
        service_monitor_labels: Further labels of the ServiceMonitor, such as `{"release": "kube-prometheus-stack"}`
            where that chart selects by its release. Default: none.
        honor_labels: Whether Prometheus keeps the exporter's own labels `namespace`, `pod` and `container`. Otherwise
            Prometheus renames these labels with the prefix `exported_`. Default: False.
        image: An image of dcgm-exporter 4.8 or newer. A version newer than this library's tables is accepted with a
            warning. Default: 4.6.1-4.8.4-distroless, with DCGM 4.6.1.
        image_pull_policy: `Always`, `IfNotPresent` or `Never`. Default: `IfNotPresent`.
        image_pull_secrets: The names of Secrets for a private registry. Default: none.
        resources: The container's `requests` and `limits`, in Kubernetes' spelling. Default: requests of 100m and
            128Mi, limits of 200m and 512Mi, as upstream.
        priority_class_name: The PriorityClass of the pods. Default: `system-node-critical`.
        pod_annotations: Annotations of the pods. Default: none.
        pod_spec: Fields merged over the generated pod spec, in Kubernetes' spelling. Mappings merge, lists of items
            with different names merge by name, None removes a field. The tolerations, the node selector and the
            RuntimeClass of the nodes always stay. Default: none.

    Raises:
        TypeError, ValueError: For every invalid argument: `'counters' must be a metric that this library knows …`;
            `'scrape_timeout' must be at most the 'interval' …`; `'image' must be of dcgm-exporter 4.8.0 or newer …`;
            `'nodes' must be …` where another exporter of the same app, or an operator with an exporter, may run on the
            same nodes.

    Warns:
        TalosGpuWarning: When the image's tag names no version, or a version newer than this library's tables; when a
            dashboard or alerts of the same app ask this exporter for the metric names of dcgm-exporter 4.9.

    Example:
        >>> app = App()
        >>> nodes = GpuNodes(talos_version="1.12", sharing=TimeSlicing(replicas=5))
        >>> exporter = DcgmExporter(Chart(app, "gpu"), "dcgm-exporter", nodes=nodes, counters=[*default_counters(), "DCGM_FI_DEV_RETIRED_DBE"])
        >>> exporter.name, str(exporter.counters[-1].kind)
        ('dcgm-exporter', 'counter')

    https://github.com/NVIDIA/dcgm-exporter/tree/4.5.3-4.8.2/deployment
    """

    namespace: str

    @takes(DCGM_EXPORTER)
    def __init__(self, scope: Construct, id: str, settings: DcgmExporterSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, DCGM_EXPORTER)
