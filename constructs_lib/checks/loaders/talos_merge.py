"""Patches of Talos' machine configuration, merged as Talos merges them; every value keeps the place where somebody wrote it.

Maps are merged by key, lists are appended to, `$patch: delete` removes (siderolabs/talos pkg/machinery/config/merge, and configloader's
decoder/delete.go). talhelper's own substitution makes `$patch` of `$$patch`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model import Unknown
from .located_yaml import Map, Seq
from .talos_operations import operate

_PATCH = ("$patch", "$$patch")
# The one list of what we read that is merged by a key (pkg/machinery/config/types/v1alpha1, AdmissionPluginConfigList).
_BY_NAME = "admissionControl"


def apply(documents: Seq, patch: Seq) -> Seq:
    """Talos' documents with a patch: documents of the same kind and name are merged, or the operations of RFC 6902 are done."""
    if patch and all(isinstance(each, Map) and "op" in each and "path" in each for each in patch):
        for operation in patch:
            documents = operate(documents, operation)
        return documents
    items: list[Any] = list(documents)
    places = list(documents.places)
    known = {_identity(each): index for index, each in enumerate(items)}
    for document, place in zip(patch, patch.places, strict=True):
        if not isinstance(document, Map):
            continue
        at = known.get(_identity(document))
        if at is None:
            if not _deletes(document):
                known[_identity(document)] = len(items)
                items.append(_without_patches(document))
                places.append(place)
        elif _deletes(document):
            items[known.pop(_identity(document))] = None
        else:
            items[at] = _merge(items[at], document)
    kept = [index for index, each in enumerate(items) if each is not None]
    return Seq([items[index] for index in kept], [places[index] for index in kept])


def _identity(document: Mapping[str, Any]) -> tuple[str, str]:
    """What makes two documents one; the machine configuration has no kind."""
    kind = str(document.get("kind") or "")
    return kind, str(document.get("name") or "") if kind else ""


def _merge(left: Map, right: Map) -> Map:
    items, places = dict(left), dict(left.places)
    for key, value in right.items():
        if key in _PATCH or _is_zero(value):
            continue
        if isinstance(value, Map) and _deletes(value):
            items.pop(key, None)
        elif isinstance(value, Map) and isinstance(items.get(key), Map):
            items[key] = _merge(items[key], value)
        elif isinstance(value, Seq):
            had = items.get(key)
            items[key] = _extend(had if isinstance(had, Seq) else Seq(), value, by_name=key == _BY_NAME)
            if not isinstance(had, Seq):
                places[key] = right.places[key]
        else:
            items[key] = _without_patches(value)
            places[key] = right.places[key]
    return Map(items, places)


def _is_zero(value: Any) -> bool:
    """What a merge takes for nothing said; `false` is something."""
    return value is None or (not isinstance(value, bool | Map | Seq | Unknown) and value in {"", 0})


def _extend(left: Seq, right: Seq, *, by_name: bool) -> Seq:
    items, places = list(left), list(left.places)
    for index, value in enumerate(right):
        if isinstance(value, Map) and _deletes(value):
            at = _index(items, _selected(value))
            if at is not None:
                del items[at], places[at]
        elif by_name and isinstance(value, Map) and (at := _index(items, ("name", value.get("name")))) is not None:
            items[at] = _merge(items[at], value)
        else:
            items.append(value)
            places.append(right.places[index])
    return Seq(items, places)


def _index(items: list[Any], wanted: tuple[str, Any] | None) -> int | None:
    if wanted is None:
        return None
    key, value = wanted
    return next((index for index, each in enumerate(items) if isinstance(each, Mapping) and each.get(key) == value), None)


def _selected(value: Map) -> tuple[str, Any] | None:
    """What an item that is to go is known by: its first key beside `$patch`."""
    return next(((key, wanted) for key, wanted in value.items() if key not in _PATCH), None)


def _deletes(value: Map) -> bool:
    return any(value.get(key) == "delete" for key in _PATCH)


def _without_patches(value: Any) -> Any:
    """What a patch adds where nothing was: without what it only deletes."""
    if isinstance(value, Map):
        return _merge(Map(), value)
    return _extend(Seq(), value, by_name=False) if isinstance(value, Seq) else value
