"""The arguments of a part or a value, with the types of what users may give, as the signatures tell type checkers."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import attrs

from ..manifests.charts.delivery import ArgoCd, Delivery, Flux, HelmTemplate
from ..manifests.volumes.sources import ConfigMapFiles, Empty, ExistingClaim, HostPath, Memory, Nfs, OciImage, SecretFiles
from ..manifests.volumes.volume import Persistent, Volume
from ..manifests.workload.container_values import ConfigMapKey, ExecProbe, HttpProbe, Probe, SecretKey, TcpProbe
from ..manifests.workload.settings import WorkloadSettings
from ..nodes.gpu_nodes import GpuNodes

KINDS: Mapping[type, tuple[type, ...]] = {
    Delivery: (ArgoCd, Flux, HelmTemplate),
    Probe: (ExecProbe, HttpProbe, TcpProbe),
    Volume: (ConfigMapFiles, Empty, ExistingClaim, HostPath, Memory, Nfs, OciImage, Persistent, SecretFiles),
}
"""The values of each abstract class."""

# The names that modules import for type checkers alone.
_NAMES = {"Volume": Volume, "Probe": Probe, "SecretKey": SecretKey, "Env": Mapping[str, str | SecretKey | ConfigMapKey]}


class ArgumentType(NamedTuple):
    """An argument: its type for users, whether it must be given, and whether it may be given by its position."""

    hint: Any
    is_required: bool
    is_positional: bool = False


@functools.cache
def arguments_of(owner: Any) -> Mapping[str, ArgumentType]:
    """The arguments of a class of settings or of a value, by their names in a call."""
    return {
        field.alias: ArgumentType(_hint(owner, field), field.default is attrs.NOTHING, not field.kw_only)
        for field in attrs.fields(owner)
        if field.init
    }


def _hint(owner: type, field: attrs.Attribute[Any]) -> Any:
    """The type of what users give: that of the parameter of the converter, or of the field without a converter."""
    converter: Any = field.converter
    if converter is None:
        return _of_field(owner, field.name)
    function = converter.func if isinstance(converter, functools.partial) else converter
    return _of_function(function)


@functools.cache
def _of_function(function: Any) -> Any:
    return get_type_hints(function, localns=_NAMES)[next(iter(inspect.signature(function).parameters))]


@functools.cache
def _of_field(owner: type, name: str) -> Any:
    home = next(each for each in owner.__mro__ if name in vars(each).get("__annotations__", {}))
    module = inspect.getmodule(home)
    names = {**vars(module), **_deferred()}
    return get_type_hints(types.SimpleNamespace(__annotations__={name: vars(home)["__annotations__"][name]}), names)[name]


@functools.cache
def _deferred() -> dict[str, Any]:
    from ..nodes.dra import Dra
    from ..nodes.passthrough import Passthrough
    from ..nodes.sharing import Mps, TimeSlicing

    return {"Dra": Dra, "Passthrough": Passthrough, "TimeSlicing": TimeSlicing, "Mps": Mps}


def alternatives(hint: Any) -> Iterator[Any]:
    """The alternatives of a union; the type itself where it is none."""
    if get_origin(hint) in (Union, types.UnionType):
        for each in get_args(hint):
            yield from alternatives(each)
    else:
        yield hint


def value_classes(hint: Any) -> dict[str, type]:
    """The classes of values that an argument takes, by their names; without those inside of lists and mappings."""
    classes: dict[str, type] = {}
    for each in alternatives(hint):
        for one in KINDS.get(each, (each,)) if isinstance(each, type) else ():
            if attrs.has(one) and one not in (GpuNodes, WorkloadSettings) and not issubclass(one, WorkloadSettings):
                classes[one.__name__] = one
    return classes
