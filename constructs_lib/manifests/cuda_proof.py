"""The Job of a `CudaSmokeTest`, as pages, `talos-gpu verify` and the recipe know it: by the last line of its log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PASSED = "passed all"
"""The last line of the log where every proof holds."""
SAYS_PASSED = f'echo "{PASSED}"\n'
"""The last line of the script."""


def is_proof(manifest: Mapping[str, Any]) -> bool:
    """Whether an object is a Job whose container runs the script."""
    spec = manifest.get("spec")
    template = spec.get("template") if isinstance(spec, Mapping) else None
    pod = template.get("spec") if isinstance(template, Mapping) else None
    containers = pod.get("containers") if isinstance(pod, Mapping) else None
    commands = (each.get("command") for each in containers or () if isinstance(each, Mapping)) if isinstance(containers, list) else ()
    return manifest.get("kind") == "Job" and any(
        isinstance(each, list) and each and isinstance(each[-1], str) and each[-1].endswith(SAYS_PASSED) for each in commands
    )
