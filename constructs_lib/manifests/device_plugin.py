"""NVIDIA's device plugin, which advertises a node's GPUs to the kubelet: its options, and the pod that runs it.

The parity target is upstream's chart 0.20.0. Where our pod differs, a comment at the place says why.
https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0/deployments/helm/nvidia-device-plugin
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import versions
from .._validate import (
    Choice,
    annotation_map,
    choice,
    dns_label,
    dns_subdomain,
    flag,
    instance,
    mapping,
    named_arguments,
    quantity,
    text,
    texts,
    wrong,
    wrong_kind,
)
from ..nodes import GpuNodes, MigStrategy
from ..sharing import Mps
from ..talos_version import Generation
from .device_plugin_config import checksum, device_plugin_config_text
from .gpu_pod import check_shape, selected
from .objects import Manifest, env, labels, manifest, merged

APPLICATION = "nvidia-device-plugin"
CONFIG_FILE = "/config/config.yaml"
_MPS_ROOT = "/run/nvidia/mps"
# Where the plugin looks for the driver inside its own container, and where it writes CDI specs (api/config/v1/consts.go,
# internal/cdi/cdi.go). /var/run is /run on Talos, so the specs land in the folder that its containerd reads.
_CONTAINER_DRIVER_ROOT = "/driver-root"
_CDI_ROOT = "/var/run/cdi"
_NOTHING: Mapping[str, Any] = {}


class DeviceListStrategy(Choice):
    """How the plugin tells the container runtime which GPUs it allocated."""

    ENVVAR = "envvar"
    VOLUME_MOUNTS = "volume-mounts"
    CDI_ANNOTATIONS = "cdi-annotations"
    CDI_CRI = "cdi-cri"


class DeviceIDStrategy(Choice):
    """How the plugin names a GPU to the container runtime."""

    UUID = "uuid"
    INDEX = "index"


class DeviceDiscoveryStrategy(Choice):
    """How the plugin finds the node's GPUs."""

    AUTO = "auto"
    NVML = "nvml"
    TEGRA = "tegra"


class ImagePullPolicy(Choice):
    """When the kubelet pulls an image."""

    ALWAYS = "Always"
    IF_NOT_PRESENT = "IfNotPresent"
    NEVER = "Never"


class DaemonSetUpdate(Choice):
    """When a changed DaemonSet replaces its pods."""

    ROLLING_UPDATE = "RollingUpdate"
    ON_DELETE = "OnDelete"


_CDI_STRATEGIES = {DeviceListStrategy.CDI_ANNOTATIONS, DeviceListStrategy.CDI_CRI}


