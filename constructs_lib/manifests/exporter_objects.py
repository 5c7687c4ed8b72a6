"""All objects of a DCGM exporter: its pods, what they may ask, and how Prometheus finds them."""

from __future__ import annotations

from ..monitoring.counters import counters_csv
from ..monitoring.scraping import relabelings
from .exporter_pod import COUNTERS_FILE, PORT, counters_name, daemon_set, marks
from .exporter_settings import DcgmExporterSettings
from .objects import MAIN, Manifest, Manifests, manifest


def dcgm_exporter(settings: DcgmExporterSettings) -> Manifests:
    """The objects, in the order in which they are best applied."""
    name, namespace, labelled = settings.name, settings.namespace, marks(settings)
    objects: Manifests = {"ServiceAccount": manifest("v1", "ServiceAccount", name, namespace=namespace, labels=labelled)}
    if settings.reads_pods:
        objects |= _access(settings)
    objects["ConfigMap"] = manifest(
        "v1", "ConfigMap", counters_name(settings), namespace=namespace, labels=labelled,
        data={COUNTERS_FILE: counters_csv(settings.counters)},
    )  # fmt: skip
    objects[MAIN] = daemon_set(settings)
    objects["Service"] = manifest(
        "v1", "Service", name, namespace=namespace, labels=labelled,
        spec={"selector": labelled, "ports": [{**PORT, "targetPort": PORT["port"]}]},
    )  # fmt: skip
    if settings.service_monitor:
        objects["ServiceMonitor"] = _service_monitor(settings)
    return objects


def _access(settings: DcgmExporterSettings) -> Manifests:
    """What it may do in the API: list the pods, whose UIDs it needs, and with DRA what devices there are.

    It asks for those of its own node alone, which a role can't say. Upstream grants `get` as well, and its Role for reading the counters is
    for an exporter that gets them from the API.
    """
    name = f"{settings.name}-read-pods"
    watched = {"": "pods", **({"resource.k8s.io": "resourceslices"} if settings.reads_claims else {})}
    rules = [{"apiGroups": [group], "resources": [resource], "verbs": ["list", "watch"]} for group, resource in watched.items()]
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}
    subject = {"kind": "ServiceAccount", "name": settings.name, "namespace": settings.namespace}
    labelled, version = marks(settings), "rbac.authorization.k8s.io/v1"
    return {
        "ClusterRole": manifest(version, "ClusterRole", name, labels=labelled, rules=rules),
        "ClusterRoleBinding": manifest(version, "ClusterRoleBinding", name, labels=labelled, roleRef=role, subjects=[subject]),
    }


def _service_monitor(settings: DcgmExporterSettings) -> Manifest:
    labelled = marks(settings)
    endpoint = {
        "port": PORT["name"],
        "path": "/metrics",
        "interval": settings.interval,
        "scrapeTimeout": settings.scrape_timeout,
        "honorLabels": settings.honor_labels,
        "relabelings": relabelings(honor_labels=settings.honor_labels),
    }
    return manifest(
        "monitoring.coreos.com/v1", "ServiceMonitor", settings.name, namespace=settings.namespace,
        labels={**labelled, **settings.service_monitor_labels},
        # One job whatever the class of nodes, where Prometheus would take the Service's name.
        spec={"jobLabel": "app.kubernetes.io/name", "selector": {"matchLabels": labelled}, "endpoints": [endpoint]},
    )  # fmt: skip
