"""The objects of `DcgmExporter`: its pods, their permissions, and how Prometheus finds the pods."""

from __future__ import annotations

from typing import Any

from ...arguments.errors import wrong
from ...monitoring.counters import counters_csv
from ...monitoring.scraping import relabelings, sampling
from ...upstream.nvidia.gpu_resources import GPU_RESOURCE
from ..objects import MAIN, Manifest, Manifests, env, from_field, labels, manifest, service_monitor
from ..plugin.config import checksum
from ..pod_placement import selected
from ..pod_shape import check_containers, check_pod, overridden_pod
from .settings import APPLICATION, DcgmExporterSettings

PORT = {"name": "metrics", "port": 9400}
COUNTERS_FILE = "counters.csv"
_CONTAINER = "exporter"
_FOLDER = "/etc/dcgm-exporter"
_POD_RESOURCES = "/var/lib/kubelet/pod-resources"


def marks(settings: DcgmExporterSettings) -> dict[str, str]:
    """The labels of the exporter's objects, and the selector of its pods."""
    return labels(APPLICATION, instance=settings.name, component=APPLICATION)


def counters_name(settings: DcgmExporterSettings) -> str:
    """The name of the ConfigMap with the counter file."""
    return f"{settings.name}-counters"


def daemon_set(settings: DcgmExporterSettings) -> Manifest:
    """The DaemonSet, on the nodes of the class."""
    # `pod_spec` is merged before the nodes' tolerations and selector, so that it can't remove them.
    spec = overridden_pod(_pod(settings), settings.pod_spec)
    check_containers("pod_spec", spec)
    _check_overrides(settings, spec)
    # A subPath mount is never updated in a running pod. The annotation rolls the DaemonSet out when the counter file
    # changes.
    annotations = {"checksum/counters": checksum(counters_csv(settings.counters)), **settings.pod_annotations}
    template = {"metadata": {"labels": marks(settings), "annotations": annotations}, "spec": spec}
    template = selected(template, settings.nodes)
    check_pod("pod_spec", settings.pod_spec, template["spec"])
    return manifest(
        "apps/v1", "DaemonSet", settings.name, namespace=settings.namespace, labels=marks(settings),
        spec={
            "selector": {"matchLabels": marks(settings)},
            "updateStrategy": {"type": "RollingUpdate"},
            "template": template,
        },
    )  # fmt: skip


def _pod(settings: DcgmExporterSettings) -> dict[str, Any]:
    pod: dict[str, Any] = {
        "priorityClassName": settings.priority_class_name,
        # Without it the exporter exits with "Cannot init NVML library" (NVIDIA/dcgm-exporter#612): only NVIDIA's
        # runtime brings the library.
        "runtimeClassName": settings.nodes.runtime_class,
        "serviceAccountName": settings.name,
        "automountServiceAccountToken": settings.reads_pods,
        # Upstream sets no seccomp profile. Talos' kubelet gives this one to such pods in a generated configuration.
        # SYS_ADMIN for profiling adds its calls to the profile (containerd, contrib/seccomp/seccomp_default.go), and a
        # privileged container runs without a profile.
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
    }
    if settings.names_every_pod:
        # To split a GPU's use, the exporter looks up the cgroup of each process by the process' PID on the node.
        pod["hostPID"] = True
    if settings.image_pull_secrets:
        pod["imagePullSecrets"] = [{"name": name} for name in settings.image_pull_secrets]
    pod["containers"] = [_container(settings)]
    pod["volumes"] = [
        {"name": "pod-resources", "hostPath": {"path": _POD_RESOURCES, "type": "Directory"}},
        {"name": "counters", "configMap": {"name": counters_name(settings)}},
    ]
    return pod


