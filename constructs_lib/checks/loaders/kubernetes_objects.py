"""Kubernetes objects among the documents that were read: one each, or several in a List."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..model import KubernetesObject, Path, Unknown, at, known_str, mappings, starts_with, text_of
from .located_yaml import Document, Place, place_of


def is_object(body: Any) -> bool:
    """Whether a value is a Kubernetes object, or a List of them, or may be one."""
    return isinstance(body, Mapping) and all(isinstance(at(body, key), str | Unknown) for key in ("apiVersion", "kind"))


def kind_of(body: Any) -> str:
    """The kind of an object, empty where it has none or where that can't be read."""
    return known_str(at(body, "kind")) or ""


def is_of(body: Any, kind: str, group: str) -> bool:
    """Whether an object is of a kind, and its API group begins so, as far as that can be read."""
    return kind_of(body) == kind and not starts_with(at(body, "apiVersion"), group).is_no


def objects_of(document: Document) -> Iterator[Document]:
    """The object that a document is, or those of its List; nothing of another kind of document."""
    body = document.value
    if not is_object(body):
        return
    if kind_of(body).endswith("List") and isinstance(at(body, "items"), list):
        for index, item in mappings(at(body, "items")):
            yield from objects_of(Document(item, place_of(body, ("items", index), document.place)))
    else:
        yield document


def kubernetes_object(document: Document) -> KubernetesObject:
    """An object that knows its lines."""
    body = document.value
    namespace = text_of(at(body, "metadata", "namespace"))
    is_given = isinstance(namespace, Unknown) or bool(namespace)
    return KubernetesObject(body=body, namespace=namespace if is_given else None, **lines(body, document.place))


def lines(body: Any, place: Place) -> dict[str, Any]:
    """The arguments of a `Read` that say where it stands."""

    def line_of(path: Path) -> int | None:
        return place_of(body, path, place)[1]

    def file_of(path: Path) -> str | None:
        return place_of(body, path, place)[0]

    return {"file": place[0], "line_of": line_of, "file_of": file_of}
