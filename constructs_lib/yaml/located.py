"""The located tree of YAML and JSON: mappings and lists that keep the file and the line of each entry."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from .unknown import Unknown, UnknownKey

Path = tuple[str | int, ...]
"""The path of a value in a document: keys of mappings and indices of lists."""

Place = tuple[str, int]
"""A file and a line number, which counts from 1. A manifest from a program has the path of its construct, and
`NO_LINE`.
"""

NO_LINE = 0


class Traced(tuple[str, int]):  # noqa: SLOT001  # a tuple takes no slots of its own
    """A `Place` of a value that came by other places: `steps` are these, the nearest first, each with how the value came
    from there.
    """

    steps: tuple[tuple[str, Place], ...]


REPLACES, FILLED_IN = "replaces the value of", "filled in from"
"""How a value comes by another place: a patch, or a later layer, replaces what is there, and a variable is filled in."""
_MOST_STEPS = 10


def traced(place: Place, source: Place, how: str = REPLACES) -> Place:
    """The place of a value that came by another place, which may have come by others."""
    if not source[0] or source == place:
        return place
    result = Traced(place)
    result.steps = (*steps_of(place), (how, source), *steps_of(source))[:_MOST_STEPS]
    return result


def steps_of(place: object) -> tuple[tuple[str, Place], ...]:
    """The places by which a value came to its place, the nearest first, as far as they are known."""
    return place.steps if isinstance(place, Traced) else ()


DEEPEST = 100
"""The most levels of a document, so also the most parts of a path into a document, and of files that include each
other.
"""

_Lines = bytes | int
"""The lines of the entries of a mapping or a list: one number if they are in one line, else 32 bits for each line."""


def _packed(lines: Sequence[int]) -> _Lines:
    return lines[0] if lines.count(lines[0]) == len(lines) else array("I", lines).tobytes()


def _unpacked(lines: _Lines) -> Iterable[int]:
    return repeat(lines) if isinstance(lines, int) else array("I", lines)


class Map(dict[Any, Any]):
    """A mapping with the place of each key. A key that another tool fills in is an `UnknownKey`."""

    __slots__ = ("_file", "_places")

    def __init__(self, items: Any = (), places: dict[Any, Place] | None = None) -> None:
        super().__init__(items)
        self._places: dict[Any, Place] | _Lines = {} if places is None else places

    @property
    def places(self) -> dict[Any, Place]:
        """The place of each key, for a loader that changes the mapping. A mapping from a file keeps only line numbers
        until then.
        """
        places = self._places
        if not isinstance(places, dict):
            places = self._places = {key: (self._file, line) for key, line in zip(self, _unpacked(places), strict=False)}
        return places

    @places.setter
    def places(self, places: dict[Any, Place]) -> None:
        self._places = places

    def place(self, key: Any) -> Place | None:
        """The place of a key, without the memory that the places of all keys need."""
        places = self._places
        if isinstance(places, dict):
            return places.get(key)
        if isinstance(places, bytes):
            is_known = not isinstance(key, Unknown)  # an unknown key can't be compared
            for name, line in zip(self, array("I", places), strict=False):
                if name is key or (is_known and name.__class__ is key.__class__ and name == key):
                    return self._file, line
            return None
        return self._file, places

    def set_lines(self, file: str, lines: Sequence[int]) -> None:
        """Set the line of each key, in the order of the keys."""
        self._file, self._places = file, _packed(lines)


class Seq(list[Any]):
    """A list with the place of each item."""

    __slots__ = ("_file", "_places")

    def __init__(self, items: Any = (), places: list[Place] | None = None) -> None:
        super().__init__(items)
        self._places: list[Place] | _Lines = [] if places is None else places

    @property
    def places(self) -> list[Place]:
        """The place of each item, for a loader that changes the list. A list from a file keeps only line numbers until
        then.
        """
        places = self._places
        if not isinstance(places, list):
            places = self._places = [(self._file, line) for _, line in zip(self, _unpacked(places), strict=False)]
        return places

    def place(self, index: int) -> Place | None:
        """The place of an item, without the memory that the places of all items need."""
        places = self._places
        if isinstance(places, list):
            return places[index] if index < len(places) else None
        return self._file, places if isinstance(places, int) else array("I", places)[index]

    def set_lines(self, file: str, lines: Sequence[int]) -> None:
        """Set the line of each item."""
        self._file, self._places = file, _packed(lines)


def opened(value: Any, place: Place) -> Any:
    """The value for a merge into a mapping: an unknown value becomes a mapping with an unknown key."""
    return Map({(key := key_text(value)): value}, {key: place}) if isinstance(value, Unknown) else value


def opened_throughout(value: Any, by: Unknown) -> Any:
    """The value after a merge with an unknown value: each of its mappings and lists may have further items."""
    if isinstance(value, Map):
        key = key_text(by)
        items = {name: opened_throughout(item, by) for name, item in value.items()}
        return Map({**items, key: by}, {**value.places, key: next(iter(value.places.values()), ("", 0))})
    if isinstance(value, Seq):
        return Seq([*(opened_throughout(item, by) for item in value), by], [*value.places, value.places[-1] if value.places else ("", 0)])
    return value


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a stream.

    `written` is its value before variables were substituted. `repeated` are the keys that stand twice in a mapping:
    each with its line, and the line of the key before.
    """

    value: Any
    place: Place
    written: Any = None
    repeated: tuple[tuple[str, int, int], ...] = ()
    aliased: int = 0
    """The number of values that its aliases repeat."""


