"""Kustomize's transformers that are objects themselves, listed in `transformers`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..model import Unknown, at, literal, mappings
from .kustomize_fields import Field, configured
from .kustomize_names import renamed
from .kustomize_replacements import replaced
from .kustomize_sharing import with_shared
from .kustomize_transformers import namespaced, scaled, with_images
from .located_yaml import Document, Map

Plugin = Callable[[list[Document], Document], list[Document]]


def _namespace(found: list[Document], plugin: Document) -> list[Document]:
    body = plugin.value
    namespace = at(body, "metadata", "namespace")
    if not isinstance(namespace, str | Unknown):
        return found
    mode = literal(at(body, "setRoleBindingSubjects")) or "defaultOnly"
    return namespaced(found, namespace, plugin.place, _fields(body), subjects=mode, unset_only=at(body, "unsetOnly") is True)


def _prefix(found: list[Document], plugin: Document) -> list[Document]:
    return renamed(found, _fields(plugin.value), prefix=at(plugin.value, "prefix") or "")


def _suffix(found: list[Document], plugin: Document) -> list[Document]:
    return renamed(found, _fields(plugin.value), suffix=at(plugin.value, "suffix") or "")


def _labels(found: list[Document], plugin: Document) -> list[Document]:
    return _with_pairs(found, plugin, "labels")


def _annotations(found: list[Document], plugin: Document) -> list[Document]:
    return _with_pairs(found, plugin, "annotations")


def _with_pairs(found: list[Document], plugin: Document, where: str) -> list[Document]:
    pairs = at(plugin.value, where)
    return with_shared(found, pairs, _fields(plugin.value), where) if isinstance(pairs, Map) else found


def _replicas(found: list[Document], plugin: Document) -> list[Document]:
    name, count = (at(plugin.value, "replica", key) for key in ("name", "count"))
    return scaled(found, name, count, plugin.place, _fields(plugin.value))


def _images(found: list[Document], plugin: Document) -> list[Document]:
    return with_images(found, [at(plugin.value, "imageTag")], _fields(plugin.value))


def _replacements(found: list[Document], plugin: Document) -> list[Document]:
    for _, replacement in mappings(at(plugin.value, "replacements")):
        found = replaced(found, replacement, plugin.place)
    return found


def _fields(body: Any) -> tuple[Field, ...]:
    return configured(at(body, "fieldSpecs"))


PLUGINS: dict[str, Plugin] = {
    "NamespaceTransformer": _namespace,
    "PrefixTransformer": _prefix,
    "SuffixTransformer": _suffix,
    "LabelTransformer": _labels,
    "AnnotationsTransformer": _annotations,
    "ReplicaCountTransformer": _replicas,
    "ImageTagTransformer": _images,
    "ReplacementTransformer": _replacements,
}
"""The transformers by kind. Each changes the objects and reads no file."""
