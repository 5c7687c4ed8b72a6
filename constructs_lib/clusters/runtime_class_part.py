"""The part `NvidiaRuntimeClass`."""

from __future__ import annotations

from ..arguments.errors import wrong
from ..manifests.objects import Manifests
from ..manifests.runtime_class_object import RuntimeClassSettings, runtime_class
from .app_registry import OPERATOR, RUNTIME_CLASS, Place
from .part import Part


def _manifests(place: Place, settings: RuntimeClassSettings) -> Manifests:
    for operator in place.neighbours(OPERATOR):
        if settings.name == operator.runtime_class:
            raise owned_by_operator("name", settings.name, "a RuntimeClass that no NvidiaGpuOperator of this app owns")
    return runtime_class(settings)


def owned_by_operator(argument: str, name: str, rule: str) -> ValueError:
    """The error for a RuntimeClass that has the same name as the RuntimeClass of an operator in the same app."""
    hint = "the operator creates and owns its RuntimeClass; leave NvidiaRuntimeClass out, or give it another name"
    return wrong(argument, rule, name, hint)


NVIDIA_RUNTIME_CLASS = Part("NvidiaRuntimeClass", RuntimeClassSettings, _manifests, lambda settings: [(RUNTIME_CLASS, settings)])
