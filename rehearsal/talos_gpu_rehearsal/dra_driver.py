"""NVIDIA's DRA driver in place of its chart: its plugin for GPUs, by the values of the release that place and configure
the plugin, and the chart's DeviceClasses. Nothing here needs Helm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from constructs_lib.manifests.dra.claim_objects import DRIVER, RESOURCE_API
from constructs_lib.nodes.dra import DraShare
from constructs_lib.nodes.gpu_nodes import GpuNodes
from constructs_lib.observed.agents.agents import Agent, dra_drivers, driver_root
from constructs_lib.observed.model import ChartRelease, Inputs
from constructs_lib.upstream.nvidia.dra_driver_gates import GATES_OF_0_5, is_before_0_5
from constructs_lib.upstream.nvidia.gpu_resources import GPU_RESOURCE
from constructs_lib.upstream.talos.features import DRIVER_ROOT
from constructs_lib.upstream.version import Version

from .manifests import Manifest
from .sources import SOURCES

_BUILT = SOURCES["dra-driver"].release
_UNKNOWN_GATES = GATES_OF_0_5 if is_before_0_5(Version.parse(_BUILT) or Version(0, 0)) else ()
_NAME = "dra-driver-nvidia-gpu-kubelet-plugin"
_REPOSITORY = "registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu"
_REGISTRY, _PLUGINS, _CDI = "/var/lib/kubelet/plugins_registry", "/var/lib/kubelet/plugins", "/var/run/cdi"
_RULES = [
    {"apiGroups": ["resource.k8s.io"], "resources": ["resourceclaims"], "verbs": ["get", "list", "watch"]},
    {"apiGroups": ["resource.k8s.io"], "resources": ["resourceslices"], "verbs": ["get", "list", "watch", "create", "update", "delete"]},
    {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch", "update"]},
    {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]},
]
"""The image, the folders and the rights of the plugin for GPUs. `_daemon_set` and `_device_classes` are of the same
chart.

