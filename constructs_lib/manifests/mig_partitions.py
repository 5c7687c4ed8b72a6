"""What cuts the cards into MIG partitions before the device plugin looks at them: nvidia-mig-parted, in an init container of the plugin's pod.

Talos knows no MIG (siderolabs/talos#11314), and NVIDIA's MIG manager waits for systemd there (NVIDIA/mig-parted#356); the tool that it calls
needs none. In the plugin's own pod the order is certain: the plugin reads the partitions when it starts and never again.
https://github.com/NVIDIA/mig-parted/tree/v0.15.0
"""

from __future__ import annotations

from typing import Any

from ..nodes.gpu_nodes import GpuNodes
from ..nodes.mig import Layout
from .device_plugin_settings import DevicePluginSettings
from .objects import env

CONFIG_KEY = "mig-parted.yaml"
_CONFIG_FILE = f"/config/{CONFIG_KEY}"
# `apply` does nothing where the cards are cut that way already, so a restart of the plugin disturbs nobody. The list in the log is more than
# that: NVML makes the nodes in /dev/nvidia-caps while it looks at each partition (NVIDIA/mig-parted#82).
_COMMAND = f"nvidia-mig-parted apply --config-file {_CONFIG_FILE} && nvidia-smi -L"
_CAPABILITIES = "/dev/nvidia-caps"


def mig_parted_config(nodes: GpuNodes) -> dict[str, Any]:
    """The layout of each GPU, in nvidia-mig-parted's own form; its only config needs no name on the command line."""
    devices = nodes.mig_devices
    if isinstance(devices, tuple):
        alike: dict[tuple[tuple[str, int], ...], list[int]] = {}
        for index, layout in enumerate(devices):
            alike.setdefault(tuple(layout.items()), []).append(index)
        specs = [_spec(indices, dict(layout)) for layout, indices in alike.items()]
    else:
        specs = [_spec("all", devices or {})]
    return {"version": "v1", "mig-configs": {nodes.name or "gpu": specs}}


def _spec(devices: str | list[int], layout: Layout) -> dict[str, Any]:
    if not layout:
        return {"devices": devices, "mig-enabled": False}
    return {"devices": devices, "mig-enabled": True, "mig-devices": dict(layout)}


def mig_parted_config_text(nodes: GpuNodes) -> str:
    """The layout as the text of a file; empty where nothing is partitioned."""
    if nodes.mig_devices is None:
        return ""
    import yaml  # what only names a construct need not load it

    text: str = yaml.safe_dump(mig_parted_config(nodes), sort_keys=False)
    return text


def partitioner(settings: DevicePluginSettings) -> dict[str, Any]:
    """The init container.

    Privileged, because the kernel module lets nobody else change a card's partitions. The nodes that stand for partitions have to be made in
    the host's /dev, or the container runtime, which looks there, hands a pod a partition that it can't open
    (kubernetes-sigs/dra-driver-nvidia-gpu#787).
    """
    # The image's own, as it is made for this: kept when the image is another.
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
    }


def volumes() -> list[dict[str, Any]]:
    """What the init container reads and writes of the host."""
    return [
        {"name": "host-sys", "hostPath": {"path": "/sys", "type": "Directory"}},
        {"name": "nvidia-caps", "hostPath": {"path": _CAPABILITIES, "type": "DirectoryOrCreate"}},
    ]
