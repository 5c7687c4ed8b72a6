"""Patches of Talos' machine configuration, merged as Talos merges them. Every value keeps its place.

Maps are merged by key, lists are appended to, `$patch: delete` removes (siderolabs/talos pkg/machinery/config/merge,
and configloader's decoder/delete.go). talhelper's substitution turns `$$patch` into `$patch`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ....yaml.located import DEEPEST, Map, Place, Seq, opened, opened_throughout
from ...model import Unknown, UnknownKey, at, literal

_PATCH = ("$patch", "$$patch")
# The only list among the checked settings that is merged by a key (pkg/machinery/config/types/v1alpha1,
# AdmissionPluginConfigList).
_BY_NAME = "admissionControl"


def apply(documents: Seq, patch: Seq | Unknown) -> Seq:
    """Talos' documents with a patch applied: a strategic merge by kind and name, or operations of RFC 6902."""
    if isinstance(patch, Unknown):
        return opened_throughout(documents, patch)  # type: ignore[no-any-return]  # a list stays a list
    if patch and all(isinstance(each, Map) and "op" in each and "path" in each for each in patch):
        for operation in patch:
            documents = operate(documents, operation)
        return documents
    items: list[Any] = list(documents)
    places = list(documents.places)
    known = {_identity(each): index for index, each in enumerate(items) if isinstance(each, Map)}
    for document, place in zip(patch, patch.places, strict=True):
        if not isinstance(document, Map):
            continue
        index = known.get(_identity(document))
        if index is None:
            if not _deletes(document):
                known[_identity(document)] = len(items)
                items.append(_without_patches(document))
                places.append(place)
        elif _deletes(document):
            items[known.pop(_identity(document))] = None
        else:
            items[index] = _merge(items[index], document)
    remaining = [index for index, each in enumerate(items) if each is not None]
    return Seq([items[index] for index in remaining], [places[index] for index in remaining])


def _identity(document: Mapping[str, Any]) -> tuple[str, str]:
    """The kind and name by which documents are merged. The machine configuration has no kind."""
    kind = str(literal(document.get("kind")) or "")
    return kind, str(literal(at(document, "name")) or "") if kind else ""


def _merge(left: Map, right: Map) -> Map:
    items, places = dict(left), dict(left.places)
    for key, value in right.items():
        if isinstance(key, UnknownKey):  # the key may be any of the existing keys
            items |= {name: opened_throughout(item, Unknown(key.text)) for name, item in left.items() if name not in right}
        # An empty value replaces nothing, but a map gets its key: a label may be empty.
        if _is_directive(key) or value is None or (key in items and _is_zero(value)):
            continue
        if isinstance(value, Map) and _deletes(value):
            items.pop(key, None)
        elif isinstance(value, Unknown) and isinstance(items.get(key), Map | Seq):
            items[key] = opened_throughout(items[key], value)
        elif isinstance(value, Map) and isinstance(old := opened(items.get(key), right.places[key]), Map):
            items[key] = _merge(old, value)
        elif isinstance(value, Seq):
            had = items.get(key)
            items[key] = _extend(had if isinstance(had, Seq) else Seq(), value, by_name=isinstance(key, str) and key == _BY_NAME)
            if not isinstance(had, Seq):
                places[key] = right.places[key]
        else:
            items[key] = _without_patches(value)
            places[key] = right.places[key]
    return Map(items, places)


def _is_directive(key: Any) -> bool:
    return isinstance(key, str) and key in _PATCH


def _is_zero(value: Any) -> bool:
    """Whether a merge ignores the value as empty if the key has a value. `false` is not empty."""
    return not isinstance(value, bool | Map | Seq | Unknown) and value in {"", 0}


def _extend(left: Seq, right: Seq, *, by_name: bool) -> Seq:
    items, places = list(left), list(left.places)
    for index, value in enumerate(right):
        unread = _unread_deletion(value)
        if unread is not None:  # the item may delete any of the existing items
            items = [unread for _ in items]
        elif isinstance(value, Map) and _deletes(value):
            same = _index(items, _selected(value))
            if same is not None:
                del items[same], places[same]
        elif by_name and isinstance(value, Map) and (same := _index(items, ("name", at(value, "name")))) is not None:
            items[same] = _merge(items[same], value)
        else:
            items.append(value)
            places.append(right.places[index])
    return Seq(items, places)


def _index(items: list[Any], selector: tuple[str, Any] | None) -> int | None:
    if selector is None:
        return None
    key, value = selector
    return next((index for index, each in enumerate(items) if isinstance(each, Mapping) and repr(each.get(key)) == repr(value)), None)


