"""The versions of the gpu-operator chart that each generation of Talos can run."""

from __future__ import annotations

from ...arguments.errors import wrong
from ...nodes.talos_version import TalosVersion
from ...upstream.charts import GPU_OPERATOR, gpu_operator_chart
from ...upstream.talos.generations import CDI, NRI, Generation
from ...upstream.version import Version
from ..charts.user_values import chart_version

_DEFAULTS = {
    Generation.LEGACY: gpu_operator_chart.LEGACY,
    Generation.CDI: GPU_OPERATOR.default_version,
    Generation.NRI: GPU_OPERATOR.default_version,
}
OLDEST = {
    Generation.LEGACY: (GPU_OPERATOR.oldest, "older charts have other values"),
    Generation.CDI: (
        CDI.operator,
        "older operators can't read Talos' OS version, or don't find the driver under /usr/local",
    ),
    Generation.NRI: (NRI.operator, "older operators mount more than the NRI socket, and Talos' root is read-only"),
}
"""The oldest version that works on each generation, and the reason."""


def operator_version(value: str | None, talos: TalosVersion) -> Version:
    """The version to install on this Talos: the given one if it works there, else the generation's default."""
    version = chart_version(GPU_OPERATOR, _DEFAULTS[talos.generation] if value is None else value)
    written = f"v{version}"
    if written in gpu_operator_chart.BROKEN:
        raise wrong("version", "one that works on Talos, such as 'v26.3.3'", written, gpu_operator_chart.BROKEN[written])
    oldest, hint = OLDEST[talos.generation]
    if version < chart_version(GPU_OPERATOR, oldest):
        raise wrong("version", f"at least '{oldest}' on Talos {talos}", written, hint)
    return version
