"""Checks of strings, numbers, lists and mappings. Each returns the value that it accepted, so that it can be used where the value is."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from ..upstream.choice import Choice
from .errors import Phrase, wrong, wrong_kind
from .spelling import did_you_mean

_T = TypeVar("_T")
_C = TypeVar("_C", bound=Choice)


def choice(argument: str, value: object, kind: type[_C]) -> _C:
    """A member of `kind`, from the member or its string."""
    if isinstance(value, kind):
        return value
    values = [str(member) for member in kind]
    rule = "one of " + ", ".join(f"'{known}'" for known in values)
    if not isinstance(value, str):
        raise wrong_kind(argument, rule, value)
    try:
        return kind(value)
    except ValueError:
        raise wrong(argument, rule, str(value), did_you_mean(str(value), values)) from None


def instance(argument: str, value: _T, kind: Any, rule: str, hint: str | Phrase = "") -> _T:
    """A value of a class of ours."""
    if not isinstance(value, kind):
        raise wrong_kind(argument, rule, value, hint)
    return value


def whole_number(argument: str, value: object, minimum: int = 1, maximum: int | None = None, hint: str | Phrase = "") -> int:
    """An `int` in range; a bool is no number, and a fraction is never rounded."""
    rule = f"a whole number of at least {minimum}" if maximum is None else f"a whole number from {minimum} to {maximum}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_kind(argument, rule, value, hint)
    if isinstance(value, float) or value < minimum or (maximum is not None and value > maximum):
        raise wrong(argument, rule, value, hint)
    return value


def flag(argument: str, value: object) -> bool:
    """True or False; not the string "false", which Python would take for true."""
    if not isinstance(value, bool):
        raise wrong_kind(argument, "True or False", value)
    return value


def text(argument: str, value: object, rule: str = "a string that is not empty", hint: str | Phrase = "") -> str:
    """A string with something in it."""
    if not isinstance(value, str):
        raise wrong_kind(argument, rule, value, hint)
    if not value.strip():
        raise wrong(argument, rule, value, hint)
    return value


def texts(argument: str, value: object) -> list[str]:
    """A list of strings, as Kubernetes wants `command` and `args`; a bare string would become a list of its letters."""
    if isinstance(value, str):
        raise wrong_kind(argument, "a list of strings", value, f"did you mean {_words(value)!r}?")
    if not isinstance(value, list | tuple):
        raise wrong_kind(argument, "a list of strings", value)
    for item in value:
        if not isinstance(item, str):
            raise wrong_kind(argument, "a list of strings", value, f"{item!r} is not a string")
    return list(value)


def _words(line: str) -> list[str]:
    import shlex  # what goes well never needs it

    try:
        return shlex.split(line)
    except ValueError:  # a quote without its other half
        return [line]


def mapping(argument: str, value: object, rule: str = "a mapping") -> dict[str, Any]:
    """A mapping with strings for keys, as a dict of our own."""
    if not isinstance(value, Mapping):
        raise wrong_kind(argument, rule, value)
    for key in value:
        if not isinstance(key, str):
            raise wrong_kind(argument, rule, value, f"the key {key!r} is not a string")
    return dict(value)


def plain_mapping(argument: str, value: object, rule: str = "a mapping") -> dict[str, Any]:
    """A mapping of what JSON has, however deep: jsii stops in the middle of an object at anything else, and its kernel dies of a NaN."""
    found = mapping(argument, value, rule)
    for key, item in found.items():
        _check_plain(argument, key, item)
    return found


def _check_plain(argument: str, path: str, value: object) -> None:
    name = f"{argument}[{path}]"
    if isinstance(value, Mapping):
        for key, item in mapping(name, value).items():
            _check_plain(argument, f"{path}.{key}", item)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _check_plain(argument, f"{path}.{index}", item)
    elif isinstance(value, float) and (value != value or abs(value) == float("inf")):  # noqa: PLR0124  # what NaN is known by
        raise wrong(name, "a number that JSON has", value)
    elif not isinstance(value, str | int | float | None):
        # What YAML makes of an unquoted date.
        hint = f"did you mean '{value}'?" if hasattr(value, "isoformat") else ""
        raise wrong_kind(name, "a string, a number, True, False, None, a list or a mapping", value, hint)


def given(value: Mapping[str, _T] | None) -> Mapping[str, _T]:
    """A mapping that may be left out; anything else is passed on to be checked, an empty list too."""
    return {} if value is None else value


def frozen(value: Any) -> Any:
    """What JSON has, so that nobody can change it: mappings as proxies, lists as tuples."""
    if isinstance(value, Mapping):
        return MappingProxyType({key: frozen(item) for key, item in value.items()})
    return tuple(frozen(item) for item in value) if isinstance(value, list | tuple) else value
