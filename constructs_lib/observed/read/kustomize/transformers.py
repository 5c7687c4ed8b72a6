"""Kustomize's transformations of objects: namespace, names, labels, images, replicas, replacements of fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ....arguments.patterns import pattern
from ....upstream.kubernetes.api import CLUSTER_SCOPED
from ....upstream.kubernetes.kustomize_defaults import UNPREFIXED
from ....upstream.kubernetes.registries import split_reference
from ....yaml.located import Document, Map, Place, Seq
from ....yaml.unknown import FILLED_IN, GAP
from ...model import Answer, Unknown, any_of, at, is_given, joined, known_list, known_str, literal, mappings
from ..objects import kind_of
from .fields import (
    DEFAULTS,
    Change,
    Field,
    changed,
    identities,
    remembering,
    split,
    with_fields,
)
from .patches import Pattern, selects

_NAMESPACE = (Field(("metadata", "namespace"), create=True),)
_BINDINGS = ("RoleBinding", "ClusterRoleBinding")


def namespaced(
    documents: Iterable[Document],
    namespace: str | Unknown,
    place: Place,
    fields: Iterable[Field] = DEFAULTS["namespace"],
    *,
    unset_only: bool = False,
) -> list[Document]:
    """The objects moved to this namespace.

    A Namespace object takes its name, and the account `default` in a binding moves along.
    """
    fields = [each for each in fields if each.path != ("metadata", "namespace")]

    def new(old: Any) -> Any:
        return old if unset_only and is_given(old) else namespace

    def with_namespace(subject: Any) -> Any:
        return changed(subject, ("namespace",), new, place, create=True) if literal(at(subject, "name")) == "default" else subject

    def in_subjects(subjects: Any) -> Any:
        return Seq(map(with_namespace, subjects), subjects.places) if isinstance(subjects, Seq) else subjects

    def moved(each: Document) -> Document:
        kind, each = kind_of(each.value), remembering(each)
        each = each if kind in CLUSTER_SCOPED else with_fields(each, _NAMESPACE, new, place)
        if kind in _BINDINGS:
            each = replace(each, value=changed(each.value, ("subjects",), in_subjects, place))
        own = [field for field in fields if field.path != ("metadata", "name") or literal(at(each.value, "apiVersion")) == "v1"]
        return with_fields(each, own, new, place)

    return [moved(each) for each in documents]


def defaulted(documents: Iterable[Document], namespace: str | Unknown, place: Place) -> list[Document]:
    """The objects, where those without a namespace get this one."""
    return [
        each
        if kind_of(each.value) in CLUSTER_SCOPED or is_given(at(each.value, "metadata", "namespace"))
        else with_fields(each, _NAMESPACE, lambda _: namespace, place)
        for each in documents
    ]


_UNPREFIXED = tuple(split(each) for each in UNPREFIXED)


def renamed(documents: Iterable[Document], prefix: Any = "", suffix: Any = "") -> list[Document]:
    """The objects with a prefix and a suffix added to their names."""
    return [
        each
        if any(identities(each)[0].is_of(*kind) for kind in _UNPREFIXED)
        else with_fields(remembering(each), [Field(("metadata", "name"))], lambda old: joined(prefix, old, suffix), each.place)
        for each in documents
    ]


def scaled(
    documents: Iterable[Document], name: Any, count: Any, place: Place, fields: Iterable[Field] = DEFAULTS["replicas"]
) -> list[Document]:
    """The objects, where those with this name, now or earlier, get this number of replicas."""
    return [
        with_fields(each, fields, lambda _: count, place) if literal(name) in {known.name for known in identities(each)} else each
        for each in documents
    ]


def with_images(documents: Iterable[Document], images: Any, fields: Iterable[Field] = DEFAULTS["images"]) -> list[Document]:
    """The objects with the names, tags and digests of images changed, one change after the other."""
    result = list(documents)
    for _, change in mappings(images):
        name = known_str(literal(at(change, "name")))
        if name:
            pattern = Pattern(name)
            result = [_with_image(each, pattern, change, fields) for each in result]
    return result


def _with_image(each: Document, pattern: Pattern, change: Any, fields: Iterable[Field]) -> Document:
    def new(old: Any) -> Any:
        written = literal(old)
        is_meant = any_of(map(pattern.matches, _image_names(written))) if isinstance(written, str) else Answer.NO
        return old if is_meant.is_no else _image(written, change) if is_meant.is_yes else Unknown("", GAP)

    if kind_of(each.value) == "CustomResourceDefinition":
        return each
    body = _in_containers(each.value, lambda items: changed(items, ("image",), new, each.place))
    return with_fields(replace(each, value=body), fields, new, each.place)


_TAG = pattern(r"[a-zA-Z0-9_.{}-]*")


def _image_names(written: str) -> Iterator[str]:
    """The image reference with and without its tag and its digest."""
    yield written
    name, is_digest, digest = written.rpartition("@sha256:")
    without_digest = [name] if is_digest and _TAG.fullmatch(digest) else []
    yield from without_digest
    for each in (written, *without_digest):
        name, is_tag, tag = each.rpartition(":")
        if is_tag and _TAG.fullmatch(tag):
            yield name


_CONTAINERS = {"containers", "initContainers"}
_LONGEST = 1000


def _in_containers(value: Any, change: Change) -> Any:
    """The value with every list of containers changed, at any depth."""
    if isinstance(value, Seq):
        return Seq([_in_containers(item, change) for item in value], value.places)
    if not isinstance(value, Map):
        return value
    items = {key: _in_containers(item, change) for key, item in value.items()}
    lists = {key: change(item) for key, item in items.items() if key in _CONTAINERS and isinstance(item, Seq)}
    return Map({**items, **lists}, value.places)


def _image(written: str, change: Any) -> str | Unknown:
    reference = split_reference(written)
    tag, digest = reference.tag, reference.digest
    name, new_tag, new_digest, suffix = (literal(at(change, key)) for key in ("newName", "newTag", "digest", "tagSuffix"))
    if new_tag or new_digest:
        tag, digest = new_tag, new_digest
    elif suffix:
        tag, digest = f"{tag}{suffix}", ""
    text = f"{name or reference.repository}{f':{tag}' if tag else ''}{f'@{digest}' if digest else ''}"
    return Unknown(text) if FILLED_IN.search(text) else text if len(text) <= _LONGEST else Unknown()


def replaced(documents: Iterable[Document], replacement: Mapping[str, Any], place: Place) -> list[Document]:
    """The objects with the value of a replacement's source in each target field.

    A source is followed if it is a name or a word in one object, and a target if it is a path of mappings. Any other
    value is unknown.
    """
    result, value = list(documents), _source(documents, at(replacement, "source"))
    for _, target in mappings(at(replacement, "targets")):
        select = at(target, "select")
        is_selected, create = selects(select if isinstance(select, Map) else Map()), at(target, "options", "create") is True
        for written in known_list(at(target, "fieldPaths")) or [_NAME]:
            path = _PLAIN.match(str(literal(written)))
            if path is None:
                continue
            is_known = path[0] == literal(written) and all(at(target, *key) is None for key in (("options", "delimiter"), ("reject",)))
            field = Field(tuple(path[0].split(".")), create=create)
            answers = [(each, is_selected(each)) for each in result]
            result = [
                each if answer.is_no else with_fields(each, [field], _setter(value, is_known=is_known and answer.is_yes), place)
                for each, answer in answers
            ]
    return result


_NAME = "metadata.name"
_PLAIN = pattern(r"[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*(?=$|\.|\[)")
_WORD = pattern(r"(?!(?:y|n|yes|no|on|off|true|false|null)$)[A-Za-z][\w./:-]*", re.IGNORECASE)


def _source(documents: Iterable[Document], source: Any) -> Any:
    """The value of a replacement's source. Unknown without exactly one object, and for anything but a word."""
    sources = [each for each in documents if isinstance(source, Map) and selects(source)(each).is_yes]
    path = _PLAIN.fullmatch(str(literal(at(source, "fieldPath")) or _NAME))
    value = at(sources[0].value, *path[0].split(".")) if len(sources) == 1 and path and at(source, "options") is None else None
    return value if isinstance(value, str) and len(value) <= _LONGEST and _WORD.fullmatch(value) else Unknown()


def _setter(value: Any, *, is_known: bool) -> Change:
    return lambda old: value if is_known and (old is None or isinstance(old, str | Unknown)) else Unknown()
