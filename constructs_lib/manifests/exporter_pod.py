"""The pods of a DCGM exporter: how it finds the GPUs of a Talos node, and the pods that have them.

The parity target is upstream's chart 4.8.2. Where our pod differs, a comment at the place says why.
https://github.com/NVIDIA/dcgm-exporter/tree/4.5.3-4.8.2/deployment
"""

from __future__ import annotations

from typing import Any

from .._arguments.errors import wrong
from ..monitoring.counters import counters_csv
from ..monitoring.scraping import sampling
from ..upstream.gpu_resources import GPU_RESOURCE
from .device_plugin_config import checksum
from .exporter_settings import APPLICATION, DcgmExporterSettings
from .objects import Manifest, env, from_field, labels, manifest, merged
from .pod_placement import selected
from .pod_shape import check_shape

PORT = {"name": "metrics", "port": 9400}
COUNTERS_FILE = "counters.csv"
_CONTAINER = "exporter"
_FOLDER = "/etc/dcgm-exporter"
_POD_RESOURCES = "/var/lib/kubelet/pod-resources"


def marks(settings: DcgmExporterSettings) -> dict[str, str]:
    """The labels of everything that belongs to it, and the selector of its pods."""
    return labels(APPLICATION, instance=settings.name, component=APPLICATION)


def counters_name(settings: DcgmExporterSettings) -> str:
    """The name of the ConfigMap with its counters."""
    return f"{settings.name}-counters"


def daemon_set(settings: DcgmExporterSettings) -> Manifest:
    """The DaemonSet, on the nodes of the class."""
    # What the user lays on comes before the nodes' tolerations and selector, so that these can't be lost to it.
    spec = merged(_pod(settings), settings.pod_spec)
    check_shape("pod_spec", spec)
    _check_laid_on(settings, spec)
    # A running pod keeps the file that it began with, as a subPath is never updated; the annotation makes pods that have the new one.
    annotations = {"checksum/counters": checksum(counters_csv(settings.counters)), **settings.pod_annotations}
    template = {"metadata": {"labels": marks(settings), "annotations": annotations}, "spec": spec}
    return manifest(
        "apps/v1", "DaemonSet", settings.name, namespace=settings.namespace, labels=marks(settings),
        spec={
            "selector": {"matchLabels": marks(settings)},
            "updateStrategy": {"type": "RollingUpdate"},
            "template": selected(template, settings.nodes),
        },
    )  # fmt: skip


def _pod(settings: DcgmExporterSettings) -> dict[str, Any]:
    pod: dict[str, Any] = {
        "priorityClassName": settings.priority_class_name,
        # Or it ends with "Cannot init NVML library" (NVIDIA/dcgm-exporter#612): only NVIDIA's runtime brings the library.
        "runtimeClassName": settings.nodes.runtime_class,
        "serviceAccountName": settings.name,
        "automountServiceAccountToken": settings.reads_pods,
    }
    if settings.names_every_pod:
        # To split the use of a GPU it looks up the cgroup of each process that NVML names, by its number on the node.
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
    made: dict[str, Any] = {
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
        made["resources"] = settings.resources
    return made


def _environment(settings: DcgmExporterSettings) -> list[dict[str, Any]]:
    # A file of our own beside the image's, whose names and units are another release's.
    variables = {
        "DCGM_EXPORTER_COLLECTORS": f"{_FOLDER}/{COUNTERS_FILE}",
        "DCGM_EXPORTER_LISTEN": f":{PORT['port']}",
        "DCGM_EXPORTER_KUBERNETES": "true",
        **sampling(settings.interval),
    }
    if settings.names_every_pod:
        # A series for each pod; else the last one in the kubelet's list has them all, and without UIDs each pod uses 0 of the GPU
        # (internal/pkg/transformation/kubernetes.go, createPerProcessMetrics).
        variables |= {"KUBERNETES_VIRTUAL_GPUS": "true", "DCGM_EXPORTER_KUBERNETES_ENABLE_POD_UID": "true"}
    if settings.nodes.resource_name != GPU_RESOURCE:
        # By itself it knows nvidia.com/gpu and nvidia.com/mig-*.
        variables["NVIDIA_RESOURCE_NAMES"] = settings.nodes.resource_name
    if settings.reads_claims:
        variables["KUBERNETES_ENABLE_DRA"] = "true"
    if settings.sees_partitions:
        variables["NVIDIA_MIG_MONITOR_DEVICES"] = "all"
    # The image says so too, and this keeps it when the image is another.
    variables |= {"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}
    return [*env(variables), from_field("NODE_NAME", "spec.nodeName")]


def _security_context(settings: DcgmExporterSettings) -> dict[str, Any]:
    # MIG: DCGM does not start without the capability to monitor partitions, which from toolkit 1.18 on (Talos 1.12) only a privileged
    # container is given (NVIDIA/dcgm-exporter#34, NVIDIA/nvidia-container-toolkit#1740).
    if settings.sees_partitions:
        return {"privileged": True}
    # Root, because the kubelet's socket is root's; upstream's SYS_ADMIN is for profiling alone (internal/pkg/capabilities).
    capabilities = {**({"add": ["SYS_ADMIN"]} if settings.profiling else {}), "drop": ["ALL"]}
    return {"runAsUser": 0, "allowPrivilegeEscalation": False, "capabilities": capabilities}


def _check_laid_on(settings: DcgmExporterSettings, spec: dict[str, Any]) -> None:
    """That 'pod_spec' leaves alone what the nodes and the other arguments decide."""
    runtime_class = settings.nodes.runtime_class
    if spec.get("runtimeClassName") != runtime_class:
        then = "without it the exporter finds no NVML library, and ends"
        raise wrong("pod_spec", f"without another runtimeClassName than '{runtime_class}'", spec.get("runtimeClassName"), then)
    container: dict[str, Any] = next((each for each in spec["containers"] if each["name"] == _CONTAINER), {})
    laid_on = {variable.get("name"): variable for variable in container.get("env") or []}
    for variable in _environment(settings):
        name = variable["name"]
        if laid_on.get(name) != variable:
            then = "the arguments of DcgmExporter and GpuNodes set it"
            raise wrong("pod_spec", f"without a {name} of its own", laid_on.get(name), then)
