"""Kubernetes objects among the documents that were read: one each, or several in a List."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..model import KubernetesObject, Path, mappings
from .located_yaml import Document, Place, place_of


def is_object(body: object) -> bool:
    """Whether a value is a Kubernetes object, or a List of them."""
    return isinstance(body, Mapping) and isinstance(body.get("apiVersion"), str) and isinstance(body.get("kind"), str)


def objects_of(document: Document) -> Iterator[Document]:
    """The object that a document is, or those of its List; nothing of another kind of document."""
    body = document.value
    if not is_object(body):
        return
    if body["kind"].endswith("List") and isinstance(body.get("items"), list):
        for index, item in mappings(body["items"]):
            yield from objects_of(Document(item, place_of(body, ("items", index), document.place)))
    else:
        yield document


def kubernetes_object(document: Document) -> KubernetesObject:
    """An object that knows its lines."""
    body = document.value
    metadata = body.get("metadata")
    namespace = metadata.get("namespace") if isinstance(metadata, Mapping) else None
    return KubernetesObject(
        body=body, namespace=namespace if isinstance(namespace, str) and namespace else None, **lines(body, document.place)
    )


def lines(body: Any, place: Place) -> dict[str, Any]:
    """The arguments of a `Read` that say where it stands."""

    def line_of(path: Path) -> int | None:
        return place_of(body, path, place)[1]

    def file_of(path: Path) -> str | None:
        return place_of(body, path, place)[0]

    return {"file": place[0], "line_of": line_of, "file_of": file_of}