def place_of(value: Any, path: Path, place: Place) -> Place:
    """The place of a path, or of the nearest enclosing value with a place. `place` is that of the whole value."""
    key: Any
    for key in path:  # as in `depth_of`, written out: findings and their places are many
        if (isinstance(value, Map) and not isinstance(key, Unknown) and key in value) or (
            isinstance(value, Seq) and isinstance(key, int) and -len(value) <= key < len(value)
        ):
            place = value.place(key) or place
        else:
            break
        value = value[key]
    return place


def depth_of(value: Any, path: Path) -> int:
    """The number of keys of a path that exist."""
    for depth, key in enumerate(path):
        if not (key in value if isinstance(value, Map) else isinstance(value, Seq) and key in range(len(value))):
            return depth
        value = value[key]
    return len(path)


def located_throughout(value: Any, place: Place) -> Any:
    """The value with a place for each of its parts, for a merge. A part without a place, as in a value from a program,
    gets that of its parent.
    """
    if isinstance(value, Map):
        places = {key: value.place(key) or place for key in value}
        return Map({key: located_throughout(item, places[key]) for key, item in value.items()}, places)
    if isinstance(value, Seq):
        listed = [value.place(index) or place for index in range(len(value))]
        return Seq([located_throughout(item, where) for item, where in zip(value, listed, strict=True)], listed)
    return value


def in_one_place(value: Any, place: Place) -> Any:
    """The value as a tree with the same place for each of its parts: they stand in one line, as in a text of JSON, or
    have no line.
    """
    if isinstance(value, Mapping):
        return Map({key: in_one_place(item, place) for key, item in value.items()}, dict.fromkeys(value, place))
    if isinstance(value, list | tuple):
        return Seq([in_one_place(item, place) for item in value], [place] * len(value))
    return value


def rewritten(
    value: Any,
    place: Place,
    scalar: Callable[[Any, Place], Any],
    key: Callable[[Any], Any],
    placed: Callable[[Any, Place], Place] | None = None,
) -> Any:
    """The value with each scalar and each key changed. A scalar is given with its place, or that of what is around it;
    `placed` gives the new place of an entry. Default: entries keep their places."""
    if isinstance(value, Map):
        keys = {name: key(name) for name in value}
        items = {keys[name]: rewritten(item, value.places.get(name, place), scalar, key, placed) for name, item in value.items()}
        kept = ((name, where) for name, where in value.places.items() if name in keys)
        return Map(items, {keys[name]: placed(value[name], where) if placed else where for name, where in kept})
    if isinstance(value, Seq):
        listed = [rewritten(item, value.place(index) or place, scalar, key, placed) for index, item in enumerate(value)]
        return Seq(listed, [placed(item, where) for item, where in zip(value, value.places, strict=False)] if placed else value.places)
    return scalar(value, place)


def size_of(value: Any) -> int:
    """The number of values inside a value, and of the value itself."""
    items = value.values() if isinstance(value, Map) else value if isinstance(value, Seq) else ()
    return 1 + sum(map(size_of, items))


def key_text(key: Any) -> Any:
    """The text of a key that is not a string, as Kubernetes converts YAML to JSON."""
    if isinstance(key, Unknown):
        return UnknownKey(key.text, key.known)
    if key is None:
        return "null"
    return str(key).lower() if isinstance(key, bool) else str(key)
