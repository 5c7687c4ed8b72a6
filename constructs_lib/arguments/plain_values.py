"""Checks of strings, numbers, lists and mappings. A check returns the accepted value, so that the call can stand in
place of the value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from ..upstream.choice import Choice
from .errors import Phrase, wrong, wrong_kind
from .spelling import did_you_mean

LARGEST_INT32 = 2**31 - 1
LARGEST_EXACT = 2**53
"""The largest whole number that JavaScript, and so jsii, keeps exactly.

Source: https://tc39.es/ecma262/#sec-number.max_safe_integer (2026-11-22)
"""
# Patterns are strings: re compiles a pattern at its first use, and few texts need one.
# Characters that cdk8s writes as they are, and Kubernetes' reader of YAML refuses or takes for the end of a line.
_UNWRITABLE = "[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]"
# A number to Kubernetes (YAML 1.2), and a string without quotes to cdk8s (YAML 1.1).
_OCTAL = "[-+]?0[oO][0-7]+"
# jsii's kernel fails at the first key. cdk8s writes the second one without quotes, as YAML's key for a merge.
_RESERVED_KEYS = {"__proto__", "<<"}
EMPTY: Mapping[str, Any] = MappingProxyType({})
"""The one mapping of every argument that is left out: most are, and jsii keeps each construct for ever."""
_T = TypeVar("_T")
_C = TypeVar("_C", bound=Choice)


def choice(argument: str, value: object, kind: type[_C], others: Mapping[str, str] = EMPTY) -> _C:
    """A member of `kind`, from the member or its string. `others` has a hint for each word that is no member and that
    users try."""
    if isinstance(value, kind):
        return value
    values = [str(member) for member in kind]
    rule = "one of " + ", ".join(f"'{known}'" for known in values)
    if not isinstance(value, str):
        raise wrong_kind(argument, rule, value)
    try:
        return kind(value)
    except ValueError:
        raise wrong(argument, rule, str(value), others.get(value, "") or did_you_mean(value, values)) from None


def instance(argument: str, value: _T, kind: Any, rule: str, hint: str | Phrase = "") -> _T:
    """A value of a class of this library."""
    if not isinstance(value, kind):
        raise wrong_kind(argument, rule, value, hint)
    return value


def whole_number(argument: str, value: object, minimum: int = 1, maximum: int | None = None, hint: str | Phrase = "") -> int:
    """An `int` in the range, whose upper end is that of Kubernetes' int32. A bool is no number, and a fraction is not
    rounded."""
    is_large = maximum is None and isinstance(value, int) and value > LARGEST_INT32
    largest = LARGEST_INT32 if is_large else maximum
    rule = f"a whole number of at least {minimum}" if largest is None else f"a whole number from {minimum} to {largest}"
    is_int = isinstance(value, int) and not isinstance(value, bool)
    if isinstance(value, int) and is_int and minimum <= value and (largest is None or value <= largest):
        return value
    from .meant import meant, number_meant  # deferred: only an error needs it

    number = None if is_int else number_meant(value)
    if number is not None and minimum <= number and (largest is None or number <= largest):
        hint = meant(number)
    is_number = is_int or isinstance(value, float)
    raise (wrong if is_number else wrong_kind)(argument, rule, value, hint)


def flag(argument: str, value: object, hint: str = "") -> bool:
    """True or False. The string "false" is refused: Python takes every non-empty string as true."""
    if not isinstance(value, bool):
        from .meant import flag_meant  # deferred: only an error needs it

        raise wrong_kind(argument, "True or False", value, hint or flag_meant(value))
    return value


def text(argument: str, value: object, rule: str = "a string that is not empty", hint: str | Phrase = "") -> str:
    """A string that is not blank."""
    if not isinstance(value, str):
        from .meant import text_meant  # deferred: only an error needs it

        raise wrong_kind(argument, rule, value, hint or text_meant(value))
    if not value.strip():
        raise wrong(argument, rule, value, hint)
    return writable(argument, value)


def writable(argument: str, value: str) -> str:
    """A string that Kubernetes reads from cdk8s' YAML as it was given."""
    if not value.isprintable() and (found := re.search(_UNWRITABLE, value)):
        raise wrong(argument, "text that YAML can hold", value, f"YAML has no U+{ord(found[0]):04X}")
    if ("0o" in value[:3] or "0O" in value[:3]) and re.fullmatch(_OCTAL, value):
        number = int(value.lower().replace("o", ""), 8)
        raise wrong(argument, "a string that is no octal number", value, f"cdk8s writes it without quotes, and Kubernetes reads {number}")
    return value


