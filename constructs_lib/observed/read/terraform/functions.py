"""Terraform's functions of literal values. A function with unknown arguments has an unknown value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....yaml.located import Map, Place, Seq, opened
from ....yaml.unknown import Unknown
from .values import MOST, Encoded, NoValueError, is_known, is_text, text_in


def call(name: str, arguments: list[Any], place: Place) -> Any:
    """The value of a function with these arguments.

    Raises:
        NoValueError: The function is not known, or refuses the arguments.
    """
    if name in _OF_PARTS:
        return _OF_PARTS[name](arguments, place)
    if name not in _OF_KNOWN or not all(map(is_known, arguments)):
        raise NoValueError
    try:
        return _OF_KNOWN[name](*arguments)
    except (TypeError, ValueError, AttributeError, IndexError, KeyError):
        raise NoValueError from None


def _merge(arguments: list[Any], place: Place) -> Any:
    result = Map()
    for each in arguments:
        layer = opened(each, place)
        if layer is None:
            continue
        if not isinstance(layer, Map):
            raise NoValueError
        result.update(layer)
        result.places.update(layer.places)
    return result


def _concat(arguments: list[Any], place: Place) -> Any:
    result = Seq()
    for each in arguments:
        listed = Seq([each], [place]) if isinstance(each, Unknown) else each
        if not isinstance(listed, Seq):
            raise NoValueError
        result.places.extend(listed.places)
        result.extend(listed)
    return result


def _flatten(arguments: list[Any], _: Place) -> Any:
    (listed,) = arguments
    if not isinstance(listed, Seq):
        raise NoValueError
    result = Seq()
    pending = [*zip(listed, listed.places, strict=True)][::-1]
    while pending:
        each, where = pending.pop()
        if isinstance(each, Seq):
            pending += [*zip(each, each.places, strict=True)][::-1]
        else:
            result.places.append(where)
            result.append(each)
    return result


def _without(listed: Any, is_left_out: Callable[[Any, list[Any]], bool]) -> Any:
    if not isinstance(listed, Seq):
        raise NoValueError
    kept: list[int] = []
    for index, each in enumerate(listed):
        if isinstance(each, Unknown) or not is_left_out(each, [listed[other] for other in kept if not isinstance(listed[other], Unknown)]):
            kept.append(index)
    return Seq([listed[index] for index in kept], [listed.places[index] for index in kept])


def _distinct(arguments: list[Any], _: Place) -> Any:
    (listed,) = arguments
    if isinstance(listed, Unknown):
        return listed
    if isinstance(listed, Map):
        raise NoValueError
    return _without(listed, lambda each, others: is_known(each) and each in [other for other in others if is_known(other)])


def _compact(arguments: list[Any], _: Place) -> Any:
    (listed,) = arguments
    return listed if isinstance(listed, Unknown) else _without(listed, lambda each, _: each is None or each == "")


def _same(arguments: list[Any], _: Place) -> Any:
    return arguments[0]


def _string(arguments: list[Any], _: Place) -> Any:
    if (text := text_in(arguments[0])) is None:
        raise NoValueError
    return text


def _lookup(arguments: list[Any], _: Place) -> Any:
    mapping, key, *default = arguments
    if isinstance(mapping, Unknown) or isinstance(key, Unknown):
        return Unknown()
    if isinstance(mapping, Map) and key in mapping:
        return mapping[key]
    if not default or (isinstance(mapping, Map) and any(isinstance(each, Unknown) for each in mapping)):
        raise NoValueError
    return default[0]


def _coalesce(arguments: list[Any], _: Place) -> Any:
    for each in arguments:
        if isinstance(each, Unknown) or (each is not None and each != ""):
            return each
    raise NoValueError


def _encoded(arguments: list[Any], place: Place) -> Any:
    return Encoded(arguments[0], place)


def _values(mapping: Any) -> Any:
    return Seq([mapping[key] for key in sorted(mapping)], [mapping.places[key] for key in sorted(mapping)])


def _listed(items: Any) -> Seq:
    return Seq(items := [*items], [("", 0)] * len(items))


_OF_PARTS: dict[str, Callable[[list[Any], Place], Any]] = {
    "merge": _merge,
    "concat": _concat,
    "flatten": _flatten,
    "distinct": _distinct,
    "toset": _distinct,
    "compact": _compact,
    "tolist": _same,
    "tomap": _same,
    "sensitive": _same,
    "nonsensitive": _same,
    "tostring": _string,
    "lookup": _lookup,
    "coalesce": _coalesce,
    "yamlencode": _encoded,
    "jsonencode": _encoded,
}
"""The functions of arguments with unknown parts."""


def _range(*numbers: int) -> Seq:
    if len(counted := range(*numbers)) > MOST:
        raise NoValueError
    return _listed(counted)


def _tonumber(text: Any) -> Any:
    return text if isinstance(text, int | float) else int(text)


def _replace(text: str, old: str, new: str) -> str:
    if old.startswith("/") and old.endswith("/"):
        raise NoValueError
    return text.replace(old, new)


def _indent(spaces: int, text: str) -> str:
    return text.replace("\n", "\n" + " " * spaces)


def _join(separator: str, *lists: Seq) -> str:
    return separator.join(text_in(each) or "" for each in _concat([*lists], ("", 0)))


def _format(text: str, *arguments: Any) -> str:
    if not is_text(text) or len(arguments) != text.count("%s") or text.count("%") != len(arguments):
        raise NoValueError
    for each in arguments:
        text = text.replace("%s", str(text_in(each)), 1)
    return text


_OF_KNOWN: dict[str, Callable[..., Any]] = {
    "length": len,
    "keys": lambda mapping: _listed(sorted(mapping.keys())),
    "values": _values,
    "contains": lambda listed, item: item in listed,
    "element": lambda listed, index: listed[index % len(listed)],
    "join": _join,
    "split": lambda separator, text: _listed(text.split(separator)),
    "lower": str.lower,
    "upper": str.upper,
    "trimspace": str.strip,
    "chomp": lambda text: text.rstrip("\r\n"),
    "trimprefix": str.removeprefix,
    "trimsuffix": str.removesuffix,
    "startswith": str.startswith,
    "endswith": str.endswith,
    "replace": _replace,
    "indent": _indent,
    "format": _format,
    "range": _range,
    "tonumber": _tonumber,
    "tobool": lambda value: value if isinstance(value, bool) else {"true": True, "false": False}[value],
    "zipmap": lambda keys, values: Map(zip(keys, values, strict=True), dict.fromkeys(keys, ("", 0))),
    "anytrue": lambda listed: any(each is True for each in listed),
    "alltrue": lambda listed: all(each is True for each in listed),
    "max": max,
    "min": min,
}
"""The functions of known arguments."""
