"""Labels and annotations that kustomize set in several fields at once.

In kustomize up to 5.7.1, the measured version, such fields share one value: a later change of one field changes the others, too. Other
versions may not have this error. So after a change of one field the others are unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from ...model import Unknown, literal
from ..kubernetes.located_yaml import Document, Map
from .fields import DEFAULTS, Field, changed, with_fields, with_pairs
from .resources import Resource, as_resource

_FIELDS = {"labels": DEFAULTS["commonLabels"], "annotations": DEFAULTS["commonAnnotations"]}


def with_shared(documents: Iterable[Document], pairs: Map, fields: Iterable[Field], where: str) -> list[Document]:
    """The objects with these labels or annotations added to these fields, which share the values from then on."""
    fields = tuple(fields)
    result: list[Document] = []
    for each in documents:
        (new,) = with_pairs([each], pairs, fields)
        resource = as_resource(settled(each, new))
        shared = {(where, key) for key, value in pairs.items() if _values(new.value, where, key).count(literal(value)) > 1}
        result.append(replace(resource, shared=resource.shared | shared))
    return result


def settled(old: Document, new: Document) -> Document:
    """The changed object. A shared value is unknown if only another of its fields was changed."""
    for where, key in old.shared if isinstance(old, Resource) else ():
        before, after = (set(_values(each.value, where, key)) for each in (old, new))
        if after - before and after & before:
            fields = [replace(field, path=(*field.path, key), create=False) for field in _FIELDS[where]]
            new = with_fields(new, fields, partial(_doubted, before), new.place)
    return new


def _doubted(known: set[Any], value: Any) -> Any:
    return Unknown() if literal(value) in known else value


def _values(body: Any, where: str, key: str) -> list[Any]:
    """The values of a label or an annotation in all fields of an object."""
    values: list[Any] = []

    def seen(value: Any) -> Any:
        values.append(literal(value))
        return value

    for field in _FIELDS[where]:
        if field.is_in(body):
            changed(body, (*field.path, key), seen, ("", 0))
    return [each for each in values if isinstance(each, str)]
