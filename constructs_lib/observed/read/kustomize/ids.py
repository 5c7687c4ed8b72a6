"""The ids of objects in a kustomization: kustomize refuses a second object of an id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ....yaml.located import Document
from ...model import Unknown, is_unknown, literal
from ..objects import Rendered
from .fields import Resource

ObjectId = tuple[str, str, str, str]
"""API version, kind, name and namespace: kustomize takes one object of an id."""
_REGISTERED = "may not add resource with an already registered id"


def object_id(document: Document) -> ObjectId | None:
    """The id of an object. None for an unknown one. The variables of Flux are text for kustomize."""
    try:
        metadata = document.value["metadata"]
        parts = (document.value["apiVersion"], document.value["kind"], metadata["name"])
        namespace = metadata["namespace"] if "namespace" in metadata else "default"  # noqa: SIM401  # get() is a call
    except (KeyError, TypeError):  # an object without a name, or of which another tool fills in more than a name
        return None
    version, kind, name = parts
    if not type(version) is type(kind) is type(name) is type(namespace) is str:
        if any(isinstance(part, Unknown) and "${" not in part.text for part in (*parts, namespace)):
            return None
        version, kind, name, namespace = ("" if part is None else f"{part}" for part in (*parts, namespace))
    return (version, kind, name, namespace or "default") if name else None


class Ids:
    """The ids of the objects that a kustomization collects, each with the resource that brings it. `before` are the
    objects that a component gets.
    """

    def __init__(self, before: Rendered) -> None:
        self._first = dict.fromkeys(_ids(before), "")

    def repeated(self, resource: Rendered, written: str) -> str:
        """Why kustomize refuses a further resource: an earlier one brings an object of the same id. Empty if none does."""
        own = _ids(resource)
        twice = next((name for name in own if name in self._first), None)
        first = "" if twice is None else self._first[twice]
        self._first = dict.fromkeys(own, written) | self._first
        if twice is None:
            return ""
        if _plain(first) == _plain(written):
            return f"'{written}' is listed twice: '{_REGISTERED}'"
        other = f"'{first}'" if first else "the kustomization that lists the component"
        return f"'{written}' brings {_words(twice)}, and {other} brings it, too: '{_REGISTERED}'"


def repeated_in_file(documents: Sequence[Document], written: str) -> str:
    """Why kustomize refuses a file: two of its objects have one id. Empty if none have."""
    twice = next(_repeated(documents), None)
    return "" if twice is None else f"'{written}' has {_words(twice)} twice: '{_REGISTERED}'"


def joined_by_namespace(before: Sequence[Document], after: Sequence[Document]) -> str:
    """Why kustomize refuses the namespace of a kustomization: it gives two objects one id. Empty if it does not."""
    repeated = [*_repeated(after)]
    known = {*_repeated(before)} if repeated else ()
    twice = next((name for name in repeated if name not in known), None)
    return (
        ""
        if twice is None
        else f"the namespace gives two objects the id of {_words(twice)}: 'namespace transformation produces ID conflict'"
    )


def not_generated(new: Resource, same: Document | None, behavior: Any, built: Rendered) -> str:
    """Why kustomize refuses a generated object. `same` is the object that has its name. Empty if kustomize takes it."""
    name, written = object_id(new), literal(behavior)
    if name is None or built.has_other_names or is_unknown(behavior):
        return ""
    is_change = written in ("merge", "replace")
    if same is not None and not is_change:
        return f"{_words(name)} is generated a second time: 'exists; can not use behavior', behavior must be merge or replace"
    if same is None and is_change and not built.is_partial:
        return f"there is no {_words(name)} to {written}: 'does not exist; cannot merge or replace'"
    return ""


def _ids(built: Rendered) -> list[ObjectId]:
    return [] if built.has_other_names else [name for each in built.documents if (name := object_id(each))]


def _repeated(documents: Iterable[Document]) -> Iterator[ObjectId]:
    return (name for name, number in Counter(map(object_id, documents)).items() if name and number > 1)


def _plain(written: str) -> str:
    return written.removeprefix("./")


def _words(name: ObjectId) -> str:
    """The object of an id in words: `Pod plex in namespace media`."""
    _, kind, own, namespace = name
    return f"{kind} {own}" if namespace == "default" else f"{kind} {own} in namespace {namespace}"
