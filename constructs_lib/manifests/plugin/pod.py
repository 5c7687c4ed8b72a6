"""The device plugin's DaemonSet and the parts that its sibling DaemonSets share: config file, volumes and security
context.

The parity target is upstream's chart 0.20.0. A comment at each difference gives the reason.
https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0/deployments/helm/nvidia-device-plugin
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...arguments.errors import wrong
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.mig import Layout
from ...upstream.charts.device_plugin_chart import CDI_SPECS, CONTAINER_DRIVER_ROOT, KUBELET_SOCKETS, MPS_ROOT
from ...upstream.nvidia.plugin_words import PASSES_BY_ITSELF, MigStrategy
from ...upstream.programs.container_rights import AGENT_RESOURCES
from ..objects import Manifest, env, labels, manifest
from ..pod_placement import selected
from ..pod_shape import check_containers, check_pod, overridden_pod
from .config import checksum, device_plugin_config_text
from .settings import APPLICATION, DevicePluginSettings

CONFIG_KEY = "mig-parted.yaml"
_CONFIG_FILE = f"/config/{CONFIG_KEY}"
# `apply` changes nothing on cards that have these partitions already, so a restart of the plugin is safe. `nvidia-smi
# -L` is not only for the log: NVML makes the device nodes in /dev/nvidia-caps when it reads each partition
# (NVIDIA/mig-parted#82).
_COMMAND = f"nvidia-mig-parted apply --config-file {_CONFIG_FILE} && nvidia-smi -L"
_CAPABILITIES = "/dev/nvidia-caps"


def mig_parted_config(nodes: GpuNodes) -> dict[str, Any]:
    """The layout of each GPU as the only config of a file of nvidia-mig-parted, so no command line names it."""
    devices = nodes.mig_devices
    if isinstance(devices, tuple):
        indices_by_layout: dict[tuple[tuple[str, int], ...], list[int]] = {}
        for index, layout in enumerate(devices):
            indices_by_layout.setdefault(tuple(layout.items()), []).append(index)
        specs = [_spec(indices, dict(layout)) for layout, indices in indices_by_layout.items()]
    else:
        specs = [_spec("all", devices or {})]
    return {"version": "v1", "mig-configs": {nodes.name or "gpu": specs}}


def _spec(devices: str | list[int], layout: Layout) -> dict[str, Any]:
    if not layout:
        return {"devices": devices, "mig-enabled": False}
    return {"devices": devices, "mig-enabled": True, "mig-devices": dict(layout)}


def mig_parted_config_text(nodes: GpuNodes) -> str:
    """The text of the config; empty where nothing is partitioned."""
    if nodes.mig_devices is None:
        return ""
    from ...yaml.block import block  # deferred: importing a construct does not need it

    return "".join(f"{line}\n" for line in block(mig_parted_config(nodes), dash=0))


def _partitioner(settings: DevicePluginSettings) -> dict[str, Any]:
    """The init container.

    The container is privileged, because the kernel module lets only a privileged process change a card's partitions.
    The device nodes of partitions must be in the host's /dev. The container runtime looks for them there; without them
    a pod gets a partition that it can't open (kubernetes-sigs/dra-driver-nvidia-gpu#787).
    """
    # Upstream's image sets these too; another image might not.
    variables = {"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_MIG_CONFIG_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "utility"}
    return {
        "name": "mig-parted",
        "image": settings.mig_parted_image,
        "imagePullPolicy": str(settings.image_pull_policy),
        "command": ["/bin/sh", "-c", _COMMAND],
        "env": env(variables),
        "securityContext": {"privileged": True},
        "volumeMounts": [
            {"name": "config", "mountPath": "/config", "readOnly": True},
            {"name": "host-sys", "mountPath": "/sys"},
            {"name": "nvidia-caps", "mountPath": _CAPABILITIES},
        ],
        "resources": settings.mig_parted_resources or AGENT_RESOURCES,
    }


def _mig_volumes() -> list[dict[str, Any]]:
    """The folders of the host that the init container reads and writes."""
    return [
        {"name": "host-sys", "hostPath": {"path": "/sys", "type": "Directory"}},
        {"name": "nvidia-caps", "hostPath": {"path": _CAPABILITIES, "type": "DirectoryOrCreate"}},
    ]


CONFIG_FILE = "/config/config.yaml"
# The arguments whose variable has the same name, and is left out with the plugin's own default.
_OPTIONS = (
    "nvidia_driver_root", "nvidia_dev_root", "nvidia_cdi_hook_path", "cdi_feature_flags", "cdi_disable_hooks", "shared_devices_allocation_policy",
)  # fmt: skip
_PASSED = ("gdrcopy_enabled", "gds_enabled", "mofed_enabled")


def config_map(settings: DevicePluginSettings) -> Manifest:
    """The ConfigMap with the plugin's config file and with the config of nvidia-mig-parted."""
    partitions = mig_parted_config_text(settings.nodes)
    return manifest(
        "v1", "ConfigMap", f"{settings.name}-config", namespace=settings.namespace,
        labels=labels(APPLICATION, instance=settings.name, component="config"),
        data={"config.yaml": device_plugin_config_text(settings.nodes), **({CONFIG_KEY: partitions} if partitions else {})},
    )  # fmt: skip


