"""All objects of `DcgmExporter`: its pods, their permissions, and how Prometheus finds the pods."""

from __future__ import annotations

from ...monitoring.counters import counters_csv
from ...monitoring.scraping import relabelings
from ..objects import MAIN, Manifest, Manifests, manifest
from .pod import COUNTERS_FILE, PORT, counters_name, daemon_set, marks
from .service_monitor import service_monitor
from .settings import DcgmExporterSettings


def dcgm_exporter(settings: DcgmExporterSettings) -> Manifests:
    """The objects, in the order of application."""
    name, namespace, object_labels = settings.name, settings.namespace, marks(settings)
    objects: Manifests = {"ServiceAccount": manifest("v1", "ServiceAccount", name, namespace=namespace, labels=object_labels)}
    if settings.reads_pods:
        objects |= _access(settings)
    objects["ConfigMap"] = manifest(
        "v1", "ConfigMap", counters_name(settings), namespace=namespace, labels=object_labels,
        data={COUNTERS_FILE: counters_csv(settings.counters)},
    )  # fmt: skip
    objects[MAIN] = daemon_set(settings)
    objects["Service"] = manifest(
        "v1", "Service", name, namespace=namespace, labels=object_labels,
        spec={"selector": object_labels, "ports": [{**PORT, "targetPort": PORT["port"]}]},
    )  # fmt: skip
    if settings.service_monitor:
        objects["ServiceMonitor"] = _service_monitor(settings)
    return objects


def _access(settings: DcgmExporterSettings) -> Manifests:
    """The exporter's permissions: list pods, whose UIDs the exporter needs, and with DRA list ResourceSlices.

    The exporter asks only for the pods of its own node, but a ClusterRole can't express that. Upstream also grants
    `get`; its Role for the counters is for an exporter that reads its counters from the API.
    """
    name = f"{settings.name}-read-pods"
    watched = {"": "pods", **({"resource.k8s.io": "resourceslices"} if settings.reads_claims else {})}
    rules = [{"apiGroups": [group], "resources": [resource], "verbs": ["list", "watch"]} for group, resource in watched.items()]
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}
    subject = {"kind": "ServiceAccount", "name": settings.name, "namespace": settings.namespace}
    object_labels, version = marks(settings), "rbac.authorization.k8s.io/v1"
    return {
        "ClusterRole": manifest(version, "ClusterRole", name, labels=object_labels, rules=rules),
        "ClusterRoleBinding": manifest(version, "ClusterRoleBinding", name, labels=object_labels, roleRef=role, subjects=[subject]),
    }


def _service_monitor(settings: DcgmExporterSettings) -> Manifest:
    object_labels = marks(settings)
    endpoint = {
        "port": PORT["name"],
        "path": "/metrics",
        "interval": settings.interval,
        "scrapeTimeout": settings.scrape_timeout,
        "honorLabels": settings.honor_labels,
        "relabelings": relabelings(honor_labels=settings.honor_labels),
    }
    return service_monitor(settings.name, settings.namespace, {**object_labels, **settings.service_monitor_labels}, object_labels, endpoint)
