"""The objects beside a workload as a construct in the workload's scope, and the functions that make them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from cdk8s import ApiObject
from constructs import IValidation

from .._arguments.errors import wrong_kind
from ..manifests.objects import MAIN, Manifests
from ..manifests.part_settings import PartSettings
from ._emit import GpuConstruct
from ._registry import announce

_P = ParamSpec("_P")
_S = TypeVar("_S", bound=PartSettings)


class WorkloadPart(GpuConstruct, PartSettings):
    """The constructs that `expose`, `scrape`, `isolate` and `autoscale` return: their arguments as attributes, and `resource`, the main `ApiObject`."""

    def __init__(self, verb: str, settings: PartSettings, build: Callable[[], Manifests]) -> None:
        self._maker = verb
        workload = settings.workload
        if not isinstance(workload, GpuConstruct):
            raise wrong_kind("workload", "a GpuWorkload or a Companion", workload, "its settings alone have no place in an app")
        manifests = build()
        place = f"{workload.node.id}-{manifests[MAIN]['kind']}-{manifests[MAIN]['metadata']['name']}".lower()
        super().__init__(workload.scope, place, settings, manifests)
        announce(workload.scope, verb, settings)

    @property
    def resource(self) -> ApiObject:
        """The main object."""
        return self._objects[MAIN]


def beside(
    settings: Callable[_P, _S], validation: Callable[[_S], IValidation | None] = lambda _: None
) -> Callable[[Callable[[_S], Manifests]], Callable[_P, WorkloadPart]]:
    """Make of a function of settings one that takes the arguments of the settings, and makes the objects beside the workload.

    `validation` gives what is to be checked at the synth, where later constructs can contradict.
    """

    def wrap(build: Callable[[_S], Manifests]) -> Callable[_P, WorkloadPart]:
        @functools.wraps(build)
        def with_arguments(*args: _P.args, **kwargs: _P.kwargs) -> WorkloadPart:
            checked = settings(*args, **kwargs)
            part = WorkloadPart(build.__name__, checked, lambda: build(checked))
            if (at_synth := validation(checked)) is not None:
                part.node.add_validation(at_synth)
            return part

        arguments = inspect.signature(settings).parameters.values()
        with_arguments.__signature__ = inspect.Signature(list(arguments), return_annotation=WorkloadPart)  # type: ignore[attr-defined]
        return with_arguments

    return wrap