@named_arguments(nodes="a plugin runs on one class of GPU nodes")
@dataclass(kw_only=True, eq=False, repr=False)
class DevicePluginSettings:
    """The checked arguments of a device plugin; `StandaloneDevicePlugin` documents each."""

    nodes: GpuNodes
    name: str | None = None
    namespace: str | None = None
    feature_discovery: bool = False
    device_list_strategy: DeviceListStrategy | str | Iterable[DeviceListStrategy | str] = DeviceListStrategy.ENVVAR
    device_id_strategy: DeviceIDStrategy | str = DeviceIDStrategy.UUID
    device_discovery_strategy: DeviceDiscoveryStrategy | str = DeviceDiscoveryStrategy.NVML
    fail_on_init_error: bool = True
    compat_with_cpu_manager: bool = False
    nvidia_driver_root: str | None = None
    nvidia_cdi_hook_path: str | None = None
    gdrcopy_enabled: bool = False
    gds_enabled: bool = False
    mofed_enabled: bool = False
    image: str = versions.DEVICE_PLUGIN_IMAGE
    image_pull_policy: ImagePullPolicy | str = ImagePullPolicy.IF_NOT_PRESENT
    image_pull_secrets: Iterable[str] = ()
    resources: Mapping[str, Any] = field(default_factory=dict)
    priority_class_name: str = "system-node-critical"
    update_strategy: DaemonSetUpdate | str = DaemonSetUpdate.ROLLING_UPDATE
    pod_annotations: Mapping[str, str] = field(default_factory=dict)
    pod_spec: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        nodes = instance("nodes", self.nodes, GpuNodes, "a GpuNodes")
        strategies = _strategies(self.device_list_strategy)
        resolved = {
            "name": dns_label("name", self.name) if self.name is not None else "-".join(filter(None, (APPLICATION, nodes.name))),
            "namespace": None if self.namespace is None else dns_label("namespace", self.namespace),
            "device_list_strategy": strategies,
            "device_id_strategy": choice("device_id_strategy", self.device_id_strategy, DeviceIDStrategy),
            "device_discovery_strategy": choice("device_discovery_strategy", self.device_discovery_strategy, DeviceDiscoveryStrategy),
            "nvidia_driver_root": _driver_root(self.nvidia_driver_root, strategies),
            "image_pull_policy": choice("image_pull_policy", self.image_pull_policy, ImagePullPolicy),
            "image_pull_secrets": tuple(dns_subdomain("image_pull_secrets", name) for name in _names(self.image_pull_secrets)),
            "resources": _resources(self.resources),
            "update_strategy": choice("update_strategy", self.update_strategy, DaemonSetUpdate),
            "pod_annotations": annotation_map("pod_annotations", self.pod_annotations),
            "pod_spec": mapping("pod_spec", self.pod_spec, "a mapping of fields of a pod spec"),
        }  # fmt: skip
        for name, value in resolved.items():
            object.__setattr__(self, name, value)
        for name in (
            "feature_discovery",
            "fail_on_init_error",
            "compat_with_cpu_manager",
            "gdrcopy_enabled",
            "gds_enabled",
            "mofed_enabled",
        ):
            flag(name, getattr(self, name))
        if self.nvidia_cdi_hook_path is not None:
            _absolute_path("nvidia_cdi_hook_path", self.nvidia_cdi_hook_path)
        text("image", self.image)
        dns_subdomain("priority_class_name", self.priority_class_name)
        self._check_together(nodes, strategies)

    def _check_together(self, nodes: GpuNodes, strategies: tuple[DeviceListStrategy, ...]) -> None:
        if nodes.generation is Generation.NRI:
            then = "there only the operator's toolkit hands GPUs to containers; use NvidiaGpuOperator"
            raise wrong("nodes", "of Talos 1.14 or older", str(nodes.talos_version), then)
        if DeviceListStrategy.VOLUME_MOUNTS in strategies:
            then = "no Talos configures its toolkit to accept devices as volume mounts (accept-nvidia-visible-devices-as-volume-mounts)"
            raise wrong("device_list_strategy", "without 'volume-mounts' on Talos", "volume-mounts", then)
        cdi = [str(strategy) for strategy in strategies if strategy in _CDI_STRATEGIES]
        if cdi and nodes.generation is Generation.LEGACY:
            then = "the specs it would write name libraries where this Talos has none (they are under /usr/local/glibc until 1.13)"
            raise wrong("device_list_strategy", f"'envvar' on Talos {nodes.talos_version}", ", ".join(cdi), then)
        if self.nvidia_cdi_hook_path is not None and not cdi:
            then = "no CDI spec is written without 'cdi-annotations' or 'cdi-cri' in 'device_list_strategy'"
            raise wrong("nvidia_cdi_hook_path", "left out with these strategies", self.nvidia_cdi_hook_path, then)

    @property
    def writes_cdi(self) -> bool:
        """Whether the plugin writes CDI specs onto the host."""
        return any(strategy in _CDI_STRATEGIES for strategy in _strategies(self.device_list_strategy))

    @property
    def instance(self) -> str:
        """The value of the instance label: what keeps the pods of two plugins apart."""
        return str(self.name)


def config_map(settings: DevicePluginSettings) -> Manifest:
    """The ConfigMap with the plugin's config file."""
    return manifest(
        "v1", "ConfigMap", f"{settings.instance}-config", namespace=settings.namespace,
        labels=labels(APPLICATION, instance=settings.instance, component="config"),
        data={"config.yaml": device_plugin_config_text(settings.nodes)},
    )  # fmt: skip


