"""The objects beside a workload as a construct in the workload's scope, and the functions that make them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from cdk8s import ApiObject

from ..arguments.errors import wrong_kind
from ..clusters.part import Part
from ..clusters.side_parts import id_beside
from ..manifests.objects import MAIN
from ..manifests.workload.part_settings import PartSettings
from ._emit import GpuConstruct
from ._registry import place_of

_P = ParamSpec("_P")
_S = TypeVar("_S", bound=PartSettings)


class WorkloadPart(GpuConstruct, PartSettings):
    """The constructs that `expose`, `scrape`, `isolate` and `autoscale` return: their arguments as attributes, and
    `resource`, the main `ApiObject`."""

    def __init__(self, part: Part[_P, _S], settings: _S) -> None:
        workload = settings.workload
        if not isinstance(workload, GpuConstruct):
            raise wrong_kind("workload", "a GpuWorkload or a Companion", workload, "its settings alone have no place in an app")
        manifests = part.manifests(place_of(workload.scope), settings)
        super().__init__(workload.scope, id_beside(workload.node.id, manifests), settings, part, manifests)

    @property
    def resource(self) -> ApiObject:
        """The main object."""
        return self._objects[MAIN]


def beside(part: Part[_P, _S]) -> Callable[[Callable[[_S], None]], Callable[_P, WorkloadPart]]:
    """Give a function the arguments of the part's settings; it makes the objects of the part beside the workload. The
    function's own body is empty."""

    def wrap(function: Callable[[_S], None]) -> Callable[_P, WorkloadPart]:
        @functools.wraps(function)
        def with_arguments(*args: _P.args, **kwargs: _P.kwargs) -> WorkloadPart:
            return WorkloadPart(part, part.settings(*args, **kwargs))

        arguments = inspect.signature(part.settings).parameters.values()
        with_arguments.__signature__ = inspect.Signature(list(arguments), return_annotation=WorkloadPart)  # type: ignore[attr-defined]
        return with_arguments

    return wrap
