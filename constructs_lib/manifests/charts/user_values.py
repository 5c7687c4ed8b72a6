"""A user's values for a chart: reading values by path, refusing values that Helm misreads, and finding overridden
values."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ...arguments.errors import wrong, wrong_kind

ABSENT = object()


def at(values: Mapping[str, Any], path: str) -> Any:
    """The value at a dotted path, or ABSENT."""
    value: Any = values
    for key in path.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return ABSENT
        value = value[key]
    return value


def leaves(values: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every value that is not a mapping, by its path."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key), value


def refuse_what_helm_misreads(values: Mapping[str, Any], *, flags: Collection[str] = ()) -> None:
    """Refuse a null, which Helm takes for "remove the default", and anything but a bool under a key in `flags`."""
    for null in _nulls(values):
        hint = "cdk8s drops a null, so the null never reaches the chart; write the value that you want"
        raise wrong("values", "without null", null, hint)
    for path, value in leaves(values):
        if path[-1] in flags and not isinstance(value, bool):
            raise wrong_kind(f"values[{'.'.join(path)}]", "True or False", value, "Helm takes every string for true")


def _nulls(value: object, path: str = "") -> Iterator[str]:
    if value is None:
        yield path.removeprefix(".")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _nulls(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _nulls(item, f"{path}[{index}]")


def overridden(needed: Mapping[str, Any], effective: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Each needed value that is overridden: its path, the needed value, and the value that the chart gets. A longer
    list is no override."""
    for path, wanted in leaves(needed):
        name = ".".join(path)
        got = at(effective, name)
        if not (all(item in got for item in wanted) if isinstance(wanted, list) and isinstance(got, list) else got == wanted):
            yield name, wanted, got
