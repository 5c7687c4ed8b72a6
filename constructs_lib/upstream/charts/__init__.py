"""The charts that this library knows: each in a module of its own, with its keys, defaults and versions."""

from __future__ import annotations

from .chart import Chart, UnreadKey
from .dcgm_exporter_chart import DCGM_EXPORTER
from .device_plugin_chart import DEVICE_PLUGIN, FEATURE_DISCOVERY
from .dra_driver_chart import DRA_DRIVER
from .gpu_operator_chart import GPU_OPERATOR
from .nfd_chart import NODE_FEATURE_DISCOVERY

__all__ = [
    "CHARTS",
    "DCGM_EXPORTER",
    "DEVICE_PLUGIN",
    "DRA_DRIVER",
    "FEATURE_DISCOVERY",
    "GPU_OPERATOR",
    "NODE_FEATURE_DISCOVERY",
    "Chart",
    "UnreadKey",
    "chart_name",
]

_ALL = (GPU_OPERATOR, DEVICE_PLUGIN, DCGM_EXPORTER, DRA_DRIVER, NODE_FEATURE_DISCOVERY, FEATURE_DISCOVERY)
CHARTS: dict[str, Chart] = {chart.name: chart for chart in _ALL}
"""Every known chart, by its name. Of other charts, only the pods in their values are known."""

_NAMES = {alias: chart.name for chart in _ALL for alias in chart.aliases}


def chart_name(written: str) -> str:
    """The current name of the chart in a name, a path or an OCI address, from its last part."""
    last = written.rstrip("/").rsplit("/", 1)[-1].partition("@")[0].partition(":")[0].removesuffix(".tgz")
    return _NAMES.get(last, last)
