"""`DcgmExporter`."""

from __future__ import annotations

from constructs import Construct

from .._arguments.errors import wrong
from .._arguments.keywords import named_arguments
from ..manifests.exporter_objects import dcgm_exporter
from ..manifests.exporter_settings import DcgmExporterSettings
from ._emit import GpuConstruct, agent_namespace
from ._metrics_sources import compare_with_sources
from ._registry import EXPORTER, OPERATOR, announce, neighbours
from ._settings import takes


@named_arguments(nodes="an exporter runs on one class of GPU nodes")
class DcgmExporter(GpuConstruct, DcgmExporterSettings):
    """NVIDIA's DCGM exporter without the operator: metrics of the GPUs of a class of nodes, and of the pods that have them.

    On Talos it has to run under the RuntimeClass `nvidia`, or it finds no NVML library and ends; upstream's chart doesn't. It exports a list
    of counters of its own, not that of its image, so that a new image changes no metric, and with the health of the cards in it. Add
    `NvidiaRuntimeClass` to the app once.

    The list has the names and units up to dcgm-exporter 4.8. An image of 4.9 changes neither: its DCGM 4.7 has the old fields beside the new
    ones, and resolves the old names (NVIDIA/go-dcgm pkg/dcgm/const_fields.go at 892ef1f8, read on 2026-11-22; no exporter was tried). So
    dashboards and alerts ask for this exporter's metrics without `MetricsSource(exporter_version=…)`.

    Makes a ServiceAccount, a ConfigMap with the counters, the DaemonSet, a Service and a ServiceMonitor, whose target label `node` names the
    node. The job is `dcgm-exporter` for every class of nodes. Its namespace has to be privileged: the kubelet's socket, which tells what pod
    has which GPU, is a path of the node.

    Where `nodes` shares GPUs, each pod has series of its own, and what it uses of a GPU is told from its processes. That needs the node's
    process IDs (`hostPID`) and a ClusterRole with which it lists pods; elsewhere it has neither. Where pods claim their GPUs
    (`dra`), the ClusterRole is for the devices that they were given. With MIG it runs privileged, because DCGM does not start there
    otherwise; of partitions that pods claim `nodes` say nothing, so there `pod_spec` has to, as docs/dra.md shows.

    Args:
        scope: The construct that it belongs to, such as a Chart.
        id: Its name in the construct tree.
        nodes: The class of nodes.
        name: The objects' name. Default: `dcgm-exporter`, with the class's name after it.
        namespace: Their namespace, which has to be privileged. Default: the chart's, or `kube-system`, which Talos exempts from Pod Security.
        counters: What to export: `Counter`s, or names of metrics. Default: `default_counters(profiling=…)`.
        profiling: How much of the cards is used, by unit: needs SYS_ADMIN, and a card that can be profiled, which GeForce up to Ada can't. The
            only load that is told of a MIG partition. Default: False.
        interval: How often DCGM looks, and Prometheus scrapes. Default: `15s`.
        scrape_timeout: How long Prometheus waits, at most `interval`. Default: `10s`.
        service_monitor: Make a ServiceMonitor, for the operators of Prometheus and of VictoriaMetrics. Default: True.
        service_monitor_labels: Further labels of it: `{"release": "kube-prometheus-stack"}` where that chart selects by its release.
            Default: none.
        honor_labels: Whether Prometheus keeps the exporter's own `namespace`, `pod` and `container`; else they begin with `exported_`.
            Default: False.
        image: Of exporter 4.8 or newer; a version newer than the tables is taken with a warning. Default: 4.6.1-4.8.4-distroless, of DCGM 4.6.1.
        image_pull_policy: `Always`, `IfNotPresent` or `Never`. Default: `IfNotPresent`.
        image_pull_secrets: The names of Secrets for a private registry. Default: none.
        resources: Its `requests` and `limits`, as Kubernetes spells them. Default: 100m and 128Mi, at most 200m and 512Mi, as upstream's.
        priority_class_name: Default: `system-node-critical`.
        pod_annotations: Annotations of its pods. Default: none.
        pod_spec: Laid on its pod spec, in Kubernetes' spelling. Mappings merge, lists of named things merge by name, None removes. The nodes'
            tolerations, selector and RuntimeClass can't be lost to it. Default: none.

    Raises:
        TypeError, ValueError: For every argument; `'counters' must be a metric that this library knows …`; `'scrape_timeout' must be at most
            the 'interval' …`; `'image' must be of dcgm-exporter 4.8.0 or newer …`; `'nodes' must be …` where another exporter, or an operator with one,
            of the same app may choose the same nodes.

    Warns:
        TalosGpuWarning: When the image's tag does not tell its version, or tells one that is newer than this library's tables; when a
            dashboard or alerts of the same app ask it for the names of dcgm-exporter 4.9.

    Example:
        >>> app = App()
        >>> nodes = GpuNodes(talos_version="1.12", sharing=TimeSlicing(replicas=5))
        >>> exporter = DcgmExporter(Chart(app, "gpu"), "dcgm-exporter", nodes=nodes, counters=[*default_counters(), "DCGM_FI_DEV_RETIRED_DBE"])
        >>> exporter.name, str(exporter.counters[-1].kind)
        ('dcgm-exporter', 'counter')

    https://github.com/NVIDIA/dcgm-exporter/tree/4.5.3-4.8.2/deployment
    """

    namespace: str

    @takes(DcgmExporterSettings, namespace=agent_namespace)
    def __init__(self, scope: Construct, id: str, settings: DcgmExporterSettings) -> None:  # noqa: A002
        manifests = dcgm_exporter(settings)
        _check_neighbours(scope, settings)
        compare_with_sources(scope, settings)
        super().__init__(scope, id, settings, manifests)
        announce(scope, EXPORTER, settings)


def _check_neighbours(scope: Construct, settings: DcgmExporterSettings) -> None:
    for other in neighbours(scope, EXPORTER):
        if settings.nodes.may_overlap(other.nodes):
            then = "two exporters on one node count every GPU twice; give each class of nodes a 'name', or 'labels' that differ"
            raise wrong("nodes", f"a class that shares no node with that of '{other.name}'", settings.nodes, then)
        if (settings.name, settings.namespace) == (other.name, other.namespace):
            then = "the objects of two exporters can't have one name; give each class of nodes a 'name', or each exporter"
            raise wrong("name", "one that no other DcgmExporter of this app has", settings.name, then)
    for operator in neighbours(scope, OPERATOR):
        if operator.runs_dcgm_exporter and any(settings.nodes.may_overlap(theirs) for theirs in operator.nodes):
            then = (
                "the operator runs an exporter of its own there; give it values={'dcgmExporter': {'enabled': False}}, or leave this one out "
                "and ask for the operator's metrics with MetricsSource(job='nvidia-dcgm-exporter')"
            )
            raise wrong("nodes", "a class that no NvidiaGpuOperator with its own exporter has", settings.nodes, then)
