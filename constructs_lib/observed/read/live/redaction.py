"""Values that a dump never holds: credentials, and the variables and annotations that nobody reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....arguments.credentials.names import HIDDEN, is_credential
from ....arguments.credentials.places import in_list, in_mapping, is_secret
from ....arguments.patterns import pattern
from ....upstream.charts.device_plugin_chart import CONTAINER_DRIVER_ROOT_VARIABLES
from ....upstream.nvidia.plugin_words import SPELLINGS

_PLUGIN_VARIABLES = sorted({each for spelling in SPELLINGS.values() for each in spelling.variables} | {*CONTAINER_DRIVER_ROOT_VARIABLES})
READ_VARIABLES = f"(NVIDIA|CUDA|DCGM|NCCL|CDI)_[A-Z0-9_]*|LD_LIBRARY_PATH|{'|'.join(_PLUGIN_VARIABLES)}"
"""The names of the variables whose values are read. The value of every other variable may be a credential."""

READ_ANNOTATIONS = r"talos-gpu/[A-Za-z0-9-]*|helm[.]sh/hook|kubeflow-resource-stopped|argocd[.]argoproj[.]io/compare-options|extensions[.]talos[.]dev/schematic"
"""The annotations that are read. Every other one may have a credential, or a copy of the object."""

_READ_VARIABLE = pattern(READ_VARIABLES)
_READ_ANNOTATION = pattern(READ_ANNOTATIONS)


def hide(body: Any) -> Any:
    """The value without what may be a credential: variables and annotations that nobody reads, flags of commands,
    tokens. The value is changed in place.

    A variable whose value is left out has a value from elsewhere, so that no rule takes other words for the value.
    """
    pending = [body]
    while pending:
        value = pending.pop()
        _HIDERS.get(type(value), _hide_nothing)(value, pending)
    return body


def _hide_entries(entries: dict[Any, Any], pending: list[Any]) -> None:
    entries.pop("managedFields", None)
    if isinstance(notes := entries.get("annotations"), dict):
        entries["annotations"] = {key: value for key, value in notes.items() if _READ_ANNOTATION.fullmatch(f"{key}")}
    if is_secret(entries):
        entries.update({key: dict.fromkeys(entries[key], HIDDEN) for key in ("data", "stringData") if isinstance(entries.get(key), dict)})
    entries.update(list(in_mapping(entries)))
    if "value" in entries and isinstance(name := entries.get("name"), str) and not is_read(name):
        del entries["value"]
        entries["valueFrom"] = {}
    pending += [value for value in entries.values() if type(value) in _HIDERS]


def is_read(variable: str) -> bool:
    """Whether the value of a variable is kept: it is read, and its name is not that of a credential."""
    return _READ_VARIABLE.fullmatch(variable) is not None and not is_credential(variable)


def _hide_items(items: list[Any], pending: list[Any]) -> None:
    for index, shown in list(in_list(items)):
        items[index] = shown
    pending += [value for value in items if type(value) in _HIDERS]


def _hide_nothing(value: Any, pending: list[Any]) -> None:
    """A number, or another value that is no list and no mapping."""


_HIDERS: dict[type, Callable[[Any, list[Any]], None]] = {dict: _hide_entries, list: _hide_items}
