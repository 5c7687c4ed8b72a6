"""The variables and annotations that the doctor reads. Python and the awk of `--collect` share these patterns."""

from __future__ import annotations

from ..upstream.charts.device_plugin_chart import CONTAINER_DRIVER_ROOT_VARIABLES
from ..upstream.nvidia.plugin_words import SPELLINGS

_PLUGIN_VARIABLES = sorted({each for spelling in SPELLINGS.values() for each in spelling.variables} | {*CONTAINER_DRIVER_ROOT_VARIABLES})
READ_VARIABLES = f"(NVIDIA|CUDA|DCGM|NCCL|CDI)_[A-Z0-9_]*|LD_LIBRARY_PATH|{'|'.join(_PLUGIN_VARIABLES)}"
"""The names of the variables whose values are read. The value of every other variable may be a credential."""

READ_ANNOTATIONS = r"talos-gpu/[A-Za-z0-9-]*|helm[.]sh/hook|kubeflow-resource-stopped|argocd[.]argoproj[.]io/compare-options|extensions[.]talos[.]dev/schematic"
"""The annotations that are read. Every other one may have a credential, or a copy of the object."""
