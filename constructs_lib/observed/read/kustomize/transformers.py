"""Kustomize's transformations of objects: patches, namespace, labels, annotations, images and replicas."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from ....upstream.kubernetes.api import CLUSTER_SCOPED
from ....upstream.kubernetes.registries import split_reference
from ...model import Answer, Unknown, answer, any_of, at, is_given, known_str, literal, mappings
from ...model.unknown import FILLED_IN, GAP
from ..kubernetes.located_yaml import Document, Map, Place, Seq, opened
from ..kubernetes.objects import is_object, kind_of
from ..linear_patterns import Pattern
from .fields import DEFAULTS, METADATA_ANNOTATIONS, METADATA_LABELS, Change, Field, changed, with_fields, with_pairs
from .patch_targets import selects
from .patches import json6902, strategic
from .resources import identities, identity, remembering
from .sharing import settled

_CLUSTER_SCOPED = CLUSTER_SCOPED | {
    "CSIDriver",
    "CSINode",
    "CertificateSigningRequest",
    "ComponentStatus",
    "FlowSchema",
    "IngressClass",
    "Node",
    "PodSecurityPolicy",
    "PriorityLevelConfiguration",
    "RuntimeClass",
    "VolumeAttachment",
}


def is_cluster_scoped(kind: str) -> bool:
    """Whether objects of a kind are cluster-scoped."""
    return kind in _CLUSTER_SCOPED


_NAMESPACE = (Field(("metadata", "namespace"), create=True),)
_BINDINGS = ("RoleBinding", "ClusterRoleBinding")


def namespaced(
    documents: Iterable[Document],
    namespace: str | Unknown,
    place: Place,
    fields: Iterable[Field] = DEFAULTS["namespace"],
    *,
    subjects: Any = "defaultOnly",
    unset_only: bool = False,
) -> list[Document]:
    """The objects moved to this namespace. A Namespace object takes its name, and subjects of bindings move as `subjects` says."""
    fields = [each for each in fields if each.path != ("metadata", "namespace")]

    def new(old: Any) -> Any:
        return old if unset_only and is_given(old) else namespace

    def with_namespace(subject: Any) -> Any:
        key, expected = ("kind", "ServiceAccount") if literal(subjects) == "allServiceAccounts" else ("name", "default")
        if literal(subjects) == "none" or literal(at(subject, key)) != expected:
            return subject
        return changed(subject, ("namespace",), new, place, create=True)

    def moved(each: Document) -> Document:
        kind, each = kind_of(each.value), remembering(each)
        each = each if is_cluster_scoped(kind) else with_fields(each, _NAMESPACE, new, place)
        if kind in _BINDINGS:
            each = replace(each, value=changed(each.value, ("subjects",), lambda items: _each(items, with_namespace), place))
        own = [field for field in fields if field.path != ("metadata", "name") or literal(at(each.value, "apiVersion")) == "v1"]
        return with_fields(each, own, new, place)

    return [moved(each) for each in documents]


def _each(items: Any, change: Any) -> Any:
    return Seq([change(item) for item in items], items.places) if isinstance(items, Seq) else items


def defaulted(documents: Iterable[Document], namespace: str | Unknown, place: Place) -> list[Document]:
    """The objects, where those without a namespace get this one."""
    return [
        each
        if is_cluster_scoped(kind_of(each.value)) or is_given(at(each.value, "metadata", "namespace"))
        else with_fields(each, _NAMESPACE, lambda _: namespace, place)
        for each in documents
    ]


def patched(
    documents: Iterable[Document], patch: list[Document], target: Any, options: Any = None, *, known: bool = True
) -> list[Document]:
    """The objects with a patch applied to the ones that it targets or names. `known` is False if a schema may key their lists."""
    result = list(documents)
    names, kinds = (at(options, f"allow{key}Change") is True for key in ("Name", "Kind"))
    for each in patch:
        change: Callable[[Document], Document | None]
        if isinstance(each.value, Seq) and isinstance(target, Map):
            selected, change = selects(target), partial(_operated, operations=each.value)
        elif isinstance(each.value, Map):
            selected = selects(target) if isinstance(target, Map) else _named_by(each.value)
            change = partial(_merged, patch=each.value, names=names, kinds=kinds, known=known)
        else:
            continue
        result = [new for old in result if (new := _by_answer(selected(old), old, change)) is not None]
    return [each for each in result if is_object(each.value)]


def _by_answer(selected: Answer, old: Document, change: Callable[[Document], Document | None]) -> Document | None:
    """The object with a change, if it is selected. Its fields are unknown if the selection is unknown."""
    return old if selected.is_no else change(old) if selected.is_yes else _doubtful(old)


def _doubtful(each: Document) -> Document:
    """The object with its identity only: a patch may have changed anything else."""
    metadata = at(each.value, "metadata")
    open_metadata = Map({**opened(Unknown("", GAP), each.place), **_parts(metadata, "name", "namespace")}, getattr(metadata, "places", {}))
    body = {**opened(Unknown("", GAP), each.place), **_parts(each.value, "apiVersion", "kind"), "metadata": open_metadata}
    return replace(remembering(each), value=Map(body, each.value.places), shared=frozenset())


def _parts(value: Any, *keys: str) -> dict[str, Any]:
    return {key: value[key] for key in keys if isinstance(value, Map) and key in value}


def _operated(old: Document, operations: Seq) -> Document:
    return replace(remembering(old), value=json6902(old.value, operations), shared=frozenset())


def _merged(old: Document, patch: Map, *, names: bool, kinds: bool, known: bool) -> Document | None:
    old = remembering(old)
    value = strategic(old.value, patch, names=names, kinds=kinds, known=known)
    return None if value is None else settled(old, replace(old, value=value))


def _named_by(patch: Map) -> Callable[[Document], Answer]:
    meant = identity(patch)
    return lambda each: answer(meant in identities(each))


def labelled(documents: Iterable[Document], pairs: Map) -> list[Document]:
    """The objects with these labels added to their metadata."""
    return with_pairs(documents, pairs, METADATA_LABELS)


def annotated(documents: Iterable[Document], pairs: Map) -> list[Document]:
    """The objects with these annotations added to their metadata."""
    return with_pairs(documents, pairs, METADATA_ANNOTATIONS)


def scaled(
    documents: Iterable[Document], name: Any, count: Any, place: Place, fields: Iterable[Field] = DEFAULTS["replicas"]
) -> list[Document]:
    """The objects, where those with this name, now or earlier, get this number of replicas."""
    fields = tuple(fields)
    return [
        with_fields(each, fields, lambda _: count, place) if literal(name) in {known.name for known in identities(each)} else each
        for each in documents
    ]


def with_images(documents: Iterable[Document], images: Any, fields: Iterable[Field] = DEFAULTS["images"]) -> list[Document]:
    """The objects with the names, tags and digests of images changed, one change after the other."""
    result, fields = list(documents), tuple(fields)
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


_TAG = re.compile(r"[a-zA-Z0-9_.{}-]*")


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
_LONGEST_IMAGE = 1000


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
    return Unknown(text) if FILLED_IN.search(text) else text if len(text) <= _LONGEST_IMAGE else Unknown()
