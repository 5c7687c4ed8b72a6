"""The words by which credentials are recognised, and the variables and annotations that are read. Python and the awk of `--collect` share these patterns."""

from __future__ import annotations

from ..upstream.charts.device_plugin_chart import CONTAINER_DRIVER_ROOT_VARIABLES
from ..upstream.plugin_words import SPELLINGS

INNER_WORDS = "token|passw|passphrase|secret|credential|[_-]key|(api|access|account|auth|client|encryption|license|master|private|session|shared|signing|ssh|storage)key"
"""Words in the name of a credential, whatever follows them in the name."""

LAST_WORDS = "pass|pwd|session|session[_-]?id|cookie|signature|(^|[^a-z])(auth|sig)|--?license"
"""Words at the end of the name of a credential. With other letters after them they mean something else: `passed`, `authors`."""

MAKERS = r"hf_|nvapi-|sk-|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|xapp-|ya29[.]|AIza|AKIA|AGE-SECRET-KEY-1|eyJ"
"""The first characters of tokens that name their maker; `eyJ` is the start of a JSON Web Token."""

_PLUGIN_VARIABLES = sorted({each for spelling in SPELLINGS.values() for each in spelling.variables} | {*CONTAINER_DRIVER_ROOT_VARIABLES})
READ_VARIABLES = f"(NVIDIA|CUDA|DCGM|NCCL|CDI)_[A-Z0-9_]*|LD_LIBRARY_PATH|{'|'.join(_PLUGIN_VARIABLES)}"
"""The names of the variables whose values are read. The value of every other variable may be a credential."""

READ_ANNOTATIONS = r"talos-gpu/[A-Za-z0-9-]*|helm[.]sh/hook|kubeflow-resource-stopped|argocd[.]argoproj[.]io/compare-options|extensions[.]talos[.]dev/schematic"
"""The annotations that are read. Every other one may have a credential, or a copy of the object."""
