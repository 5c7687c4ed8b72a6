"""Chart values, merged as Helm merges them. Each value keeps its file and line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ....arguments.patterns import pattern
from ....upstream.charts import chart_name
from ....yaml.located import DEEPEST, Document, Map, Place, opened, place_of, traced
from ....yaml.unknown import GAP
from ...model import Path, Unknown
from ..objects import lines


def merged(layers: Iterable[Any]) -> Map:
    """The layers merged in order: a mapping is merged, any other value replaces the one before.

    A null removes the value before it, and stays in the result: it removes the chart's own default, too.
    """
    result = Map()
    for layer in layers:
        if isinstance(known := opened(layer, _NOWHERE), Mapping):
            result = _over(result, known)
    return result


def _over(base: Mapping[str, Any], over: Mapping[str, Any]) -> Map:
    result = Map(base, dict(_places(base)))
    places = _places(over)
    for key, value in over.items():
        old = opened(result.get(key), places.get(key, _NOWHERE)) if isinstance(value, Mapping) else None
        if isinstance(value, Mapping) and isinstance(old, Mapping):
            result[key] = _over(old, value)
        else:
            result[key] = _over(Map(), value) if isinstance(value, Mapping) else value
            if key in places:
                result.places[key] = traced(places[key], result.places[key]) if key in result.places else places[key]
    return result


_NOWHERE: Place = ("", 0)


def _places(value: Mapping[str, Any]) -> Mapping[str, Place]:
    return value.places if isinstance(value, Map) else {}


class Text(str):
    """The whole text of a file that a generator puts into an object."""

    __slots__ = ()


def within(value: str, place: Place) -> Place:
    """The place of a text's first line if its key is at `place`: a block scalar begins in the next line."""
    return (place[0], place[1] + 1) if "\n" in value and not isinstance(value, Text) else place


_PART = pattern(r"((?:[^.\\[\]]|\\.)+)")


def at_path(written: str, value: Any, place: Place) -> Map | None:
    """The values of `--set a.b=value`. None for a path into a list, because the result depends on the list."""
    parts = _PART.findall(written)
    if "[" in written or len(parts) > DEEPEST:
        return None
    for part in reversed(parts):
        key = re.sub(r"\\(.)", r"\1", part)
        value = Map({key: value}, {key: place})
    return value if isinstance(value, Map) else None


def chart_of(written: str | Unknown) -> str | Unknown:
    """The chart's name in a name, a path or an OCI address. Unknown if the last part is unknown."""
    if isinstance(written, str):
        return chart_name(written)
    last = written.known.rpartition("/")[2]
    return written if GAP in last.partition(":")[0].partition("@")[0] else chart_name(last)


def as_helm_reads(value: Any) -> Any:
    """The value that `--set` makes of a string: a number, a boolean or null."""
    words: dict[str, Any] = {"true": True, "false": False, "null": None, "": ""}
    if not isinstance(value, str):
        return value
    return words[value] if value in words else int(value) if re.fullmatch(r"-?(0|[1-9][0-9]{0,17})", value) else value


def first_map(documents: list[Document]) -> Document | None:
    """The first document that is a mapping, as of a values file."""
    return next((each for each in documents if isinstance(each.value, Map)), None)


def release_lines(body: Any, place: Place, values: Any, path: Path) -> dict[str, Any]:
    """The arguments of `Read` for a release with values at `path`. Each value has its own file and line."""

    def find(target: Path) -> Place:
        around = place_of(body, target, place)
        return place_of(values, target[len(path) :], around) if target[: len(path)] == path else around

    return {**lines(body, place), "place_at": find}