def agent(
    settings: DevicePluginSettings, *, component: str, suffix: str = "", pod: dict[str, Any], over: Mapping[str, Any] = _NOTHING
) -> Manifest:
    """A DaemonSet of one of the parts of the device plugin's image, on the nodes of the class; `over` is what the user lays on its pod.

    Every part runs under the RuntimeClass: NVML is a user library, and only NVIDIA's runtime puts it into a container. Upstream gives its
    DaemonSets one selector; each of ours has its component in it, or two would count each other's pods as their own.
    """
    marks = labels(APPLICATION, instance=settings.instance, component=component)
    runtime_class = settings.nodes.runtime_class
    spec = {"priorityClassName": settings.priority_class_name, "runtimeClassName": runtime_class, **pod}
    if settings.image_pull_secrets:
        spec["imagePullSecrets"] = [{"name": name} for name in settings.image_pull_secrets]
    # What the user lays on comes before the nodes' tolerations and selector, so that these can't be lost to it.
    spec = merged(spec, over)
    check_shape("pod_spec", spec)
    if spec.get("runtimeClassName") != runtime_class:
        then = "without it the plugin finds no NVML library, and no GPU"
        raise wrong("pod_spec", f"without another runtimeClassName than '{runtime_class}'", spec.get("runtimeClassName"), then)
    config = checksum(device_plugin_config_text(settings.nodes))
    template = {"metadata": {"labels": marks, "annotations": {"checksum/config": config, **settings.pod_annotations}}, "spec": spec}
    return manifest(
        "apps/v1", "DaemonSet", f"{settings.instance}{suffix}", namespace=settings.namespace, labels=marks,
        spec={
            "selector": {"matchLabels": marks},
            "updateStrategy": {"type": str(settings.update_strategy)},
            "template": selected(template, settings.nodes),
        },
    )  # fmt: skip


def container(settings: DevicePluginSettings, name: str, command: list[str]) -> dict[str, Any]:
    """A container of the device plugin's image."""
    return {"name": name, "image": settings.image, "imagePullPolicy": str(settings.image_pull_policy), "command": command}


def config_volume(settings: DevicePluginSettings) -> dict[str, Any]:
    """The config file as a volume, mounted at /config.

    Upstream copies it there with a sidecar that follows a node label. A plugin of ours serves one class of nodes, so the file is mounted as
    it is; the pods then need neither the sidecar's SYS_ADMIN, nor its shared process namespace, nor a ClusterRole to watch nodes.
    """
    return {"name": "config", "configMap": {"name": f"{settings.instance}-config"}}


CONFIG_MOUNT = {"name": "config", "mountPath": "/config", "readOnly": True}


def host_path(name: str, path: str, kind: str = "DirectoryOrCreate") -> dict[str, Any]:
    """A folder of the node as a volume."""
    return {"name": name, "hostPath": {"path": path, "type": kind}}


def mps_volumes() -> list[dict[str, Any]]:
    """The folders in which the MPS daemon meets its clients; /run is a tmpfs, and the daemon's init container remakes them."""
    return [host_path("mps-root", _MPS_ROOT), {"name": "mps-shm", "hostPath": {"path": f"{_MPS_ROOT}/shm"}}]


# The daemon's own shared memory, which its clients map.
MPS_MOUNTS = [{"name": "mps-shm", "mountPath": "/dev/shm"}, {"name": "mps-root", "mountPath": "/mps"}]  # noqa: S108


def device_plugin(settings: DevicePluginSettings) -> Manifest:
    """The plugin's DaemonSet."""
    volumes = [host_path("kubelet-device-plugins-dir", "/var/lib/kubelet/device-plugins", "Directory"), config_volume(settings)]
    mounts: list[dict[str, Any]] = [{"name": "kubelet-device-plugins-dir", "mountPath": "/var/lib/kubelet/device-plugins"}, CONFIG_MOUNT]
    # Upstream always mounts the folders of MPS and CDI; only a plugin that uses them gets them here.
    if isinstance(settings.nodes.sharing, Mps):
        volumes += mps_volumes()
        mounts += MPS_MOUNTS
    if settings.writes_cdi:
        volumes.append(host_path("cdi-root", _CDI_ROOT))
        mounts.append({"name": "cdi-root", "mountPath": _CDI_ROOT})
    if settings.nvidia_driver_root:
        volumes.append(host_path("driver-root", settings.nvidia_driver_root, "Directory"))
        mounts.append({"name": "driver-root", "mountPath": _CONTAINER_DRIVER_ROOT, "readOnly": True})
    plugin = container(settings, "nvidia-device-plugin-ctr", ["nvidia-device-plugin"])
    plugin |= {"env": env(_environment(settings)), "securityContext": _security_context(settings), "volumeMounts": mounts}
    if settings.resources:
        plugin["resources"] = settings.resources
    pod: dict[str, Any] = {"serviceAccountName": settings.instance, "automountServiceAccountToken": False}
    pod |= {"containers": [plugin], "volumes": volumes}
    return agent(settings, component="device-plugin", pod=pod, over=settings.pod_spec)


