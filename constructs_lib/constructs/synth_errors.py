"""One exception with the errors alone, in place of the long chain in which jsii reports a validation that fails."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from constructs import IConstruct

from ..arguments.patterns import pattern

_Result = TypeVar("_Result")

_FAILED = "Validation failed with the following errors:"
# cdk8s puts the path of the validated construct before each error. The errors of the checks and of `mirror` name the
# path of the object.
_PATH = pattern(r"^\[[^\]]*\] (?=TG\d{3} \[|mirror(:| \[))")


class TalosGpuError(ValueError):
    """The errors that stop the synth of an app with `attach` or `mirror`, as `errors`: what the checks and the
    validations of constructs found.

    Example:
        >>> print(TalosGpuError(["TG045 [ai/ollama] nvidia.com/gpu: 0.5 is not a whole number of GPUs; fix: …"]))
        1 error in this app:
        TG045 [ai/ollama] nvidia.com/gpu: 0.5 is not a whole number of GPUs; fix: …
    """

    # A traceback then prints the name by which the error is imported.
    __module__ = __name__.partition(".")[0]

    def __init__(self, errors: list[str]) -> None:
        super().__init__(errors)
        self.errors = tuple(errors)

    def __str__(self) -> str:
        number = f"{len(self.errors)} error{'' if len(self.errors) == 1 else 's'}"
        return "\n".join([f"{number} in this app:", *self.errors])


def shorten_errors(app: IConstruct) -> None:
    """Make `synth()` and `synth_yaml()` of this app raise a `TalosGpuError` where a validation fails, and the warning
    where a warning is an error."""
    for name in ("synth", "synth_yaml"):
        if name not in vars(app):
            setattr(app, name, _shortened(getattr(app, name)))


def _shortened(synthesize: Callable[..., _Result]) -> Callable[..., _Result]:
    @functools.wraps(synthesize)
    def synth(*args: Any, **kwargs: Any) -> _Result:
        try:
            return synthesize(*args, **kwargs)
        except RuntimeError as error:
            errors = _errors_of(error)
            if not errors:
                raise
        raise TalosGpuError(errors)

    return synth


def _errors_of(error: RuntimeError) -> list[str]:
    """The errors of the validations; none for a synth that fails in another way."""
    first, *lines = str(error).splitlines()
    return [_PATH.sub("", line.strip()) for line in lines if line.strip()] if first.endswith(_FAILED) else []
