"""The check of fields in Kubernetes' spelling, such as those of `pod_spec`, against Kubernetes' own schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..upstream.kubernetes_fields import field_table
from .errors import wrong, wrong_kind
from .names import env_name, image_reference
from .plain_values import flag, mapping, whole_number, words_of
from .quantities import any_quantity
from .spelling import is_near, most_similar

_Check = Callable[[str, Any], object]


def check_fields(argument: str, value: object, kind: str) -> list[str]:
    """Check a value of one kind of Kubernetes' schema, at every depth; a None stands for a field that is left out.

    Returns a warning for each key that is of no known version of Kubernetes, and is no misspelt key either.
    """
    outer, bracket, path = argument.removesuffix("]").partition("[")
    unknown: list[str] = []
    _check(_Place(outer, path if bracket else "", unknown), value, kind)
    return unknown


class _Place(NamedTuple):
    """The place of a value in an argument, and the warnings of the whole argument."""

    argument: str
    path: str
    unknown: list[str]

    @property
    def name(self) -> str:
        """The place as an error names it, as `pod_spec[containers.0]`."""
        return f"{self.argument}[{self.path}]" if self.path else self.argument

    def below(self, key: object) -> _Place:
        """The place of an item."""
        return self._replace(path=f"{self.path}.{key}" if self.path else str(key))


def _check(place: _Place, value: object, kind: str) -> None:
    if kind in _SCALARS:
        _SCALARS[kind](place.name, value)
    elif kind.startswith("["):
        _check_list(place, value, kind[1:-1])
    elif kind.startswith("{"):
        for key, item in mapping(place.name, value, f"a mapping of {_PLURALS[kind[1:-1]]}").items():
            _check(place.below(key), item, kind[1:-1])
    else:
        _check_object(place, value, kind)


def _check_list(place: _Place, value: object, kind: str) -> None:
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


def _check_object(place: _Place, value: object, kind: str) -> None:
    fields = field_table().types[kind]
    for key, item in mapping(place.name, value, f"a mapping of fields of Kubernetes' {kind}").items():
        if key not in fields:
            _refuse_misspelt(place, key, kind, fields)
        elif item is not None:
            _check(place.below(key), item, fields[key])
            if check := _VALUES.get((kind, key)):
                check(place.below(key).name, item)


def _refuse_misspelt(place: _Place, key: str, kind: str, fields: Mapping[str, str]) -> None:
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


def _check_port(name: str, value: object) -> None:
    whole_number(name, value, 1, 65535)


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
# The fields whose values the API server or the kubelet hold to a rule that the schema does not have.
_VALUES: Mapping[tuple[str, str], _Check] = {
    ("Container", "image"): image_reference,
    ("ContainerPort", "containerPort"): _check_port,
    ("ContainerPort", "hostPort"): _check_port,
    ("EnvVar", "name"): env_name,
}
