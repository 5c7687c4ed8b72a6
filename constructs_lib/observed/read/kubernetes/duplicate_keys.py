"""The keys that stand twice in a mapping of a document that was checked."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from pathlib import Path

from ....yaml.located import Document, Map
from ...model import RepeatedKey, known_str
from ..files import KUSTOMIZATIONS
from .objects import objects_of


def repeated_keys(documents: Iterable[Document], checked: Container[object], of_talos: Container[object]) -> Iterator[RepeatedKey]:
    """The repeated keys of the documents at these places, of Lists with an object at these places, and of
    kustomizations."""
    for document in documents:
        tool = "Talos" if document.place in of_talos else "kustomize" if _is_of_kustomize(document) else ""
        if tool or document.place in checked or any(each.place in checked for each in objects_of(document)):
            for key, line, first in document.repeated:
                yield _repeated(document, key, line, first, tool)


def _repeated(document: Document, key: str, line: int, first: int, tool: str) -> RepeatedKey:
    body = document.value if isinstance(document.value, Map) else {}
    file = document.place[0]
    return RepeatedKey(body=body, file=file, place_at=lambda _: (file, line), key=key, first_line=first, refused_by=tool)


def _is_of_kustomize(document: Document) -> bool:
    """Whether the document is the kustomization of a folder, and no object of Flux."""
    group = document.value.get("apiVersion") if isinstance(document.value, Map) else ""
    return Path(document.place[0]).name in KUSTOMIZATIONS and (
        group is None or str(known_str(group)).startswith("kustomize.config.k8s.io/")
    )
