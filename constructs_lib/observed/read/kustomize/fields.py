"""The objects of a kustomize build: their identities, and the fields that kustomize changes in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ....upstream.kubernetes import kustomize_defaults as defaults
from ....yaml.located import DEEPEST, Document, Map, Place, Seq, traced
from ...model import at, literal, mappings
from ..objects import kind_of


@dataclass(frozen=True, slots=True)
class Field:
    """A path in the objects of a kind. A list on the path stands for all its items."""

    path: tuple[str, ...]
    kind: str = ""
    group: str = ""
    create: bool = False
    """Whether a missing field is created."""

    def is_in(self, body: Any) -> bool:
        """Whether the field applies to the kind of this object."""
        return (not self.kind or self.kind == kind_of(body)) and (not self.group or self.group == group_of(body))


def group_of(body: Any) -> str:
    """The API group of an object. Empty for the core group."""
    return str(literal(at(body, "apiVersion")) or "").rpartition("/")[0]


def split(kind: str) -> tuple[str, str]:
    """The kind and the group of `Kind.group`."""
    name, _, group = kind.partition(".")
    return name, group


def _path(written: str) -> tuple[str, ...]:
    return tuple(part.replace("\\/", "/") for part in re.split(r"(?<!\\)/", written))


def _fields(written: Iterable[str], *, create: bool = False) -> tuple[Field, ...]:
    return tuple(Field(_path(path), *split(kind), create) for path, _, kind in (each.partition(" ") for each in written))


METADATA_LABELS = (Field(("metadata", "labels"), create=True),)
METADATA_ANNOTATIONS = (Field(("metadata", "annotations"), create=True),)
_CLAIM_LABELS = _fields(defaults.CLAIM_LABELS_MADE, create=True)
_TEMPLATE_LABELS = (*METADATA_LABELS, *_fields(defaults.TEMPLATE_LABELS_MADE, create=True), *_CLAIM_LABELS)

DEFAULTS: dict[str, tuple[Field, ...]] = {
    "includeTemplates": _TEMPLATE_LABELS,
    "includeVolumeClaimTemplates": _CLAIM_LABELS,
    "includeSelectors": (*_fields(defaults.SELECTORS_MADE, create=True), *_fields(defaults.SELECTORS), *_TEMPLATE_LABELS),
    "commonAnnotations": (*METADATA_ANNOTATIONS, *_fields(defaults.TEMPLATE_ANNOTATIONS_MADE, create=True)),
    "images": _fields(defaults.IMAGES),
    "replicas": _fields(defaults.REPLICAS_MADE, create=True),
    "namespace": (*_fields(defaults.NAMESPACES_MADE, create=True), *_fields(defaults.NAMESPACES)),
}
"""The fields of each transformer, by its setting in a kustomization; of `labels` by the flags that add fields."""

References = tuple[tuple[str, str], tuple[Field, ...]]
"""A kind with its group, and the fields that hold names of objects of this kind."""

_REFERENCES: tuple[References, ...] = tuple((split(kind), _fields(written)) for kind, written in defaults.NAME_REFERENCES.items())


def configured(entries: Any) -> tuple[Field, ...]:
    """The fields of a list of field specifications."""
    return tuple(
        Field(
            _path(path),
            str(literal(at(entry, "kind")) or ""),
            str(literal(at(entry, "group")) or ""),
            at(entry, "create") is True,
        )
        for _, entry in mappings(entries)
        if isinstance(path := literal(at(entry, "path")), str)
    )


def references(configurations: Iterable[Any]) -> Iterator[References]:
    """The fields that hold names: kustomize's defaults and the configured fields."""
    yield from _REFERENCES
    for one in configurations:
        for _, entry in mappings(at(one, "nameReference")):
            yield (str(literal(at(entry, "kind"))), str(literal(at(entry, "group")) or "")), configured(at(entry, "fieldSpecs"))


Change = Callable[[Any], Any]
"""A function from the old value to the new one.

It returns the same value for no change, and gets None for a missing value.
"""


def changed(value: Any, path: tuple[str, ...], change: Change, place: Place, *, create: bool = False) -> Any:
    """The value with the change applied at every match of the path. The same value if nothing changes."""
    if not path:
        return change(value)
    if isinstance(value, Seq):
        items = [changed(item, path, change, place, create=create) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else Seq(items, value.places)
    if not isinstance(value, Map) or len(path) > DEEPEST:
        return value
    key, rest = path[0].removesuffix("[]"), path[1:]
    is_list = path[0].endswith("[]")
    old = value.get(key)
    if (old is None and (is_list or not create)) or (is_list and not isinstance(old, Seq)):
        return value
    new = changed(Map() if old is None and rest else old, rest, change, place, create=create)
    if new is old:
        return value
    places = value.places
    if not isinstance(old, Map | Seq):
        places = {**places, key: traced(place, places[key]) if key in places else place}
    return Map({**value, key: new}, places)


def with_fields(each: Document, fields: Iterable[Field], change: Change, place: Place) -> Document:
    """The object with the change applied to each of these fields."""
    body = each.value
    for field in fields:
        if field.is_in(body):
            body = changed(body, field.path, change, place, create=field.create)
    return each if body is each.value else replace(each, value=body)


def with_pairs(documents: Iterable[Document], pairs: Map, fields: Iterable[Field]) -> list[Document]:
    """The objects with these labels or annotations added to these fields."""
    place = next(iter(pairs.places.values()), ("", 0))

    def added(old: Any) -> Any:
        base = Map() if old is None else old
        return Map({**base, **pairs}, {**base.places, **pairs.places}) if isinstance(base, Map) else old

    return [with_fields(each, fields, added, place) for each in documents] if pairs else list(documents)


class Identity(NamedTuple):
    """The identity of an object in kustomize: kind, group, name and namespace, before Flux substitutes variables."""

    kind: str
    group: str
    name: str
    namespace: str

    def is_of(self, kind: str, group: str) -> bool:
        """Whether the identity has this kind and group. An empty group matches every group."""
        return self.kind == kind and group in ("", self.group)


def identity(body: Any) -> Identity:
    """The current identity of an object. An object without a namespace is in `default`."""
    metadata = at(body, "metadata")
    name, namespace = (str(literal(at(metadata, key)) or "") for key in ("name", "namespace"))
    return Identity(kind_of(body), group_of(body), name, namespace or "default")


@dataclass(frozen=True, slots=True)
class Resource(Document):
    """An object in a kustomize build, with its earlier identities."""

    before: tuple[Identity, ...] = ()
    gets_hash: bool = False
    is_generated: bool = False


def identities(each: Document) -> list[Identity]:
    """The identities of an object, from the first to the current one."""
    return [*(each.before if isinstance(each, Resource) else ()), identity(each.value)]


def remembering(each: Document) -> Resource:
    """The object with its current identity added to the earlier ones."""
    each = each if isinstance(each, Resource) else Resource(each.value, each.place, each.written)
    now = identity(each.value)
    return each if now in each.before else replace(each, before=(*each.before, now))
