"""The table of all parts, by the names under which users write them: those of the constructs and functions of the
face."""

from __future__ import annotations

import functools
from importlib import import_module
from typing import Any

from .part import Part
from .recipe_parts import RECIPE_NAMES, recipe_part_of

_HOMES = {
    "alerts_part": {"GpuAlerts": "GPU_ALERTS"},
    "bridge_part": {"ValidationBridge": "VALIDATION_BRIDGE"},
    "claim_part": {"GpuClaim": "GPU_CLAIM"},
    "dashboard_part": {"GpuDashboard": "GPU_DASHBOARD"},
    "device_plugin_part": {"StandaloneDevicePlugin": "STANDALONE_DEVICE_PLUGIN"},
    "discovery_part": {"NodeFeatureDiscovery": "NODE_FEATURE_DISCOVERY_PART"},
    "dra_driver_part": {"DraDriver": "DRA_DRIVER_PART"},
    "exporter_part": {"DcgmExporter": "DCGM_EXPORTER"},
    "gang_part": {"GpuGang": "GPU_GANG"},
    "gpu_operator_part": {"NvidiaGpuOperator": "NVIDIA_GPU_OPERATOR"},
    "namespace_part": {"PrivilegedNamespace": "PRIVILEGED_NAMESPACE"},
    "quota_parts": {"GpuQuota": "GPU_QUOTA", "KueueQueue": "KUEUE_QUEUE"},
    "runtime_class_part": {"NvidiaRuntimeClass": "NVIDIA_RUNTIME_CLASS"},
    "side_parts": {"autoscale": "AUTOSCALE", "expose": "EXPOSE", "isolate": "ISOLATE", "scrape": "SCRAPE"},
    "stack_part": {"GpuStack": "GPU_STACK"},
    "web_front_part": {"OpenWebUI": "OPEN_WEB_UI"},
    "workload_parts": {"Companion": "COMPANION", "GpuWorkload": "GPU_WORKLOAD"},
}

PART_NAMES = tuple(sorted([*RECIPE_NAMES, *(name for home in _HOMES.values() for name in home)]))
"""The name of every part."""

BESIDE_A_WORKLOAD = frozenset(_HOMES["side_parts"])
"""The parts that are made beside a workload, in its chart."""


@functools.cache
def part_of(name: str) -> Part[Any, Any]:
    """The part of a name."""
    if name not in PART_NAMES:
        raise KeyError(name)
    for home, names in _HOMES.items():
        if name in names:
            part: Part[Any, Any] = getattr(import_module(f"{__package__}.{home}"), names[name])
            return part
    return recipe_part_of(name)