def _container(settings: DcgmExporterSettings) -> dict[str, Any]:
    health = {"httpGet": {"path": "/health", "port": PORT["port"]}, "initialDelaySeconds": 45}
    container: dict[str, Any] = {
        "name": _CONTAINER,
        "image": settings.image,
        "imagePullPolicy": str(settings.image_pull_policy),
        "env": _environment(settings),
        "ports": [{"name": PORT["name"], "containerPort": PORT["port"]}],
        "livenessProbe": {**health, "periodSeconds": 5},
        "readinessProbe": health,
        "securityContext": _security_context(settings),
        "volumeMounts": [
            {"name": "pod-resources", "mountPath": _POD_RESOURCES, "readOnly": True},
            {"name": "counters", "mountPath": f"{_FOLDER}/{COUNTERS_FILE}", "subPath": COUNTERS_FILE, "readOnly": True},
        ],
    }
    if settings.resources:
        container["resources"] = settings.resources
    return container


def _environment(settings: DcgmExporterSettings) -> list[dict[str, Any]]:
    # This library's counter file, not the image's, whose names and units change with the image.
    variables = {
        "DCGM_EXPORTER_COLLECTORS": f"{_FOLDER}/{COUNTERS_FILE}",
        "DCGM_EXPORTER_LISTEN": f":{PORT['port']}",
        "DCGM_EXPORTER_KUBERNETES": "true",
        **sampling(settings.interval),
    }
    if settings.names_every_pod:
        # The first variable gives each pod its own series; otherwise the last pod in the kubelet's list gets all of
        # them. Without UIDs every pod shows a use of 0 (internal/pkg/transformation/kubernetes.go,
        # createPerProcessMetrics).
        variables |= {"KUBERNETES_VIRTUAL_GPUS": "true", "DCGM_EXPORTER_KUBERNETES_ENABLE_POD_UID": "true"}
    if settings.nodes.resource_name != GPU_RESOURCE:
        # By default the exporter knows nvidia.com/gpu and nvidia.com/mig-*.
        variables["NVIDIA_RESOURCE_NAMES"] = settings.nodes.resource_name
    if settings.reads_claims:
        variables["KUBERNETES_ENABLE_DRA"] = "true"
    if settings.sees_partitions:
        variables["NVIDIA_MIG_MONITOR_DEVICES"] = "all"
    # Upstream's image sets these too; another image might not.
    variables |= {"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}
    return [*env(variables), from_field("NODE_NAME", "spec.nodeName")]


def _security_context(settings: DcgmExporterSettings) -> dict[str, Any]:
    # MIG: DCGM does not start without the capability to monitor partitions. From toolkit 1.18 on (Talos 1.12) only a
    # privileged container gets this capability (NVIDIA/dcgm-exporter#34, NVIDIA/nvidia-container-toolkit#1740).
    if settings.sees_partitions:
        return {"privileged": True}
    # Root owns the kubelet's socket, so the container runs as root. Only profiling needs upstream's SYS_ADMIN
    # (internal/pkg/capabilities).
    capabilities = {**({"add": ["SYS_ADMIN"]} if settings.profiling else {}), "drop": ["ALL"]}
    return {"runAsUser": 0, "allowPrivilegeEscalation": False, "capabilities": capabilities}


def _check_overrides(settings: DcgmExporterSettings, spec: dict[str, Any]) -> None:
    """Refuse a 'pod_spec' that changes fields that the nodes and the other arguments decide."""
    runtime_class = settings.nodes.runtime_class
    if spec.get("runtimeClassName") != runtime_class:
        hint = f"without '{runtime_class}' the exporter finds no NVML library, and exits"
        raise wrong("pod_spec", f"without another runtimeClassName than '{runtime_class}'", spec.get("runtimeClassName"), hint)
    container: dict[str, Any] = next((container for container in spec["containers"] if container["name"] == _CONTAINER), {})
    effective = {variable.get("name"): variable for variable in container.get("env") or []}
    for variable in _environment(settings):
        name = variable["name"]
        if effective.get(name) != variable:
            hint = "the arguments of DcgmExporter and GpuNodes set this variable"
            raise wrong("pod_spec", f"without a {name} of its own", effective.get(name), hint)


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
