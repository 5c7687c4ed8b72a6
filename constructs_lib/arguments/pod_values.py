"""The rules of the API server for single values of Kubernetes' fields, which the OpenAPI schema does not have."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..upstream.kubernetes.fields import field_table
from .errors import wrong
from .names import dns_subdomain, env_name, image_reference, label_key, label_value, namespace_name
from .plain_values import whole_number
from .spelling import did_you_mean

_MOST_CHOICES = 12


class Place(NamedTuple):
    """The place of a value in an argument, and the warnings of the whole argument."""

    argument: str
    path: str
    unknown: list[str]
    within: str = ""
    """The names of the list items that have the value, as `main/http`: in a merged value their numbers are not those of the argument."""

    @classmethod
    def of(cls, argument: str) -> Place:
        """The place of an argument such as `pod_spec`, or of a part of one such as `template[spec]`."""
        outer, bracket, path = argument.removesuffix("]").partition("[")
        return cls(outer, path if bracket else "", [])

    @property
    def name(self) -> str:
        """The place as an error names it, as `pod_spec[containers.0]`."""
        return f"{self.argument}[{self.path}]" if self.path else self.argument

    def below(self, key: object) -> Place:
        """The place of an item."""
        return self._replace(path=f"{self.path}.{key}" if self.path else str(key))


def check_value(place: Place, kind: str, key: str, value: Any) -> None:
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


def _texts(place: Place, value: Any) -> list[tuple[Place, str]]:
    return [(place, value)] if isinstance(value, str) else [(place.below(index), item) for index, item in enumerate(value)]


def _is_variable(value: object) -> bool:
    return isinstance(value, str) and "$" in value


def _check_choice(place: Place, key: str, value: str, known: list[str]) -> None:
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
