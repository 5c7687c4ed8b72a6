"""Values that something else fills in: what stands in their place, and every way in which one of them can stand in a text of YAML."""

from collections.abc import Callable, Iterator
from typing import Any

import yaml

from constructs_lib.observed.model import Unknown
from constructs_lib.yaml.load import documents

VAR = "${VAR}"


def plain(value: Any) -> Any:
    """A value with the text of each unknown one, so that it can be compared."""
    if isinstance(value, Unknown):
        return value.text
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(plain, value)) if isinstance(value, tuple) else [plain(item) for item in value]
    return value


Place = tuple[Any, ...]
"""The path of a value among the documents of a text. `KEY` at its end means the key, `TEXT` within it the YAML in a string."""
KEY, TEXT = object(), object()


def written(place: Place) -> str:
    """A path as people read it."""
    return ".".join({id(KEY): "(key)", id(TEXT): "(text)"}.get(id(part), str(part)) for part in place)


def read(text: str) -> list[Any]:
    """The documents of a text."""
    return list(documents(text))


def dumped(found: list[Any]) -> str:
    """The text of documents."""
    return yaml.dump_all(found, Dumper=_Dumper, sort_keys=False, width=10_000, allow_unicode=True)


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def places(value: Any, *, keys: bool = True, path: Place = ()) -> Iterator[Place]:
    """Every scalar of a value and, with `keys`, every key; also those of YAML that stands in its strings."""
    if isinstance(value, dict):
        for key, item in value.items():
            if keys:
                yield (*path, key, KEY)
            yield from places(item, keys=keys, path=(*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, keys=keys, path=(*path, index))
    else:
        yield path
        if (inner := _embedded(value)) is not None:
            yield from places(inner, keys=keys, path=(*path, TEXT))


def _embedded(value: Any) -> Any:
    if not isinstance(value, str) or ("\n" not in value and "{" not in value):
        return None
    try:
        found = read(value)
    except yaml.YAMLError:
        return None
    return found[0] if len(found) == 1 and isinstance(found[0], dict | list) else None


def replaced(value: Any, place: Place, by: Any = VAR) -> Any:
    """A copy of a value with something else at a place."""
    if not place:
        return by
    first, *rest = place
    if first is TEXT:
        return dumped([replaced(_embedded(value), tuple(rest), by)])
    if isinstance(value, dict):
        if rest and rest[0] is KEY:
            return {by if key == first else key: item for key, item in value.items()}
        return {key: replaced(item, tuple(rest), by) if key == first else item for key, item in value.items()}
    return [replaced(item, tuple(rest), by) if index == first else item for index, item in enumerate(value)]


Variant = tuple[str, list[Any]]
"""Where a text was changed, and the documents of the changed text."""


def variants(text: str, *, keys: bool = True) -> Iterator[Variant]:
    """A text with one of its scalars, or keys, filled in later."""
    found = read(text)
    for index, document in enumerate(found):
        for place in places(document, keys=keys):
            yield written((index, *place)), [*found[:index], replaced(document, place), *found[index + 1 :]]


def completed(text: str) -> Iterator[Variant]:
    """A text with one of its strings completed later, at its beginning or at its end."""
    found = read(text)
    for index, document in enumerate(found):
        for place in places(document, keys=False):
            value = _leaf(document, place)
            if isinstance(value, str):
                line = "\n" if "\n" in value else ""
                for other in (f"{VAR}{line}{value}", f"{value}{line}{VAR}{line}"):
                    yield written((index, *place)), [*found[:index], replaced(document, place, other), *found[index + 1 :]]


def _leaf(value: Any, place: Place) -> Any:
    for part in place:
        value = _embedded(value) if part is TEXT else value[part]
    return value


def _at(value: Any, place: Place) -> Any:
    for part in place:
        value = value[part]
    return value


def _containers(value: Any, path: Place = ()) -> Iterator[Place]:
    """Every mapping and every list of a value."""
    if isinstance(value, dict | list):
        yield path
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _containers(item, (*path, key))


def _with_containers(text: str, change: Callable[[Any], Any], *, whole: bool) -> Iterator[Variant]:
    found = read(text)
    for index, document in enumerate(found):
        for place in _containers(document):
            if place or whole:
                changed = replaced(document, place, change(_at(document, place)))
                yield written((index, *place)), [*found[:index], changed, *found[index + 1 :]]


def parts(text: str) -> Iterator[Variant]:
    """A text with one of its mappings or lists filled in later, but for the documents themselves."""
    return _with_containers(text, lambda _: VAR, whole=False)


def additions(text: str) -> Iterator[Variant]:
    """A text with one of its mappings or lists as it may become longer."""
    return _with_containers(text, lambda value: {**value, "${KEY}": VAR} if isinstance(value, dict) else [*value, VAR], whole=True)


def with_unknowns(text: str, is_chosen: Callable[[], bool]) -> str:
    """A text with the chosen scalars filled in later."""
    found = read(text)
    for place in [(index, *place) for index, document in enumerate(found) for place in places(document, keys=False)]:
        if TEXT not in place and is_chosen():
            found = replaced(found, place)
    return dumped(found)