Source: kubernetes-sigs/dra-driver-nvidia-gpu deployments/helm/dra-driver-nvidia-gpu/{values.yaml,templates} at v0.4.1
(2026-11-28)
"""
_PLACEMENT = ("nodeSelector", "affinity", "tolerations")
_NONE = "no file has the DRA driver, which alone serves the claims of {}: their pods wait"
_WHOLE = "consumable shares came with the DRA driver 0.5.0, and {} runs: a claim of {} takes a whole GPU, and further claims wait"


def dra_driver(inputs: Inputs, classes: Sequence[GpuNodes]) -> tuple[list[Manifest], list[str]]:
    """The driver in the namespace of its release, and the sentences about it."""
    drivers = dra_drivers(inputs)
    claimed = [each for each in classes if each.dra]
    if not drivers:
        return [], [_NONE.format(_names(claimed))] if claimed else []
    shared = [each for each in claimed if each.dra and each.dra.share is DraShare.CONSUMABLE]
    said = [_WHOLE.format(_BUILT, _names(shared))] if shared and _UNKNOWN_GATES else []
    driver = next((each for each in drivers if each.release), None)
    if driver is None or driver.release is None:
        return [], said  # the files have the objects of the chart
    namespace = driver.release.namespace if isinstance(driver.release.namespace, str) else "default"
    about = f"the chart {driver.release.label}: its plugin for GPUs runs by the values of the release, without compute domains"
    return [*_rights(namespace), *_device_classes(), _daemon_set(driver, driver.release, namespace)], [about, *said]


def _daemon_set(driver: Agent, release: ChartRelease, namespace: str) -> Manifest:
    root = driver_root(driver)
    root = root if isinstance(root, str) and root else DRIVER_ROOT
    image = f"{_REPOSITORY}:v{release.version if isinstance(release.version, str) else _BUILT}"
    env = {"NVIDIA_DRIVER_ROOT": root, "NVIDIA_VISIBLE_DEVICES": "void", "KUBELET_REGISTRAR_DIRECTORY_PATH": _REGISTRY}
    env["KUBELET_PLUGINS_DIRECTORY_PATH"] = _PLUGINS
    fields = {"NODE_NAME": "spec.nodeName", "NAMESPACE": "metadata.namespace", "SERVICE_ACCOUNT_NAME": "spec.serviceAccountName"}
    own = {**env, "CDI_ROOT": _CDI, "NVIDIA_MIG_CONFIG_DEVICES": "all", "IMAGE_NAME": image, **_gates(release.value("featureGates"))}
    volumes = {"plugins-registry": _REGISTRY, "plugins": _PLUGINS, "cdi": _CDI}
    driver_volumes = {"driver-root-parent": str(PurePosixPath(root).parent), "driver-root": root}
    plugin = {
        "name": "gpus",
        "image": image,
        "command": ["bash", "-c"],
        "args": ["gpu-kubelet-plugin -v 4"],
        "env": [*_variables(own), *({"name": key, "valueFrom": {"fieldRef": {"fieldPath": path}}} for key, path in fields.items())],
        "securityContext": {"privileged": True},
        "volumeMounts": [
            {"name": "plugins-registry", "mountPath": _REGISTRY},
            {"name": "plugins", "mountPath": _PLUGINS, "mountPropagation": "Bidirectional"},
            {"name": "cdi", "mountPath": _CDI},
            {"name": "driver-root", "mountPath": "/driver-root", "mountPropagation": "HostToContainer"},
        ],
    }
    awaited = {
        "name": "init-container",
        "image": image,
        "command": ["bash", "/usr/bin/kubelet-plugin-prestart.sh"],
        "env": _variables(env),
        "securityContext": {"privileged": True},
        "volumeMounts": [{"name": "driver-root-parent", "mountPath": "/driver-root-parent", "mountPropagation": "HostToContainer"}],
    }
    spec = {
        "serviceAccountName": _NAME,
        "priorityClassName": "system-node-critical",
        **{key: value for key in _PLACEMENT if (value := driver.value(key))},
        "initContainers": [awaited],
        "containers": [plugin],
        "volumes": [
            *({"name": name, "hostPath": {"path": path}} for name, path in volumes.items()),
            *({"name": name, "hostPath": {"path": path, "type": "DirectoryOrCreate"}} for name, path in driver_volumes.items()),
        ],
    }
    labels = {"app.kubernetes.io/name": "dra-driver-nvidia-gpu", "dra-driver-nvidia-gpu-component": "kubelet-plugin"}
    template = {"metadata": {"labels": labels}, "spec": spec}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": _NAME, "namespace": namespace},
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }


def _variables(values: Mapping[str, str]) -> list[Manifest]:
    return [{"name": key, "value": value} for key, value in values.items()]


def _gates(values: object) -> dict[str, str]:
    """The feature gates of the values that the built release knows: with another one it does not start."""
    gates = values if isinstance(values, Mapping) else {}
    known = [f"{gate}={str(on).lower()}" for gate, on in gates.items() if isinstance(on, bool) and gate not in _UNKNOWN_GATES]
    return {"FEATURE_GATES": ",".join(known)} if known else {}


def _device_classes() -> list[Manifest]:
    """The classes of whole GPUs, which serves limits too, and of partitions."""
    found: list[Manifest] = []
    for name, kind, more in ((DRIVER, "gpu", {"extendedResourceName": GPU_RESOURCE}), ("mig.nvidia.com", "mig", {})):
        expression = f"device.driver == '{DRIVER}' && device.attributes['{DRIVER}'].type == '{kind}'"
        spec: dict[str, Any] = {"selectors": [{"cel": {"expression": expression}}], **more}
        found.append({"apiVersion": RESOURCE_API, "kind": "DeviceClass", "metadata": {"name": name}, "spec": spec})
    return found


def _rights(namespace: str) -> list[Manifest]:
    metadata = {"name": _NAME, "namespace": namespace}
    group = "rbac.authorization.k8s.io"
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata},
        {"apiVersion": f"{group}/v1", "kind": "ClusterRole", "metadata": {"name": _NAME}, "rules": _RULES},
        {
            "apiVersion": f"{group}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": _NAME},
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": _NAME},
            "subjects": [{"kind": "ServiceAccount", **metadata}],
        },
    ]


def _names(classes: Sequence[GpuNodes]) -> str:
    return ", ".join(each.name or "the GPU nodes" for each in classes)
