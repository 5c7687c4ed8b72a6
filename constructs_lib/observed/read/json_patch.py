"""The operations of RFC 6902, as kustomize and Talos apply them: `add`, `replace` and `remove`. Values keep their
places."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ...yaml.located import DEEPEST, Map, Place, Seq, traced
from ..model import at, literal

_CHANGES = ("add", "replace", "remove")


class Operation(NamedTuple):
    """An operation, with the place of its value. With `creates`, missing parents are made, and an index behind the end
    of a list is the end: the changed value is a part of a larger one.
    """

    op: str
    new: Any
    place: Place
    creates: bool


def operated(value: Any, operation: Any, place: Place, *, creates: bool = False) -> Any:
    """The value with an operation applied. One that is of another kind, or would fail, is skipped."""
    op, path = literal(at(operation, "op")), literal(at(operation, "path"))
    parts = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]] if isinstance(path, str) else []
    if op not in _CHANGES or not 0 < len(parts) <= DEEPEST:
        return value
    return _changed(value, parts, Operation(op, at(operation, "value"), place, creates))


def _changed(value: Any, parts: list[str], operation: Operation) -> Any:
    part, *rest = parts
    if isinstance(value, Seq) or (operation.creates and part == "-" and not rest):
        return _changed_list(value if isinstance(value, Seq) else Seq(), part, rest, operation)
    if not isinstance(value, Map):
        if not operation.creates:
            return value
        value = Map()
    items, places = dict(value), dict(value.places)
    if rest:
        if part in items or (operation.creates and operation.op != "remove"):
            items[part] = _changed(items.get(part), rest, operation)
            places.setdefault(part, operation.place)
    elif operation.op == "remove":
        items.pop(part, None)
    else:
        items[part], places[part] = operation.new, traced(operation.place, places[part]) if part in places else operation.place
    return Map(items, places)


def _changed_list(value: Seq, part: str, rest: list[str], operation: Operation) -> Seq:
    items, places = list(value), list(value.places)
    index = int(part) if re.fullmatch(r"-?\d{1,9}", part) else len(items) + (part != "-")
    index += len(items) if index < 0 else 0
    if operation.creates and not 0 <= index <= len(items):
        index = len(items)
    if operation.op == "add" and not rest:
        if 0 <= index <= len(items):
            items.insert(index, operation.new)
            places.insert(index, operation.place)
    elif 0 <= index < len(items):
        if rest:
            items[index] = _changed(items[index], rest, operation)
        elif operation.op == "remove":
            del items[index], places[index]
        else:
            items[index], places[index] = operation.new, traced(operation.place, places[index])
    return Seq(items, places)
