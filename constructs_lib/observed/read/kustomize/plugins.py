"""Kustomize's transformers that are objects themselves, listed in `transformers`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...model import Unknown, at, literal, mappings
from ..kubernetes.located_yaml import Document, Map
from .fields import Field, configured
from .names import renamed
from .replacements import replaced
from .sharing import with_shared
from .transformers import namespaced, scaled, with_images

Plugin = Callable[[list[Document], Document], list[Document]]


def _namespace(documents: list[Document], plugin: Document) -> list[Document]:
    body = plugin.value
    namespace = at(body, "metadata", "namespace")
    if not isinstance(namespace, str | Unknown):
        return documents
    mode = literal(at(body, "setRoleBindingSubjects")) or "defaultOnly"
    return namespaced(documents, namespace, plugin.place, _fields(body), subjects=mode, unset_only=at(body, "unsetOnly") is True)


def _prefix(documents: list[Document], plugin: Document) -> list[Document]:
    return renamed(documents, _fields(plugin.value), prefix=at(plugin.value, "prefix") or "")


def _suffix(documents: list[Document], plugin: Document) -> list[Document]:
    return renamed(documents, _fields(plugin.value), suffix=at(plugin.value, "suffix") or "")


def _labels(documents: list[Document], plugin: Document) -> list[Document]:
    return _with_pairs(documents, plugin, "labels")


def _annotations(documents: list[Document], plugin: Document) -> list[Document]:
    return _with_pairs(documents, plugin, "annotations")


def _with_pairs(documents: list[Document], plugin: Document, where: str) -> list[Document]:
    pairs = at(plugin.value, where)
    return with_shared(documents, pairs, _fields(plugin.value), where) if isinstance(pairs, Map) else documents


def _replicas(documents: list[Document], plugin: Document) -> list[Document]:
    name, count = (at(plugin.value, "replica", key) for key in ("name", "count"))
    return scaled(documents, name, count, plugin.place, _fields(plugin.value))


def _images(documents: list[Document], plugin: Document) -> list[Document]:
    return with_images(documents, [at(plugin.value, "imageTag")], _fields(plugin.value))


def _replacements(documents: list[Document], plugin: Document) -> list[Document]:
    for _, replacement in mappings(at(plugin.value, "replacements")):
        documents = replaced(documents, replacement, plugin.place)
    return documents


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
