"""Patches of Talos' machine configuration as operations of RFC 6902."""

from __future__ import annotations

import re
from typing import Any

from ....yaml.limits import DEEPEST
from ...model import Unknown, at
from ..kubernetes.located_yaml import Map, Place, Seq, opened


def operate(documents: Seq, operation: Map) -> Seq:
    """The documents with one operation applied to the machine configuration. Missing parents are created: they may be in unread files."""
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
