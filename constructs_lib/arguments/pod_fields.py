"""The check of fields in Kubernetes' spelling, such as those of `pod_spec`, against Kubernetes' own schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ..upstream.kubernetes.fields import REQUIRED_ON_PAPER, field_table
from .errors import NOTHING, wrong, wrong_kind
from .plain_values import flag, mapping, whole_number, words_of
from .pod_values import Place, check_value
from .quantities import any_quantity
from .spelling import is_near, most_similar

_Check = Callable[[str, Any], object]


def check_fields(argument: str, value: object, kind: str) -> list[str]:
    """Check a value of one kind of Kubernetes' schema, at every depth; a None stands for a field that is left out.

    Returns a warning for each key, and each value of an enumeration, that is of no known version of Kubernetes and is no misspelling. A required field may be missing, because
    another mapping may have it: `check_required` checks the merged value.
    """
    place = Place.of(argument)
    _check(place, value, kind)
    return place.unknown


def check_required(argument: str, value: object, kind: str) -> None:
    """Refuse a value, checked by `check_fields` and merged, that lacks a field which Kubernetes requires."""
    _require(Place.of(argument), value, kind)


def _require(place: Place, value: Any, kind: str) -> None:
    """Check the fields of every type in the value. The fields of another kind than the schema's, in an operator's template, are not read."""
    table = field_table()
    if kind.startswith("[") and isinstance(value, list | tuple):
        for index, item in enumerate(value):
            name = item.get("name") if isinstance(item, Mapping) else None
            within = "/".join(filter(None, (place.within, name))) if isinstance(name, str) else place.within
            _require(place.below(index)._replace(within=within), item, kind[1:-1])
    elif kind in table.types and isinstance(value, Mapping):
        for key in table.required.get(kind, ()):
            if value.get(key) is None and (kind, key) not in REQUIRED_ON_PAPER:
                hint = f"Kubernetes requires this field of every {kind}" + (f" (here in '{place.within}')" if place.within else "")
                raise wrong(place.below(key).name, "given", NOTHING, hint)
        for key, item in value.items():
            _require(place.below(key), item, table.types[kind].get(key, "any"))


def _check(place: Place, value: object, kind: str) -> None:
    if kind in _SCALARS:
        _SCALARS[kind](place.name, value)
    elif kind.startswith("["):
        _check_list(place, value, kind[1:-1])
    elif kind.startswith("{"):
        for key, item in mapping(place.name, value, f"a mapping of {_PLURALS[kind[1:-1]]}").items():
            _check(place.below(key), item, kind[1:-1])
    else:
        _check_object(place, value, kind)


def _check_list(place: Place, value: object, kind: str) -> None:
    if not isinstance(value, list | tuple):
        meant: list[Any] = words_of(value) if isinstance(value, str) and kind == "string" else []
        if isinstance(value, Mapping) and value and field_table().types.get(kind, {}).keys() >= value.keys():
            meant = [value]
        rule = f"a list of {_PLURALS.get(kind, 'mappings')}"
        raise wrong_kind(place.name, rule, value, f"did you mean {meant!r}?" if meant else "")
    for index, item in enumerate(value):
        if item is None:
            raise wrong_kind(place.name, "a list without None", value)
        _check(place.below(index), item, kind)


def _check_object(place: Place, value: object, kind: str) -> None:
    fields = field_table().types[kind]
    for key, item in mapping(place.name, value, f"a mapping of fields of Kubernetes' {kind}").items():
        if key not in fields:
            _refuse_misspelt(place, key, kind, fields)
        elif item is not None:
            _check(place.below(key), item, fields[key])
            check_value(place.below(key), kind, key, item)


def _refuse_misspelt(place: Place, key: str, kind: str, fields: Mapping[str, str]) -> None:
    """Refuse a key that is misspelt: one near a known key, or one with '_' or '-'. Any other key may be of a newer Kubernetes."""
    camel = re.sub(r"[_-]+(\w)", lambda letter: letter[1].upper(), key)
    similar = next((known for known in fields if is_near(camel, known)), "")
    if similar or camel != key:
        similar = similar or most_similar(camel, fields)
        hint = f"did you mean '{similar}'?" if similar else "Kubernetes writes its keys like 'nodeSelector'"
        raise wrong(place.name, f"made of keys of Kubernetes' {kind}", key, hint)
    table = field_table()
    similar = most_similar(key, fields)
    hint = f"; did you mean '{similar}'?" if similar else ""
    known = f"no {kind} of Kubernetes up to {table.newest} has (read on {table.read_on})"
    place.unknown.append(f"'{place.name}' has the key '{key}', which {known}{hint}")


def _check_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        is_scalar = isinstance(value, bool | int | float)
        raise wrong_kind(name, "a string", value, f"did you mean {_quoted(value)}?" if is_scalar else "")


def _quoted(value: object) -> str:
    return repr(str(value).lower() if isinstance(value, bool) else str(value))


_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def _check_flag(name: str, value: object) -> None:
    meant = _FLAGS.get(value.lower()) if isinstance(value, str) else None
    flag(name, value, "" if meant is None else f"did you mean {meant}?")


def _whole(bits: int) -> _Check:
    most = 2 ** (bits - 1) - 1

    def check(name: str, value: object) -> None:
        digits = isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,18}", value)
        whole_number(name, value, -most - 1, most, f"did you mean {value}?" if digits else "")

    return check


def _check_whole_or_text(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise wrong_kind(name, "a whole number or a string", value)
    if isinstance(value, int):
        _whole(32)(name, value)


def _check_number(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_kind(name, "a number", value)


_SCALARS: Mapping[str, _Check] = {
    "any": lambda _name, _value: None,
    "bool": _check_flag,
    "string": _check_text,
    "int32": _whole(32),
    "int64": _whole(64),
    "number": _check_number,
    "quantity": any_quantity,
    "int or string": _check_whole_or_text,
}
# The words for the items of a list or a map.
_PLURALS = {"string": "strings", "quantity": "quantities", "int32": "whole numbers", "int64": "whole numbers"}