def _selected(value: Map) -> tuple[str, Any] | None:
    """The key and value that select an item to delete: the first key beside `$patch`."""
    return next(((key, item) for key, item in value.items() if not _is_directive(key)), None)


def _deletes(value: Map) -> bool:
    return any(literal(value.get(key)) == "delete" for key in _PATCH)


def _unread_deletion(value: Any) -> Unknown | None:
    """The unknown part of an item that deletes another item, or may. None if there is none."""
    if not isinstance(value, Map):
        return None
    unread = [each for each in (*(value.get(key) for key in _PATCH), *value) if isinstance(each, Unknown)]
    is_directive = _deletes(value) or any(literal(item) == "delete" or _is_directive(key) for key, item in value.items())
    if is_directive and not unread and _deletes(value):
        unread = [selected_value for _, selected_value in (_selected(value) or ("", None),) if isinstance(selected_value, Unknown)]
    return unread[0] if is_directive and unread else None


def _without_patches(value: Any) -> Any:
    """The part of a patch that is added to an empty document: without deletions."""
    if isinstance(value, Map):
        return _merge(Map(), value)
    return _extend(Seq(), value, by_name=False) if isinstance(value, Seq) else value


def operate(documents: Seq, operation: Map) -> Seq:
    """The documents with one operation applied to the machine configuration. Missing parents are created: they may be
    in unread files."""
    path = [part.replace("~1", "/").replace("~0", "~") for part in str(operation["path"]).lstrip("/").split("/")]
    if len(path) > DEEPEST:
        return documents
    first = next((index for index, each in enumerate(documents) if isinstance(each, Map) and "kind" not in each), None)
    config, place = (documents[first], documents.places[first]) if first is not None else (Map(), _place(operation))
    unread = next((operation[key] for key in ("path", "op") if isinstance(operation[key], Unknown)), None)
    changed = _changed(config, path, operation) if unread is None else _with(config, opened(unread, place))
    if first is None:
        return Seq([*documents, changed], [*documents.places, place])
    return Seq([*documents[:first], changed, *documents[first + 1 :]], documents.places)


def _with(value: Map, more: Map) -> Map:
    return Map({**value, **more}, {**value.places, **more.places})


def _place(operation: Map) -> Place:
    return operation.places["path"]


def _changed(value: Any, path: list[str], operation: Map) -> Any:
    key, rest = path[0], path[1:]
    if isinstance(value, Seq) or (key == "-" and not rest):
        return _changed_list(value if isinstance(value, Seq) else Seq(), key, rest, operation)
    items, places = (dict(value), dict(value.places)) if isinstance(value, Map) else ({}, {})
    if rest:
        if key in items or operation["op"] != "remove":
            items[key] = _changed(items.get(key), rest, operation)
            places.setdefault(key, _place(operation))
    elif operation["op"] == "remove":
        items.pop(key, None)
    elif operation["op"] in ("add", "replace"):
        items[key], places[key] = at(operation, "value"), _place(operation)
    return Map(items, places)


def _changed_list(value: Seq, key: str, rest: list[str], operation: Map) -> Seq:
    items, places = list(value), list(value.places)
    index = int(key) if re.fullmatch(r"[0-9]{1,6}", key) else len(items)
    if rest:
        if index < len(items):
            items[index] = _changed(items[index], rest, operation)
    elif operation["op"] == "remove":
        del items[index : index + 1], places[index : index + 1]
    elif operation["op"] == "add":
        items.insert(index, at(operation, "value"))
        places.insert(index, _place(operation))
    elif operation["op"] == "replace" and index < len(items):
        items[index], places[index] = at(operation, "value"), _place(operation)
    return Seq(items, places)


def located(value: Any, place: Place) -> Any:
    """The value with a place for each of its parts, for a merge. A part without a place, as in a value from a program,
    gets that of its parent."""
    if isinstance(value, Map):
        places = {key: value.place(key) or place for key in value}
        return Map({key: located(item, places[key]) for key, item in value.items()}, places)
    if isinstance(value, Seq):
        listed = [value.place(index) or place for index in range(len(value))]
        return Seq([located(item, where) for item, where in zip(value, listed, strict=True)], listed)
    return value


def in_one_place(value: Any, place: Place) -> Any:
    """The value with the same place for each of its parts: they stand in one line, as in a text of JSON."""
    if isinstance(value, Map):
        return Map({key: in_one_place(item, place) for key, item in value.items()}, dict.fromkeys(value, place))
    if isinstance(value, Seq):
        return Seq([in_one_place(item, place) for item in value], [place] * len(value))
    return value