def agent(
    settings: DevicePluginSettings, *, component: str, suffix: str = "", pod: dict[str, Any], over: Mapping[str, Any], argument: str
) -> Manifest:
    """A DaemonSet of one component of the device plugin's image, on the nodes of the class; `over` is the user's pod
    spec, and `argument` its name.

    Every component runs under the RuntimeClass: NVML is a user library, and only NVIDIA's runtime puts the library into
    a container. Upstream gives its DaemonSets one selector. Each selector here contains the component, so that no
    DaemonSet counts another DaemonSet's pods.
    """
    marks = labels(APPLICATION, instance=settings.name, component=component)
    runtime_class = settings.nodes.runtime_class
    # Upstream sets no seccomp profile. Talos' kubelet gives RuntimeDefault to such pods in a generated configuration;
    # here every kubelet does. A privileged container runs without a profile in any case (containerd,
    # generateSeccompSpecOpts), so that MIG, MPS and discovery are as before.
    spec = {
        "priorityClassName": settings.priority_class_name,
        "runtimeClassName": runtime_class,
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        **pod,
    }
    if settings.image_pull_secrets:
        spec["imagePullSecrets"] = [{"name": name} for name in settings.image_pull_secrets]
    # `over` is merged before the nodes' tolerations and selector, so that it can't remove them.
    spec = overridden_pod(spec, over)
    check_containers(argument, spec)
    if spec.get("runtimeClassName") != runtime_class:
        hint = f"without '{runtime_class}' the container has no NVML library and finds no GPU"
        raise wrong(argument, f"without another runtimeClassName than '{runtime_class}'", spec.get("runtimeClassName"), hint)
    config = checksum(device_plugin_config_text(settings.nodes) + mig_parted_config_text(settings.nodes))
    template = {"metadata": {"labels": marks, "annotations": {"checksum/config": config, **settings.pod_annotations}}, "spec": spec}
    template = selected(template, settings.nodes, argument)
    check_pod(argument, over, template["spec"])
    _check_variables(argument, pod["containers"][0], template["spec"])
    return manifest(
        "apps/v1", "DaemonSet", f"{settings.name}{suffix}", namespace=settings.namespace, labels=marks,
        spec={
            "selector": {"matchLabels": marks},
            "updateStrategy": {"type": str(settings.update_strategy)},
            "template": template,
        },
    )  # fmt: skip


def container(settings: DevicePluginSettings, name: str, command: list[str], resources: Mapping[str, Any]) -> dict[str, Any]:
    """A container of the device plugin's image."""
    made = {"name": name, "image": settings.image, "imagePullPolicy": str(settings.image_pull_policy), "command": command}
    return made | ({"resources": resources} if resources else {})


def config_volume(settings: DevicePluginSettings) -> dict[str, Any]:
    """The config file as a volume, mounted at /config.

    Upstream copies the file with a sidecar that follows a node label. A plugin of this library serves one class of
    nodes, so the ConfigMap is mounted directly. The pods then need neither the sidecar's SYS_ADMIN, nor its shared
    process namespace, nor a ClusterRole to watch nodes.
    """
    return {"name": "config", "configMap": {"name": f"{settings.name}-config"}}


CONFIG_MOUNT = {"name": "config", "mountPath": "/config", "readOnly": True}


def host_path(name: str, path: str, kind: str = "DirectoryOrCreate") -> dict[str, Any]:
    """A folder of the node as a volume."""
    return {"name": name, "hostPath": {"path": path, "type": kind}}


def mps_volumes() -> list[dict[str, Any]]:
    """The folders that the MPS daemon and its clients share. /run is a tmpfs; the daemon's init container makes the
    folders again."""
    return [host_path("mps-root", MPS_ROOT), {"name": "mps-shm", "hostPath": {"path": f"{MPS_ROOT}/shm"}}]


# The daemon's shared memory, which its clients map.
MPS_MOUNTS = [{"name": "mps-shm", "mountPath": "/dev/shm"}, {"name": "mps-root", "mountPath": "/mps"}]  # noqa: S108


