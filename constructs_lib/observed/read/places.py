"""Places of values that no YAML file gave a line of their own."""

from __future__ import annotations

from typing import Any

from .kubernetes.located_yaml import Map, Place, Seq


def located(value: Any, place: Place) -> Any:
    """The value with a place for each of its parts, for a merge. A part without a place, as in a value from a program, gets that of its parent."""
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
