"""The init container of the device plugin's pod that partitions the cards with nvidia-mig-parted before the plugin
starts.

Talos has no setting for MIG (siderolabs/talos#11314), and NVIDIA's MIG manager waits for systemd there
(NVIDIA/mig-parted#356). nvidia-mig-parted, the tool that the MIG manager calls, needs no systemd. An init container
runs in the right order: the plugin reads the partitions only when it starts.
https://github.com/NVIDIA/mig-parted/tree/v0.15.0
"""

from __future__ import annotations

from typing import Any

from ...nodes.gpu_nodes import GpuNodes
from ...nodes.mig import Layout
from ...upstream.programs.container_rights import AGENT_RESOURCES
from ..objects import env
from .settings import DevicePluginSettings

CONFIG_KEY = "mig-parted.yaml"
_CONFIG_FILE = f"/config/{CONFIG_KEY}"
# `apply` changes nothing on cards that have these partitions already, so a restart of the plugin is safe. `nvidia-smi
# -L` is not only for the log: NVML makes the device nodes in /dev/nvidia-caps when it reads each partition
# (NVIDIA/mig-parted#82).
_COMMAND = f"nvidia-mig-parted apply --config-file {_CONFIG_FILE} && nvidia-smi -L"
_CAPABILITIES = "/dev/nvidia-caps"


def mig_parted_config(nodes: GpuNodes) -> dict[str, Any]:
    """The layout of each GPU as a config of nvidia-mig-parted. The file has one config, so the command line need not
    name it."""
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


def partitioner(settings: DevicePluginSettings) -> dict[str, Any]:
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


def volumes() -> list[dict[str, Any]]:
    """The folders of the host that the init container reads and writes."""
    return [
        {"name": "host-sys", "hostPath": {"path": "/sys", "type": "Directory"}},
        {"name": "nvidia-caps", "hostPath": {"path": _CAPABILITIES, "type": "DirectoryOrCreate"}},
    ]
