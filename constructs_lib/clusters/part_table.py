"""The table of all parts, by the names under which users write them: those of the constructs and functions of the
face."""

from __future__ import annotations

import functools
from importlib import import_module
from typing import Any

from .part import Part
from .recipe_parts import RECIPE_NAMES, recipe_part_of

_HOMES = {
    "agent_parts": {
        "DcgmExporter": "DCGM_EXPORTER",
        "GpuClaim": "GPU_CLAIM",
        "NvidiaRuntimeClass": "NVIDIA_RUNTIME_CLASS",
        "PrivilegedNamespace": "PRIVILEGED_NAMESPACE",
        "StandaloneDevicePlugin": "STANDALONE_DEVICE_PLUGIN",
        "ValidationBridge": "VALIDATION_BRIDGE",
    },
    "chart_parts": {
        "DraDriver": "DRA_DRIVER_PART",
        "NodeFeatureDiscovery": "NODE_FEATURE_DISCOVERY_PART",
        "NvidiaGpuOperator": "NVIDIA_GPU_OPERATOR",
    },
    "monitoring_parts": {"GpuAlerts": "GPU_ALERTS", "GpuDashboard": "GPU_DASHBOARD"},
    "quota_parts": {"GpuGang": "GPU_GANG", "GpuQuota": "GPU_QUOTA", "KueueQueue": "KUEUE_QUEUE"},
    "side_parts": {"autoscale": "AUTOSCALE", "expose": "EXPOSE", "isolate": "ISOLATE", "scrape": "SCRAPE"},
    "stack_part": {"GpuStack": "GPU_STACK"},
    "workload_parts": {"Companion": "COMPANION", "GpuWorkload": "GPU_WORKLOAD", "OpenWebUI": "OPEN_WEB_UI"},
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
