"""`TalosGpuWarning`, and the way to raise it at the line of the user's own code."""

from __future__ import annotations

import sys
import warnings


class TalosGpuWarning(UserWarning):
    """What Kubernetes accepts and Talos, with an NVIDIA GPU, makes something else of than its author meant.

    Nothing is raised, because the manifest is legal; `warnings.simplefilter("error", TalosGpuWarning)` makes it an error in CI.
    """


def warn(message: str) -> None:
    """Warn from the line of the user's own code: past our frames, jsii's and `dataclasses.replace`'s when something is made, and cdk8s' when a
    synth asks us.
    """
    level, frame = 2, sys._getframe(1)  # noqa: SLF001  # the only way to the caller's frame
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in {"constructs_lib", "jsii", "cdk8s", "attr"}:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, TalosGpuWarning, stacklevel=level)
