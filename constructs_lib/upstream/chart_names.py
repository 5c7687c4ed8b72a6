"""Charts by the one name that rules know them by, whatever a repository or a mirror calls them."""

from __future__ import annotations

GPU_OPERATOR = "gpu-operator"
DEVICE_PLUGIN = "nvidia-device-plugin"
DCGM_EXPORTER = "dcgm-exporter"
DRA_DRIVER = "dra-driver-nvidia-gpu"
NODE_FEATURE_DISCOVERY = "node-feature-discovery"
FEATURE_DISCOVERY = "gpu-feature-discovery"

_ALIASES = {
    "nvidia-gpu-operator": GPU_OPERATOR,
    "k8s-device-plugin": DEVICE_PLUGIN,
    "nvdp": DEVICE_PLUGIN,
    "nvidia-k8s-device-plugin": DEVICE_PLUGIN,
    "nvidia-dcgm-exporter": DCGM_EXPORTER,
    "nvidia-dra-driver-gpu": DRA_DRIVER,
    "nvidia-dra-driver": DRA_DRIVER,
    "k8s-dra-driver-gpu": DRA_DRIVER,
    "k8s-dra-driver": DRA_DRIVER,
    "nfd": NODE_FEATURE_DISCOVERY,
    "nvgfd": FEATURE_DISCOVERY,
    "nvidia-gpu-feature-discovery": FEATURE_DISCOVERY,
}


KNOWN = (GPU_OPERATOR, DEVICE_PLUGIN, DCGM_EXPORTER, DRA_DRIVER, NODE_FEATURE_DISCOVERY, FEATURE_DISCOVERY)
"""The charts of which more is judged than the pods in their values."""


def chart_name(written: str) -> str:
    """The chart behind a name, a path or an OCI address: its last part, and the name that upstream gives it now."""
    last = written.rstrip("/").rsplit("/", 1)[-1].partition("@")[0].partition(":")[0].removesuffix(".tgz")
    return _ALIASES.get(last, last)
