"""`TalosGpuWarning`, and a function that issues it at the line of the user's code."""

from __future__ import annotations

import sys
import warnings

from .errors import Phrase


class TalosGpuWarning(UserWarning):
    """A configuration that Kubernetes accepts, and that does not do on Talos with an NVIDIA GPU what its author expects.

    The configuration is valid, so this library warns and raises no error. `warnings.simplefilter("error", TalosGpuWarning)` turns the
    warning into an error, for example in CI.
    """

    def __str__(self) -> str:
        return str(self.args[0])


def warn(message: str | Phrase) -> None:
    """Issue a warning at the line of the user's code: the frames of this library, jsii, cdk8s and attrs are skipped."""
    level, frame = 2, sys._getframe(1)  # noqa: SLF001  # the only way to the caller's frame
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in {"constructs_lib", "jsii", "cdk8s", "attr"}:
        level, frame = level + 1, frame.f_back
    warnings.warn(TalosGpuWarning(message), stacklevel=level)