def texts(argument: str, value: object) -> list[str]:
    """A list of strings, such as `command` and `args`. A plain string is refused: Python would split the string into
    letters."""
    if isinstance(value, str):
        raise wrong_kind(argument, "a list of strings", value, f"did you mean {words_of(value)!r}?")
    if not isinstance(value, list | tuple):
        raise wrong_kind(argument, "a list of strings", value)
    for number, item in enumerate(value):
        if not isinstance(item, str):
            from .meant import of_object  # deferred: only an error needs it

            raise wrong_kind(argument, "a list of strings", value, of_object(item) or f"item {number} is not a string")
        writable(argument, item)
    return list(value)


def ordered(argument: str, value: object, rule: str, hint: str | Phrase = "") -> tuple[Any, ...]:
    """The items of a list or of another iterable with an order. Of a set each process would write another order into
    the manifests."""
    if isinstance(value, set | frozenset):
        raise wrong_kind(argument, rule, value, "a set has no order; give a list")
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise wrong_kind(argument, rule, value, hint)
    return tuple(value)


def words_of(line: str) -> list[str]:
    """The words of a command line, for a hint."""
    import shlex  # only an error needs shlex

    try:
        return shlex.split(line)
    except ValueError:  # an unclosed quote
        return [line]


def mapping(argument: str, value: object, rule: str = "a mapping") -> dict[str, Any]:
    """A mapping whose keys are strings, copied into a new dict."""
    if not isinstance(value, Mapping):
        raise wrong_kind(argument, rule, value)
    for key in value:
        if not isinstance(key, str):
            raise wrong_kind(argument, rule, value, f"the key {key!r} is not a string")
        writable(argument, key)
        if key in _RESERVED_KEYS:
            raise wrong(argument, f"without the key '{key}'", value, "jsii and cdk8s can't write this key")
    return dict(value)


def plain_mapping(argument: str, value: object, rule: str = "a mapping") -> dict[str, Any]:
    """A mapping of JSON values, at every depth. jsii drops the rest of an object at any other value, and its kernel
    crashes at a NaN."""
    checked = mapping(argument, value, rule)
    for key, item in checked.items():
        _check_plain(argument, key, item)
    return checked


def _check_plain(argument: str, path: str, value: object) -> None:
    name = f"{argument}[{path}]"
    if isinstance(value, Mapping):
        for key, item in mapping(name, value).items():
            _check_plain(argument, f"{path}.{key}", item)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _check_plain(argument, f"{path}.{index}", item)
    elif isinstance(value, str):
        writable(name, value)
    elif isinstance(value, int) and abs(value) > LARGEST_EXACT:
        raise wrong(name, f"a whole number from -{LARGEST_EXACT} to {LARGEST_EXACT}", value, "jsii would round it; write it as a string")
    elif isinstance(value, float) and (value != value or abs(value) == float("inf")):  # noqa: PLR0124  # only NaN differs from itself
        raise wrong(name, "a number that JSON can hold", value)
    elif not isinstance(value, int | float | None):
        # YAML reads an unquoted date as a date object.
        hint = f"did you mean '{value}'?" if hasattr(value, "isoformat") else ""
        raise wrong_kind(name, "a string, a number, True, False, None, a list or a mapping", value, hint)


def given(value: Mapping[str, _T] | None) -> Mapping[str, _T]:
    """An empty mapping for None; every other value unchanged, so that a check sees it, also an empty list."""
    return {} if value is None else value


def frozen(value: Any) -> Any:
    """A JSON value in an immutable form: a mapping proxy for a mapping, a tuple for a list."""
    if isinstance(value, Mapping):
        return MappingProxyType({key: frozen(item) for key, item in value.items()})
    return tuple(frozen(item) for item in value) if isinstance(value, list | tuple) else value
