"""Kustomize's generators: ConfigMaps, Secrets, and the releases of `helmCharts`."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ....yaml.located import Document, Map, Place
from ...model import ChartRelease, Unknown, at, literal, text_of
from .. import limits
from ..files import Files, is_file
from ..helm.release_values import Text, chart_of, first_map, merged, release_lines
from .fields import Resource, identities, identity

Find = Callable[[str], Path]
"""A function from a path in a kustomization to the file."""


def generated(kind: str, entry: Mapping[str, Any], options: Any, find: Find, files: Files, place: Place) -> Resource:
    """The ConfigMap or Secret of an entry of `configMapGenerator` or `secretGenerator`."""
    data = _data(entry, find, files, place)
    own = at(entry, "options")
    head = Map({"apiVersion": "v1", "kind": kind, "metadata": _metadata(entry, options, place)})
    if kind == "Secret":
        head["type"] = literal(at(entry, "type")) or "Opaque"
        data = Map(
            {key: value if isinstance(value, Unknown) else b64encode(value.encode()).decode() for key, value in data.items()}, data.places
        )
    if any(isinstance(value, Unknown) for value in data.values()):
        head["binaryData"] = Unknown()
    head["data"] = data
    if any(at(each, "immutable") is True for each in (options, own)):
        head["immutable"] = True
    if not data:
        del head["data"]
    gets_hash = not any(at(each, "disableNameSuffixHash") is True for each in (options, own))
    return Resource(Map(head, dict.fromkeys(head, place)), place, is_generated=True, gets_hash=gets_hash)


def _data(entry: Mapping[str, Any], find: Find, files: Files, place: Place) -> Map:
    data = Map()
    for written in texts(at(entry, "files")):
        key, _, name = written.rpartition("=")
        path = find(name)
        text = files.text(path, is_yaml=False)
        is_read = (
            files.may_spend(limits.WRITTEN * len(text), place)
            and is_file(path)
            and (text or (not files.excludes(path) and not path.stat().st_size))
        )
        data[key or path.name] = Text(text) if is_read and "ENC[" not in text else Unknown()
        data.places[key or path.name] = (files.shown(path), 1)
    settings = [
        line.lstrip()
        for written in [*texts(at(entry, "envs")), *texts([at(entry, "env")])]
        if files.may_spend(limits.WRITTEN * len(text := files.text(find(written), is_yaml=False)), place)
        for line in re.split(r"\r?\n", text)
    ]
    for line in settings:
        key, _, value = line.partition("=")
        if line and not line.startswith("#"):
            data[key], data.places[key] = Unknown(value) if "ENC[" in value else value, place
    for written in texts(at(entry, "literals")):
        key, _, value = written.partition("=")
        data[key], data.places[key] = _unquoted(value), place
    return data


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def texts(value: Any) -> list[str]:
    """The non-empty texts in a list, unknown ones literally."""
    return [text for each in value if isinstance(text := literal(each), str) and text] if isinstance(value, list) else []


def _metadata(entry: Mapping[str, Any], options: Any, place: Place) -> Map:
    """The metadata of a generated object: name, namespace, labels and annotations."""
    metadata = Map({key: entry[key] for key in ("name", "namespace") if key in entry})
    for key in ("labels", "annotations"):
        if added := merged([at(options, key), at(entry, "options", key)]):
            metadata[key] = added
    metadata.places = dict.fromkeys(metadata, place)
    return metadata


def same_object(documents: Iterable[Document], new: Resource) -> Document | None:
    """The object that has the identity of a generated one, now or earlier."""
    return next((each for each in documents if identity(new.value) in identities(each)), None)


def with_generated(documents: list[Document], new: Resource, same: Document | None, behavior: Any) -> list[Document]:
    """The objects with a generated one. It is merged into the same object, or replaces it, by `behavior`."""
    if same is None:
        return [*documents, new]
    metadata = [at(each.value, "metadata") for each in (same, new)]
    names = Map(
        {key: item for key, item in metadata[0].items() if isinstance(key, str) and key in ("name", "namespace")}, metadata[0].places
    )
    body = merged(
        [
            {**same.value, **new.value} if literal(behavior) != "merge" else merged([same.value, new.value]),
            {"metadata": merged([*metadata, names])},
        ]
    )
    base = same if isinstance(same, Resource) else new
    new = replace(base, value=body, gets_hash=new.gets_hash, is_generated=True)
    return [new if each is same else each for each in documents]


def chart(body: Map, entry: Mapping[str, Any], index: int, find: Find, files: Files, place: Place) -> ChartRelease:
    """The release of an entry of `helmCharts`.

    Its values: `valuesFile`, `valuesInline`, then `additionalValuesFiles`.
    """
    path = ("helmCharts", index, "valuesInline")
    first, *more = [
        _values(written, find, files, place) for written in [at(entry, "valuesFile"), *texts(at(entry, "additionalValuesFiles"))]
    ]
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
        given=values,
        values_path=path,
        complete=first is not None and None not in more and not isinstance(inline, Unknown),
        **release_lines(body, place, values, path),
    )


def _values(written: Any, find: Find, files: Files, place: Place) -> Map | None:
    """The values in a file. None if the file can't be read."""
    if written is None:
        return Map()
    path = find(written) if isinstance(written, str) else None
    document = first_map(files.documents(path)) if path and files.may_spend(limits.WRITTEN * len(files.text(path)), place) else None
    return document.value if document else None
