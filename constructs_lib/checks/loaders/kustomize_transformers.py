"""What kustomize does to every object that it has collected: patches, a namespace, labels, annotations, images and replicas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ...upstream.kubernetes_api import CLUSTER_SCOPED
from ..model import Unknown, at, is_given, known_list, known_str, literal, mappings
from ..model.unknown import FILLED_IN
from .kubernetes_objects import is_object, kind_of
from .kustomize_patches import json6902, strategic
from .located_yaml import Document, Map, Place, Seq
from .patch_targets import selects

_CLUSTER_SCOPED = CLUSTER_SCOPED | {"Node", "IngressClass", "CSIDriver", "CSINode", "RuntimeClass", "VolumeAttachment", "FlowSchema"}

_DEEPEST = 50


def with_value(body: Any, path: tuple[str, ...], value: Any, place: Place) -> Map:
    """A mapping with this value at a path, whose mappings are made where they are missing."""
    base = body if isinstance(body, Map) else Map()
    key, *rest = path[:_DEEPEST]
    new = with_value(base.get(key), tuple(rest), value, place) if rest else value
    kept = key in base and rest
    return Map({**base, key: new}, base.places if kept else {**base.places, key: place})


def namespaced(found: Iterable[Document], namespace: str | Unknown, place: Place) -> list[Document]:
    """The objects in this namespace; a Namespace among them takes its name."""
    return [_namespaced(each, namespace, place) for each in found]


def _namespaced(each: Document, namespace: str | Unknown, place: Place) -> Document:
    kind = kind_of(each.value)
    if kind == "Namespace":
        return Document(with_value(each.value, ("metadata", "name"), namespace, place), each.place)
    if kind in _CLUSTER_SCOPED:
        return each
    return Document(with_value(each.value, ("metadata", "namespace"), namespace, place), each.place)


def at_fields(found: Iterable[Document], fields: Any, value: str | Unknown, place: Place) -> list[Document]:
    """The objects with a value in further fields, which their kinds have or get."""
    result = list(found)
    for _, field in mappings(fields):
        path = tuple((known_str(at(field, "path")) or "").split("/"))
        result = [
            Document(with_value(each.value, path, value, place), each.place)
            if literal(at(each.value, "kind")) == literal(at(field, "kind"))
            and str(at(each.value, "apiVersion")).startswith(known_str(at(field, "group")) or "")
            and (at(field, "create") is True or at(each.value, *path) is not None)
            else each
            for each in result
        ]
    return result


def defaulted(found: Iterable[Document], namespace: str | Unknown, place: Place) -> list[Document]:
    """The objects, of which those that name no namespace are in this one."""
    return [
        each
        if kind_of(each.value) in {*_CLUSTER_SCOPED, "Namespace"} or is_given(at(each.value, "metadata", "namespace"))
        else _namespaced(each, namespace, place)
        for each in found
    ]


def patched(found: Iterable[Document], patch: list[Document], target: Any) -> list[Document]:
    """The objects with a patch on those that its target means, or that it names itself."""
    result = list(found)
    for each in patch:
        if isinstance(each.value, Seq) and isinstance(target, Map):
            selected = selects(target)
            result = [Document(json6902(old.value, each.value), old.place) if selected(old) else old for old in result]
        elif isinstance(each.value, Map):
            selected = selects(target) if isinstance(target, Map) else _named_by(each.value)
            merged = ((old, strategic(old.value, each.value) if selected(old) else old.value) for old in result)
            result = [Document(value, old.place) for old, value in merged if value is not None]
    return [each for each in result if is_object(each.value)]


def _named_by(patch: Map) -> Any:
    kind, name, namespace = _identity(patch)

    def selected(each: Document) -> bool:
        own = _identity(each.value)
        return own[:2] == (kind, name) and namespace in (None, own[2])

    return selected


def _identity(body: Any) -> tuple[Any, Any, Any]:
    """What kustomize knows an object by, as it stands before Flux fills anything in."""
    metadata = at(body, "metadata")
    return literal(at(body, "kind")), literal(at(metadata, "name")), literal(at(metadata, "namespace"))


_TEMPLATES = {
    **dict.fromkeys(("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job"), ("spec", "template")),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
}


def labelled(found: Iterable[Document], pairs: Map, *, selectors: bool, templates: bool) -> list[Document]:
    """The objects with these labels, on their pods and in their selectors too where that is wanted."""
    return [_labelled(each, pairs, selectors=selectors, templates=templates) for each in found]


def _labelled(each: Document, pairs: Map, *, selectors: bool, templates: bool) -> Document:
    body, kind = each.value, kind_of(each.value)
    paths: list[tuple[str, ...]] = [("metadata", "labels")]
    if (selectors or templates) and kind in _TEMPLATES:
        paths.append((*_TEMPLATES[kind], "metadata", "labels"))
    if selectors and kind in ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"):
        paths.append(("spec", "selector", "matchLabels"))
    if selectors and kind == "Service" and isinstance(at(body, "spec", "selector"), Map):
        paths.append(("spec", "selector"))
    for path in paths:
        for key, value in pairs.items():
            body = with_value(body, (*path, key), value, pairs.places[key])
    return Document(body, each.place)


def annotated(found: Iterable[Document], pairs: Map) -> list[Document]:
    """The objects with these annotations."""
    result = []
    for each in found:
        body = each.value
        for key, value in pairs.items():
            body = with_value(body, ("metadata", "annotations", key), value, pairs.places[key])
        result.append(Document(body, each.place))
    return result


def replaced(found: Iterable[Document], target: Mapping[str, Any], place: Place) -> list[Document]:
    """The objects, of which those that a replacement means have an unknown value where it puts one, as far as its path is one of keys."""
    selector, paths = at(target, "select"), at(target, "fieldPaths")
    selected = selects(selector if isinstance(selector, Mapping) else {})
    result = list(found)
    for written in known_list(paths):
        path = tuple(each.replace("\\.", ".") for each in re.split(r"(?<!\\)\.", str(written)))
        result = [
            Document(with_value(each.value, path, Unknown(), place), each.place)
            if selected(each) and isinstance(at(each.value, *path), str | int | float | Unknown)
            else each
            for each in result
        ]
    return result


def scaled(found: Iterable[Document], name: Any, count: Any, place: Place) -> list[Document]:
    """The objects, of which those of this name have so many replicas."""
    return [
        Document(with_value(each.value, ("spec", "replicas"), count, place), each.place)
        if kind_of(each.value) in ("Deployment", "StatefulSet", "ReplicaSet") and _identity(each.value)[1] == literal(name)
        else each
        for each in found
    ]


def with_images(found: Iterable[Document], images: Any) -> list[Document]:
    """The objects with other names, tags and digests of images."""
    by_name = {name: image for _, image in mappings(images) if isinstance(name := at(image, "name"), str)}
    return [Document(_with_images(each.value, by_name), each.place) for each in found] if by_name else list(found)


def _with_images(value: Any, images: dict[str, Any]) -> Any:
    if isinstance(value, Seq):
        return Seq([_with_images(item, images) for item in value], value.places)
    if not isinstance(value, Map):
        return value
    result = Map({key: _with_images(item, images) for key, item in value.items()}, value.places)
    written = result.get("image")
    if isinstance(written, str | Unknown) and "name" in result:
        result["image"] = _image(written, images)
    return result


def _image(image: str | Unknown, images: dict[str, Any]) -> str | Unknown:
    written = literal(image)
    whole, _, digest = written.partition("@")
    before, slash, last = whole.rpartition("/")
    last, _, tag = last.partition(":")
    change = images.get(f"{before}{slash}{last}")
    if change is None:
        return image
    name, new_tag, new_digest = (literal(at(change, key)) for key in ("newName", "newTag", "digest"))
    if new_tag or new_digest:
        tag, digest = new_tag, new_digest
    text = f"{name or f'{before}{slash}{last}'}{f':{tag}' if tag else ''}{f'@{digest}' if digest else ''}"
    return Unknown(text) if FILLED_IN.search(text) else text
