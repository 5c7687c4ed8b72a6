"""What kustomize generates: ConfigMaps of files and literals, Secrets, and the releases of charts that it renders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...upstream.charts import chart_name
from ..model import ChartRelease, at
from .files import Files
from .located_yaml import Document, Map, Place
from .release_values import Text, first_map, merged, release_lines, text_of

Find = Callable[[str], Path]
"""The file that a kustomization names."""


def config_map(entry: Mapping[str, Any], options: Any, find: Find, files: Files, place: Place) -> Document:
    """The ConfigMap of an entry of `configMapGenerator`, without the hash that its name may get: what refers to it gets that as well."""
    data = Map()
    for written in texts(entry.get("files")):
        key, _, name = written.rpartition("=")
        path = find(name)
        data[key or path.name] = Text(files.text(path, is_yaml=False))
        data.places[key or path.name] = (files.shown(path), 1)
    settings = [
        line
        for written in [*texts(entry.get("envs")), *texts([entry.get("env")])]
        for line in files.text(find(written), is_yaml=False).splitlines()
    ]
    for written in [*(line for line in settings if line.strip() and not line.lstrip().startswith("#")), *texts(entry.get("literals"))]:
        key, _, value = written.partition("=")
        data[key], data.places[key] = _unquoted(value), place
    return named("ConfigMap", entry, options, Map({"data": data}, {"data": place}), place)


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def texts(found: Any) -> list[str]:
    """The texts of a list."""
    return [each for each in found if isinstance(each, str) and each] if isinstance(found, list) else []


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
    if behavior == "merge":
        made = Document(merged([same.value, made.value]), same.place)
    return [made if each is same else each for each in found]


def _identity(each: Document) -> tuple[Any, ...]:
    return each.value.get("kind"), at(each.value, "metadata", "name"), at(each.value, "metadata", "namespace")


def chart(body: Map, entry: Mapping[str, Any], index: int, find: Find, files: Files, place: Place) -> ChartRelease:
    """The release of an entry of `helmCharts`: a file of values, the values that are written there, then further files."""
    path = ("helmCharts", index, "valuesInline")
    first, *more = [_values(written, find, files) for written in [entry.get("valuesFile"), *texts(entry.get("additionalValuesFiles"))]]
    inline = entry.get("valuesInline")
    layers = {"merge": [inline, first], "replace": [inline or first]}.get(str(entry.get("valuesMerge")), [first, inline])
    values = merged([*layers, *more])
    return ChartRelease(
        body=body,
        chart=chart_name(str(entry.get("name") or "")),
        name=str(entry.get("releaseName") or entry.get("name") or ""),
        namespace=text_of(entry.get("namespace")),
        version=text_of(entry.get("version")),
        values=values,
        values_path=path,
        complete=first is not None and None not in more,
        **release_lines(body, place, values, path),
    )


def _values(written: Any, find: Find, files: Files) -> Map | None:
    """The values of a file; None where they can't be read."""
    if not isinstance(written, str):
        return Map()
    found = first_map(files.documents(find(written)))
    return found.value if found else None
