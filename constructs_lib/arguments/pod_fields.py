"""The check of fields in Kubernetes' spelling, such as those of `pod_spec`, against Kubernetes' own schema and, for
single values, the rules of the API server that the schema does not have."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..upstream.kubernetes.fields import REQUIRED_ON_PAPER, field_table
from .errors import NOTHING, wrong, wrong_kind
from .names import dns_subdomain, env_name, image_reference, label_key, label_value, namespace_name
from .plain_values import flag, mapping, whole_number, words_of
from .quantities import any_quantity
from .spelling import did_you_mean, is_near, most_similar

_Check = Callable[[str, Any], object]


def check_fields(argument: str, value: object, kind: str) -> list[str]:
    """Check a value of one kind of Kubernetes' schema, at every depth; a None stands for a field that is left out.

    Returns a warning for each key, and each value of an enumeration, that is of no known version of Kubernetes and is
    no misspelling. A required field may be missing, because another mapping may have it: `check_required` checks the
    merged value.
    """
    place = FieldPath.of(argument)
    _check(place, value, kind)
    return place.unknown


def check_required(argument: str, value: object, kind: str) -> None:
    """Refuse a value, checked by `check_fields` and merged, that lacks a field which Kubernetes requires."""
    _require(FieldPath.of(argument), value, kind)


def _require(place: FieldPath, value: Any, kind: str) -> None:
    """Check the fields of every type in the value. The fields of another kind than the schema's, in an operator's
    template, are not read."""
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


def _check(place: FieldPath, value: object, kind: str) -> None:
    if kind in _SCALARS:
        _SCALARS[kind](place.name, value)
    elif kind.startswith("["):
        _check_list(place, value, kind[1:-1])
    elif kind.startswith("{"):
        for key, item in mapping(place.name, value, f"a mapping of {_PLURALS[kind[1:-1]]}").items():
            _check(place.below(key), item, kind[1:-1])
    else:
        _check_object(place, value, kind)


def _check_list(place: FieldPath, value: object, kind: str) -> None:
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


def _check_object(place: FieldPath, value: object, kind: str) -> None:
    fields = field_table().types[kind]
    for key, item in mapping(place.name, value, f"a mapping of fields of Kubernetes' {kind}").items():
        if key not in fields:
            _refuse_misspelt(place, key, kind, fields)
        elif item is not None:
            _check(place.below(key), item, fields[key])
            check_value(place.below(key), kind, key, item)


def _refuse_misspelt(place: FieldPath, key: str, kind: str, fields: Mapping[str, str]) -> None:
    """Refuse a key that is misspelt: one near a known key, or one with '_' or '-'. Any other key may be of a newer
    Kubernetes."""
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
        from .meant import of_object  # deferred: only an error needs it

        is_scalar = isinstance(value, bool | int | float)
        raise wrong_kind(name, "a string", value, f"did you mean {_quoted(value)}?" if is_scalar else of_object(value))


def _quoted(value: object) -> str:
    return repr(str(value).lower() if isinstance(value, bool) else str(value))


def _whole(bits: int) -> _Check:
    most = 2 ** (bits - 1) - 1

    def check(name: str, value: object) -> None:
        whole_number(name, value, -most - 1, most)

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
    "bool": flag,
    "string": _check_text,
    "int32": _whole(32),
    "int64": _whole(64),
    "number": _check_number,
    "quantity": any_quantity,
    "int or string": _check_whole_or_text,
}
# The words for the items of a list or a map.
_PLURALS = {"string": "strings", "quantity": "quantities", "int32": "whole numbers", "int64": "whole numbers"}


_MOST_CHOICES = 12


class FieldPath(NamedTuple):
    """The place of a value in an argument, and the warnings of the whole argument."""

    argument: str
    path: str
    unknown: list[str]
    within: str = ""
    """The names of the list items that have the value, as `main/http`: in a merged value their numbers are not those of
    the argument."""

    @classmethod
    def of(cls, argument: str) -> FieldPath:
        """The place of an argument such as `pod_spec`, or of a part of one such as `template[spec]`."""
        outer, bracket, path = argument.removesuffix("]").partition("[")
        return cls(outer, path if bracket else "", [])

    @property
    def name(self) -> str:
        """The place as an error names it, as `pod_spec[containers.0]`."""
        return f"{self.argument}[{self.path}]" if self.path else self.argument

    def below(self, key: object) -> FieldPath:
        """The place of an item."""
        return self._replace(path=f"{self.path}.{key}" if self.path else str(key))


def check_value(place: FieldPath, kind: str, key: str, value: Any) -> None:
    """Check a value of a field, whose JSON type was checked already.

    A text with a variable such as `${POLICY}`, which another tool fills in, is held to no rule.
    """
    if known := field_table().choices.get(kind, {}).get(key):
        is_required = key in field_table().required.get(kind, ())
        for where, item in _texts(place, value):
            _check_choice(where, key, item, known if is_required else ["", *known])
    elif check := _MAPS.get((kind, key)):
        for name, item in value.items():
            if not _is_variable(name):
                label_key(place.name, name)
            if item is not None and not _is_variable(item):
                check(place.below(name).name, item)
    elif (check := _VALUES.get((kind, key))) and not _is_variable(value):
        check(place.name, value)


def _texts(place: FieldPath, value: Any) -> list[tuple[FieldPath, str]]:
    return [(place, value)] if isinstance(value, str) else [(place.below(index), item) for index, item in enumerate(value)]


def _is_variable(value: object) -> bool:
    return isinstance(value, str) and "$" in value


def _check_choice(place: FieldPath, key: str, value: str, known: list[str]) -> None:
    """Refuse a misspelt value of an enumeration; any other value may be of a newer Kubernetes, and is a warning.

    An empty text in `known` stands for the default, which the API server sets.
    """
    if value in known or _is_variable(value):
        return
    hint = did_you_mean(value, known)
    if hint or not value:
        listed = ", ".join(f"'{each}'" for each in known if each)
        rule = f"one of {listed}" if len(known) <= _MOST_CHOICES else f"one of Kubernetes' values of '{key}'"
        raise wrong(place.name, rule, value, hint)
    table = field_table()
    place.unknown.append(
        f"'{place.name}' is '{value}', which is no value of '{key}' in kubernetes/api {table.choices_from} (read on {table.read_on})"
    )


def _check_port(name: str, value: object) -> None:
    whole_number(name, value, 1, 65535)


def _pattern(rule: str, pattern: str, longest: int) -> Callable[[str, Any], None]:
    def check(name: str, value: Any) -> None:
        if len(value) > longest or not re.fullmatch(pattern, value):
            raise wrong(name, rule, value)

    return check


_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_check_label = _pattern("a DNS label (lower-case letters, digits and '-', at most 63 characters)", _LABEL, 63)
_check_port_name = _pattern(
    "the name of a port (lower-case letters, digits and single '-', with a letter, at most 15 characters)",
    rf"(?!.*--)(?=.*[a-z]){_LABEL}",
    15,
)
_VALUES: Mapping[tuple[str, str], Callable[[str, Any], object]] = {
    ("Container", "image"): image_reference,
    ("Container", "name"): _check_label,
    ("ContainerPort", "containerPort"): _check_port,
    ("ContainerPort", "hostPort"): _check_port,
    ("ContainerPort", "name"): _check_port_name,
    ("EnvVar", "name"): env_name,
    ("ObjectMeta", "name"): dns_subdomain,
    ("ObjectMeta", "namespace"): namespace_name,
    ("ServicePort", "name"): _check_label,
    ("ServicePort", "nodePort"): _check_port,
    ("ServicePort", "port"): _check_port,
    ("Volume", "name"): _check_label,
}
# The maps with label keys, and the check of their values; a value of an annotation is any text.
_MAPS: Mapping[tuple[str, str], Callable[[str, object], object]] = {
    ("LabelSelector", "matchLabels"): label_value,
    ("ObjectMeta", "annotations"): lambda _name, _value: None,
    ("ObjectMeta", "labels"): label_value,
    ("PodSpec", "nodeSelector"): label_value,
    ("ServiceSpec", "selector"): label_value,
}
