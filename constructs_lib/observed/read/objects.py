"""Kubernetes objects among documents: a document is one object, or a List of objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...yaml.located import NO_LINE, Document, Place, place_of
from ..model import KubernetesObject, Path, Unknown, at, known_str, mappings, no_place, starts_with, text_of


def is_object(body: Any) -> bool:
    """Whether a value is a Kubernetes object or a List, or may be one of these."""
    return isinstance(body, Mapping) and all(isinstance(at(body, key), str | Unknown) for key in ("apiVersion", "kind"))


def kind_of(body: Any) -> str:
    """The kind of an object. Empty if it is missing or unknown."""
    return known_str(at(body, "kind")) or ""


def is_of(body: Any, kind: str, group: str) -> bool:
    """Whether an object has this kind, and an API group with this prefix. An unknown API group also matches."""
    return kind_of(body) == kind and not starts_with(at(body, "apiVersion"), group).is_no


def objects_of(document: Document) -> Iterator[Document]:
    """The object in a document, or the items of its List. Nothing for any other document."""
    body = document.value
    if not is_object(body):
        return
    if kind_of(body).endswith("List") and isinstance(at(body, "items"), list):
        for index, item in mappings(at(body, "items")):
            yield from objects_of(Document(item, place_of(body, ("items", index), document.place)))
    else:
        yield document


def kubernetes_object(document: Document) -> KubernetesObject:
    """The `KubernetesObject` of a document, with its line numbers."""
    body = document.value
    namespace = text_of(at(body, "metadata", "namespace"))
    is_given = isinstance(namespace, Unknown) or bool(namespace)
    return KubernetesObject(body=body, namespace=namespace if is_given else None, **lines(body, document.place))


def lines(body: Any, place: Place) -> dict[str, Any]:
    """The arguments of `Read` for file and lines."""
    return {"file": place[0], "place_at": no_place if place[1] == NO_LINE else _Places(body, place)}


class _Places:
    """The places inside an object. An instance needs less memory than a function for each object."""

    __slots__ = ("body", "place")

    def __init__(self, body: Any, place: Place) -> None:
        self.body, self.place = body, place

    def __call__(self, path: Path) -> Place:
        return place_of(self.body, path, self.place)
