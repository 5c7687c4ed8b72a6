"""Arguments as the fields of a value: an argument's type, default and check stand once, on the field (https://www.attrs.org).

A field's type is that of the checked value; the argument's type is that of its converter's parameter. mypy and pyright know a converter only
where it is a function with a name, so each kind of argument has one here or beside its enumeration.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from . import names, plain_values, quantities

if TYPE_CHECKING:
    import attrs


def named(_: type, fields: list[attrs.Attribute[Any]]) -> list[attrs.Attribute[Any]]:
    """Tell each converter the name of its argument: the `field_transformer` of every value of ours."""
    return [field.evolve(converter=_named(field.converter, field.name)) for field in fields]


def _named(converter: Any, argument: str) -> Callable[[Any], Any] | None:
    if converter is None or "argument" not in inspect.signature(converter).parameters:
        return converter  # type: ignore[no-any-return]  # attrs' own type for a converter is Any
    return functools.partial(converter, argument=argument)


def to_flag(value: bool, argument: str = "") -> bool:
    """True or False."""
    return plain_values.flag(argument, value)


def to_text(value: str, argument: str = "") -> str:
    """A string that is not empty."""
    return plain_values.text(argument, value)


def to_optional_text(value: str | None, argument: str = "") -> str | None:
    """A string that is not empty, or None."""
    return None if value is None else plain_values.text(argument, value)


def to_texts(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    """A list of strings."""
    return tuple(plain_values.texts(argument, value))


def to_positive(value: int, argument: str = "") -> int:
    """A whole number of at least 1."""
    return plain_values.whole_number(argument, value)


def to_optional_positive(value: int | None, argument: str = "") -> int | None:
    """A whole number of at least 1, or None."""
    return None if value is None else plain_values.whole_number(argument, value)


def to_image(value: str, argument: str = "") -> str:
    """An image reference."""
    return names.image_reference(argument, value)


def to_dns_label(value: str, argument: str = "") -> str:
    """The name of pods, containers and Services."""
    return names.dns_label(argument, value)


def to_dns_subdomain(value: str, argument: str = "") -> str:
    """The name of most Kubernetes objects."""
    return names.dns_subdomain(argument, value)


def to_optional_dns_subdomain(value: str | None, argument: str = "") -> str | None:
    """The name of most Kubernetes objects, or None."""
    return None if value is None else names.dns_subdomain(argument, value)


def to_dns_subdomains(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    """A list of names of Kubernetes objects."""
    return tuple(names.dns_subdomain(argument, name) for name in plain_values.texts(argument, value))


def to_namespace(value: str, argument: str = "") -> str:
    """The name of a namespace."""
    return names.namespace_name(argument, value)


def to_optional_namespace(value: str | None, argument: str = "") -> str | None:
    """The name of a namespace, or None."""
    return None if value is None else names.namespace_name(argument, value)


def to_labels(value: Mapping[str, str] | None, argument: str = "") -> Mapping[str, str]:
    """Labels; none of them where None is given."""
    return MappingProxyType(names.label_map(argument, plain_values.given(value)))


def to_annotations(value: Mapping[str, str] | None, argument: str = "") -> Mapping[str, str]:
    """Annotations; none of them where None is given."""
    return MappingProxyType(names.annotation_map(argument, plain_values.given(value)))


def to_resources(value: Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any]:
    """What a container requests and is limited to; nothing where None is given."""
    return MappingProxyType(quantities.resources(argument, plain_values.given(value)))


def to_pod_spec(value: Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any]:
    """Fields of a pod spec; none of them where None is given."""
    return MappingProxyType(plain_values.plain_mapping(argument, plain_values.given(value), "a mapping of fields of a pod spec"))
