"""The device plugin's config file, which the plugin, GPU feature discovery and the MPS daemon read.

https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0/api/config/v1
"""

from __future__ import annotations

from typing import Any

from ...nodes.gpu_nodes import GpuNodes
from ...nodes.mig import layouts_of
from ...upstream.nvidia.gpu_resources import GPU_RESOURCE, mig_resource
from ...upstream.nvidia.plugin_words import MigStrategy


def device_plugin_config(nodes: GpuNodes) -> dict[str, Any]:
    """The config file for these nodes: the MIG strategy, and how GPUs are shared.

    `migStrategy` is always written, because the plugin may run without SYS_ADMIN only where its strategy is known to be
    `none`.
    """
    config: dict[str, Any] = {"version": "v1", "flags": {"migStrategy": str(nodes.mig_strategy)}}
    sharing = nodes.sharing
    if sharing is not None:
        config["sharing"] = {
            sharing.config_key: {
                "renameByDefault": sharing.rename_by_default,
                "failRequestsGreaterThanOne": sharing.fail_requests_greater_than_one,
                "resources": [{"name": name, "replicas": sharing.replicas} for name in _shared(nodes)],
            }
        }
    return config


def _shared(nodes: GpuNodes) -> list[str]:
    """The shared resources by their names before `renameByDefault`, which appends `.shared` to the advertised name."""
    if nodes.mig_strategy != MigStrategy.MIXED:
        return [GPU_RESOURCE]
    partitions = [mig_resource(profile) for profile in nodes.mig_profiles]
    return partitions if all(layouts_of(nodes.mig_devices)) else [GPU_RESOURCE, *partitions]


def device_plugin_config_text(nodes: GpuNodes) -> str:
    """The text of the config file."""
    from ...yaml.block import block  # deferred: importing a construct does not need it

    return "".join(f"{line}\n" for line in block(device_plugin_config(nodes), dash=0))


def checksum(text: str) -> str:
    """A checksum for a pod annotation: the plugin reads its file at start, and a change rolls its pods out."""
    import hashlib  # three milliseconds, for OpenSSL

    return hashlib.sha256(text.encode()).hexdigest()