def _environment(settings: DevicePluginSettings) -> dict[str, str]:
    variables = {
        "CONFIG_FILE": CONFIG_FILE,
        "DEVICE_LIST_STRATEGY": ",".join(str(strategy) for strategy in _strategies(settings.device_list_strategy)),
        "DEVICE_ID_STRATEGY": str(settings.device_id_strategy),
        "DEVICE_DISCOVERY_STRATEGY": str(settings.device_discovery_strategy),
        "FAIL_ON_INIT_ERROR": _word(settings.fail_on_init_error),
    }
    if settings.compat_with_cpu_manager:
        variables["PASS_DEVICE_SPECS"] = "true"  # noqa: S105
    if settings.nvidia_driver_root:
        variables["NVIDIA_DRIVER_ROOT"] = settings.nvidia_driver_root
    if settings.nvidia_cdi_hook_path:
        variables["NVIDIA_CDI_HOOK_PATH"] = settings.nvidia_cdi_hook_path
    for name in ("gdrcopy_enabled", "gds_enabled", "mofed_enabled"):
        if getattr(settings, name):
            variables[name.upper()] = "true"
    if isinstance(settings.nodes.sharing, Mps):
        variables["MPS_ROOT"] = _MPS_ROOT
    if settings.nodes.mig_strategy != MigStrategy.NONE:
        variables["NVIDIA_MIG_MONITOR_DEVICES"] = "all"
    # The plugin sees every GPU, because it gives them out: the image says so too, and this keeps it when the image is another.
    return variables | {"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}


def _security_context(settings: DevicePluginSettings) -> dict[str, Any]:
    # MIG: upstream's SYS_ADMIN is not enough from toolkit 1.18 on (Talos 1.12), which no longer hands over the monitor capability
    # (NVIDIA/nvidia-container-toolkit#1740). The CPU manager resets device permissions that only a privileged pod keeps.
    if settings.compat_with_cpu_manager or settings.nodes.mig_strategy != MigStrategy.NONE:
        return {"privileged": True}
    return {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def _word(value: bool) -> str:
    return "true" if value else "false"


def _strategies(value: object) -> tuple[DeviceListStrategy, ...]:
    argument = "device_list_strategy"
    if isinstance(value, str):
        return (choice(argument, value, DeviceListStrategy),)
    if not isinstance(value, Iterable):
        raise wrong_kind(argument, "a strategy or a list of strategies", value)
    strategies = tuple(choice(argument, strategy, DeviceListStrategy) for strategy in value)
    if not strategies or len(set(strategies)) != len(strategies):
        raise wrong(argument, "a list of at least one strategy, each named once", [str(strategy) for strategy in strategies])
    return strategies


def _driver_root(value: str | None, strategies: tuple[DeviceListStrategy, ...]) -> str | None:
    if value is not None:
        return _absolute_path("nvidia_driver_root", value)
    # A CDI spec is made of what the plugin finds under /driver-root, which is empty unless the node's root is mounted there.
    return "/" if _CDI_STRATEGIES.intersection(strategies) else None


def _absolute_path(argument: str, value: object) -> str:
    rule = "an absolute path on the node"
    path = text(argument, value, rule)
    if not path.startswith("/"):
        raise wrong(argument, rule, path)
    return path


def _names(value: object) -> list[str]:
    return texts("image_pull_secrets", list(value) if isinstance(value, tuple) else value)


def _resources(value: object) -> dict[str, Any]:
    sections = mapping("resources", value, "a mapping with 'requests' and 'limits'")
    for section, amounts in sections.items():
        if section not in ("requests", "limits"):
            raise wrong("resources", "a mapping with 'requests' and 'limits'", section)
        for name, amount in mapping(f"resources[{section}]", amounts).items():
            quantity(f"resources[{section}][{name}]", str(amount) if isinstance(amount, int) else amount)
    return sections