def device_plugin(settings: DevicePluginSettings) -> Manifest:
    """The plugin's DaemonSet."""
    volumes = [host_path("kubelet-device-plugins-dir", KUBELET_SOCKETS, "Directory"), config_volume(settings)]
    mounts: list[dict[str, Any]] = [{"name": "kubelet-device-plugins-dir", "mountPath": KUBELET_SOCKETS}, CONFIG_MOUNT]
    # Upstream always mounts the folders of MPS and CDI. Here only a plugin that uses the folders mounts them.
    if settings.nodes.by_mps:
        volumes += mps_volumes()
        mounts += MPS_MOUNTS
    if settings.writes_cdi:
        volumes.append(host_path("cdi-root", CDI_SPECS))
        mounts.append({"name": "cdi-root", "mountPath": CDI_SPECS})
    if settings.nvidia_driver_root:
        volumes.append(host_path("driver-root", settings.nvidia_driver_root, "Directory"))
        mounts.append({"name": "driver-root", "mountPath": CONTAINER_DRIVER_ROOT, "readOnly": True})
    plugin = container(settings, "nvidia-device-plugin-ctr", ["nvidia-device-plugin"], settings.resources)
    plugin |= {"env": env(_environment(settings)), "securityContext": _security_context(settings), "volumeMounts": mounts}
    pod: dict[str, Any] = {"serviceAccountName": settings.name, "automountServiceAccountToken": False}
    if settings.nodes.mig_devices is not None:
        pod["initContainers"] = [_partitioner(settings)]
        volumes += _mig_volumes()
    pod |= {"containers": [plugin], "volumes": volumes}
    return agent(settings, component="device-plugin", pod=pod, over=settings.pod_spec, argument="pod_spec")


def _check_variables(argument: str, ours: Mapping[str, Any], spec: Mapping[str, Any]) -> None:
    """Refuse a pod spec that changes the agent's own variables: its config file, mounts and nodes need them."""
    merged_container: dict[str, Any] = next((each for each in spec["containers"] if each["name"] == ours["name"]), {})
    effective = {variable.get("name"): variable for variable in merged_container.get("env") or []}
    for variable in ours["env"]:
        name, got = variable["name"], effective.get(variable["name"])
        if got != variable:
            rule = f"without another {name} than '{variable['value']}'" if "value" in variable else f"without a {name} of its own"
            hint = "the arguments of StandaloneDevicePlugin and GpuNodes set this variable"
            raise wrong(argument, rule, got.get("value", got) if got else None, hint)


def _environment(settings: DevicePluginSettings) -> dict[str, str]:
    # Upstream leaves out default values. Here the strategies are always written, so that readers of the manifest see
    # them.
    variables = {
        "CONFIG_FILE": CONFIG_FILE,
        "DEVICE_LIST_STRATEGY": word(settings.device_list_strategy),
        "DEVICE_ID_STRATEGY": str(settings.device_id_strategy),
        "DEVICE_DISCOVERY_STRATEGY": str(settings.device_discovery_strategy),
        "FAIL_ON_INIT_ERROR": word(settings.fail_on_init_error),
    }
    if settings.compat_with_cpu_manager:
        variables["PASS_DEVICE_SPECS"] = "true"  # noqa: S105
    variables |= {name.upper(): word(value) for name in _OPTIONS if (value := getattr(settings, name))}
    variables |= {name.upper(): word(value) for name in _PASSED if (value := getattr(settings, name)) or _passes_by_itself(settings)}
    if settings.nodes.by_mps:
        variables["MPS_ROOT"] = MPS_ROOT
    if settings.nodes.mig_strategy != MigStrategy.NONE:
        variables["NVIDIA_MIG_MONITOR_DEVICES"] = "all"
    # The plugin must see every GPU that it advertises. Upstream's image sets this too; another image might not.
    return variables | {"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}


def _passes_by_itself(settings: DevicePluginSettings) -> bool:
    """Whether the plugin of the image may pass the devices of `_PASSED` without being told to."""
    first, no_more = PASSES_BY_ITSELF
    return settings.version is None or first <= settings.version < no_more


def _security_context(settings: DevicePluginSettings) -> dict[str, Any]:
    # MIG: from toolkit 1.18 on (Talos 1.12) upstream's SYS_ADMIN is not enough, because the toolkit no longer injects
    # the monitor capability (NVIDIA/nvidia-container-toolkit#1740). The CPU manager resets device permissions, which
    # only a privileged pod keeps.
    if settings.compat_with_cpu_manager or settings.nodes.mig_strategy != MigStrategy.NONE:
        return {"privileged": True}
    return {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def word(value: object) -> str:
    """The value of a variable: a flag as `true` or `false`, a list with commas."""
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
