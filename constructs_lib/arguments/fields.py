"""Arguments as attrs fields: the type, default and check of an argument stand once, on its field
(https://www.attrs.org).

The type of a field is the type of the checked value. The type of the argument is the type of the converter's parameter.
mypy and pyright read that type only from a function with a name, so every kind of argument has a converter here or
beside its enumeration.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from . import names, plain_values, quantities
from .errors import wrong_kind

if TYPE_CHECKING:
    import attrs


def named(_: type, fields: list[attrs.Attribute[Any]]) -> list[attrs.Attribute[Any]]:
    """The `field_transformer` of every attrs class here: it tells each converter the name of its argument."""
    return [_named(field) for field in fields]


def _named(field: attrs.Attribute[Any]) -> attrs.Attribute[Any]:
    converter: Any = field.converter
    is_named = isinstance(converter, functools.partial)  # an inherited field
    if converter is None or is_named or "argument" not in _signature(converter).parameters:
        return field
    named_converter = functools.partial(converter, argument=field.alias or field.name)
    # attrs asks for the signature of each converter, and that of a partial is slow to derive: a third of the time to
    # import the face.
    named_converter.__signature__ = _signature(converter)  # type: ignore[attr-defined]  # inspect.signature looks there first
    return field.evolve(converter=named_converter)


@functools.cache
def _signature(converter: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(converter)


def copied(value: attrs.AttrsInstance, **written: object) -> tuple[Any, ...]:
    """The return value of `__reduce__`: a value is copied and pickled by its constructor call, because a mapping proxy
    can't be copied.

    `written` holds the arguments that need another form, such as a dict for a mapping proxy.
    """
    import attrs  # attrs is loaded already, by the class of the value

    arguments = {field.name: getattr(value, field.name) for field in attrs.fields(type(value))}
    return functools.partial(type(value), **arguments | written), ()


def settle(value: object, name: str, default: object) -> None:
    """Set a field that was left out to a default that depends on other fields; only for `__attrs_post_init__`."""
    if getattr(value, name) in (None, "", ()):
        object.__setattr__(value, name, default)


def call(value: attrs.AttrsInstance, **written: object) -> str:
    """The constructor call of a value, without the arguments that have their default.

    `written` holds the arguments that print in another form.
    """
    import attrs  # attrs is loaded already, by the class of the value

    shown = {field.name: written.get(field.name, getattr(value, field.name)) for field in attrs.fields(type(value))}
    defaults = {field.name: field.default for field in attrs.fields(type(value))}
    arguments = (
        f"{name}={item!r}" for name, item in shown.items() if item != defaults[name] and (defaults[name] or item not in ((), [], {}))
    )
    return f"{type(value).__name__}({', '.join(arguments)})"


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


def to_count(value: int, argument: str = "") -> int:
    """A whole number of at least 0."""
    return plain_values.whole_number(argument, value, 0)


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


def to_scrape_duration(value: str, argument: str = "") -> str:
    """A duration of Prometheus, in whole units."""
    return quantities.scrape_duration(argument, value)


def to_duration(value: str, argument: str = "") -> str:
    """A duration as Go and the GitOps tools write it."""
    return quantities.duration(argument, value)


def to_image(value: str, argument: str = "") -> str:
    """An image reference."""
    return names.image_reference(argument, value)


def to_optional_dns_label(value: str | None, argument: str = "") -> str:
    """The name of pods, containers and Services; empty for None, until `settle` sets a name."""
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


def to_object_name(value: str | None, argument: str = "") -> str:
    """The name of most Kubernetes objects; empty for None, until `settle` sets a name."""
    return "" if value is None else names.dns_subdomain(argument, value)


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
    """Labels; an empty mapping for None."""
    return plain_values.EMPTY if value is None else MappingProxyType(names.label_map(argument, value))


def to_annotations(value: Mapping[str, str] | None, argument: str = "") -> Mapping[str, str]:
    """Annotations; an empty mapping for None."""
    return plain_values.EMPTY if value is None else MappingProxyType(names.annotation_map(argument, value))


def to_resources(value: Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any]:
    """The requests and limits of a container; an empty mapping for None."""
    checked = quantities.resources(argument, plain_values.given(value))
    quantities.check_requests(argument, checked)
    return _frozen(checked)


def to_pod_spec(value: Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any]:
    """Fields of a pod spec; an empty mapping for None."""
    return _kubernetes_fields(argument, value, "PodSpec", "a mapping of fields of a pod spec")


def to_security_context(value: Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any]:
    """Fields of a container's security context; an empty mapping for None."""
    return _kubernetes_fields(argument, value, "SecurityContext")


def to_pod_security_context(value: Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any]:
    """Fields of a pod's security context; an empty mapping for None."""
    return _kubernetes_fields(argument, value, "PodSecurityContext")


def to_service(value: Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any]:
    """Fields of the spec of a Service, to be merged into a spec that has the rest; an empty mapping for None."""
    return _kubernetes_fields(argument, value, "ServiceSpec")


def to_containers(value: Iterable[Mapping[str, Any]], argument: str = "") -> tuple[Mapping[str, Any], ...]:
    """A list of whole containers in Kubernetes' spelling, such as init containers."""
    if not isinstance(value, list | tuple):
        raise wrong_kind(argument, "a list of containers", value, "put the container into a list" if isinstance(value, Mapping) else "")
    found = tuple(_kubernetes_fields(f"{argument}[{index}]", container, "Container") for index, container in enumerate(value))
    if found:
        from .pod_fields import check_required  # deferred: see `_kubernetes_fields`

        check_required(argument, found, "[Container]")
    return found


def check_fields_given(argument: str, value: object, kind: str, rule: str) -> None:
    """Refuse a text in place of Kubernetes' fields. The hint names the one field that may have it, such as 'LoadBalancer'."""
    if isinstance(value, str):
        from ..upstream.kubernetes.fields import field_table  # deferred: see `_kubernetes_fields`
        from .meant import meant

        keys = [key for key, known in field_table().choices.get(kind, {}).items() if value in known]
        raise wrong_kind(argument, rule, value, meant({keys[0]: value}) if len(keys) == 1 else "")


def _kubernetes_fields(argument: str, value: Mapping[str, Any] | None, kind: str, rule: str = "a mapping") -> Mapping[str, Any]:
    if value is None:
        return plain_values.EMPTY
    check_fields_given(argument, value, kind, rule)
    fields = plain_values.plain_mapping(argument, value, rule)
    if fields:
        from .errors import warn
        from .pod_fields import check_fields  # deferred: only an argument that is given needs Kubernetes' schema

        for unknown in check_fields(argument, fields, kind):
            warn(unknown)
    return _frozen(fields)


def to_chart_values(value: Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any]:
    """The values of a chart; an empty mapping for None."""
    return _frozen(plain_values.plain_mapping(argument, plain_values.given(value), "a mapping of the chart's values"))


def _frozen(value: dict[str, Any]) -> Mapping[str, Any]:
    mapping: Mapping[str, Any] = plain_values.frozen(value)
    return mapping
