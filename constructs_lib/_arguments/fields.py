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


def copied(value: attrs.AttrsInstance, **written: object) -> tuple[Any, ...]:
    """What `__reduce__` gives, so that a value is copied and pickled by the call that makes it: a mapping proxy can't be copied.

    `written` holds the arguments in the form that can.
    """
    import attrs  # whoever has a value has loaded it

    arguments = {field.name: getattr(value, field.name) for field in attrs.fields(type(value))}
    return functools.partial(type(value), **arguments | written), ()


def settle(value: object, name: str, default: object) -> None:
    """Give a field that was left out what follows from the others; only for `__attrs_post_init__`."""
    if getattr(value, name) in (None, "", ()):
        object.__setattr__(value, name, default)


def call(value: attrs.AttrsInstance, **written: object) -> str:
    """The call that makes a value, without the arguments that have their default; `written` holds those that print in another way."""
    import attrs  # whoever has a value has loaded it

    shown = {field.name: written.get(field.name, getattr(value, field.name)) for field in attrs.fields(type(value))}
    defaults = {field.name: field.default for field in attrs.fields(type(value))}
    given = (f"{name}={each!r}" for name, each in shown.items() if each != defaults[name] and each not in ((), [], {}))
    return f"{type(value).__name__}({', '.join(given)})"


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


def to_optional_count(value: int | None, argument: str = "") -> int | None:
    """A whole number of at least 0, or None."""
    return None if value is None else plain_values.whole_number(argument, value, 0)


def to_optional_port(value: int | None, argument: str = "") -> int | None:
    """A port, or None."""
    return None if value is None else plain_values.whole_number(argument, value, 1, 65535)


def to_optional_positive(value: int | None, argument: str = "") -> int | None:
    """A whole number of at least 1, or None."""
    return None if value is None else plain_values.whole_number(argument, value)


def to_bytes(value: str, argument: str = "") -> str:
    """An amount of memory or storage."""
    return quantities.byte_quantity(argument, value)


def to_optional_bytes(value: str | None, argument: str = "") -> str | None:
    """An amount of memory or storage, or None."""
    return None if value is None else quantities.byte_quantity(argument, value)


def to_duration(value: str, argument: str = "") -> str:
    """A duration as Go and the GitOps tools write it."""
    return quantities.duration(argument, value)


def to_image(value: str, argument: str = "") -> str:
    """An image reference."""
    return names.image_reference(argument, value)


def to_optional_dns_label(value: str | None, argument: str = "") -> str:
    """The name of pods, containers and Services; empty for None, until `settle` gives it one."""
    return "" if value is None else names.dns_label(argument, value)


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
    return _frozen(quantities.resources(argument, plain_values.given(value)))


def to_pod_spec(value: Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any]:
    """Fields of a pod spec; none of them where None is given."""
    return _frozen(plain_values.plain_mapping(argument, plain_values.given(value), "a mapping of fields of a pod spec"))


def to_chart_values(value: Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any]:
    """The values of a chart; none of them where None is given."""
    return _frozen(plain_values.plain_mapping(argument, plain_values.given(value), "a mapping of the chart's values"))


def to_plain_mapping(value: Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any]:
    """A mapping of what JSON has; an empty one where None is given."""
    return _frozen(plain_values.plain_mapping(argument, plain_values.given(value)))


def _frozen(value: dict[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = plain_values.frozen(value)
    return found
