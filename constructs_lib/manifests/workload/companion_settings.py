"""The checked arguments of `Companion`."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from ...arguments.errors import wrong_kind
from ...arguments.fields import named, to_flag
from ...nodes.gpu_nodes import GpuNodes, to_nodes
from .settings import WorkloadSettings


def to_classes(value: GpuNodes | Iterable[GpuNodes] | None, argument: str = "") -> tuple[GpuNodes, ...]:
    """Classes of nodes; one class may stand without a list."""
    if value is None or isinstance(value, GpuNodes):
        return () if value is None else (value,)
    given: object = value
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise wrong_kind(argument, "a GpuNodes, or a list of them", value)
    return tuple(to_nodes(each, f"{argument}[{index}]") for index, each in enumerate(value))


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class CompanionSettings(WorkloadSettings):
    """The checked arguments of `Companion`, which documents each argument."""

    nodes: tuple[GpuNodes, ...] = attrs.field(default=(), converter=to_classes)
    required: bool = attrs.field(default=False, converter=to_flag)
