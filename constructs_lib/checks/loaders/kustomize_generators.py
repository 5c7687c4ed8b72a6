"""What kustomize generates: ConfigMaps of files and literals, Secrets, and the releases of charts that it renders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..model import ChartRelease, Unknown, at, literal, text_of
from .files import Files
from .located_yaml import Document, Map, Place
from .release_values import Text, chart_of, first_map, merged, release_lines

Find = Callable[[str], Path]
"""The file that a kustomization names."""


def config_map(entry: Mapping[str, Any], options: Any, find: Find, files: Files, place: Place) -> Document:
    """The ConfigMap of an entry of `configMapGenerator`, without the hash that its name may get: what refers to it gets that as well."""
    data = Map()
    for written in texts(at(entry, "files")):
        key, _, name = written.rpartition("=")
        path = find(name)
        data[key or path.name] = Text(files.text(path, is_yaml=False))
        data.places[key or path.name] = (files.shown(path), 1)
    settings = [
        line
        for written in [*texts(at(entry, "envs")), *texts([at(entry, "env")])]
        for line in files.text(find(written), is_yaml=False).splitlines()
    ]
    for written in [*(line for line in settings if line.strip() and not line.lstrip().startswith("#")), *texts(at(entry, "literals"))]:
        key, _, value = written.partition("=")
        data[key], data.places[key] = _unquoted(value), place
    return named("ConfigMap", entry, options, Map({"data": data}, {"data": place}), place)


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def texts(found: Any) -> list[str]:
    """The texts of a list, as they stand."""
    return [text for each in found if isinstance(text := literal(each), str) and text] if isinstance(found, list) else []


def named(kind: str, entry: Mapping[str, Any], options: Any, rest: Map, place: Place) -> Document:
    """An object of this kind with the name, labels and annotations that an entry of a generator gives it."""
    metadata = Map({key: entry[key] for key in ("name", "namespace") if key in entry})
    for key in ("labels", "annotations"):
        if added := merged([at(options, key), at(entry, "options", key)]):
            metadata[key] = added
    metadata.places = dict.fromkeys(metadata, place)
    head = Map({"apiVersion": "v1", "kind": kind, "metadata": metadata})
    return Document(Map({**head, **rest}, {**dict.fromkeys(head, place), **rest.places}), place)


def with_generated(found: list[Document], made: Document, behavior: Any) -> list[Document]:
    """The objects with a generated one, which may be merged into one of its name, or take its place."""
    same = next((each for each in found if _identity(each) == _identity(made)), None)
    if same is None:
        return [*found, made]
    if literal(behavior) == "merge":
        made = Document(merged([same.value, made.value]), same.place)
    return [made if each is same else each for each in found]


def _identity(each: Document) -> tuple[Any, ...]:
    return tuple(literal(at(each.value, *path)) for path in (("kind",), ("metadata", "name"), ("metadata", "namespace")))


def chart(body: Map, entry: Mapping[str, Any], index: int, find: Find, files: Files, place: Place) -> ChartRelease:
    """The release of an entry of `helmCharts`: a file of values, the values that are written there, then further files."""
    path = ("helmCharts", index, "valuesInline")
    first, *more = [_values(written, find, files) for written in [at(entry, "valuesFile"), *texts(at(entry, "additionalValuesFiles"))]]
    inline = at(entry, "valuesInline")
    layers = {"merge": [inline, first], "replace": [first if inline is None else inline]}.get(
        str(at(entry, "valuesMerge")), [first, inline]
    )
    values = merged([*layers, *more])
    name = text_of(at(entry, "name"))
    names = [text_of(at(entry, "releaseName")), name]
    return ChartRelease(
        body=body,
        chart="" if name is None else chart_of(name),
        name=next((each for each in names if each is not None), ""),
        namespace=text_of(at(entry, "namespace")),
        version=text_of(at(entry, "version")),
        values=values,
        values_path=path,
        complete=first is not None and None not in more and not isinstance(inline, Unknown),
        **release_lines(body, place, values, path),
    )


def _values(written: Any, find: Find, files: Files) -> Map | None:
    """The values of a file; None where they can't be read."""
    if written is None:
        return Map()
    found = first_map(files.documents(find(written))) if isinstance(written, str) else None
    return found.value if found else None
