"""Argo CD: what an Application installs, from which sources, and with which values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

from ...upstream.charts import chart_name
from ..model import ChartRelease, Path, at, mappings
from .files import Files, is_file, normal
from .located_yaml import Document, Map, Place, place_of
from .release_values import as_helm_reads, at_path, first_map, merged, release_lines, text_of, within

Find = Callable[[Any], FilePath | None]
"""Where a path of this repository is among the files."""


def is_application(body: Mapping[str, Any]) -> bool:
    """Whether an object is an Application of Argo CD."""
    return body.get("kind") == "Application" and str(body.get("apiVersion")).startswith("argoproj.io/")


def is_application_set(body: Mapping[str, Any]) -> bool:
    """Whether an object is an ApplicationSet of Argo CD."""
    return body.get("kind") == "ApplicationSet" and str(body.get("apiVersion")).startswith("argoproj.io/")


def sources(application: Document) -> list[tuple[Path, Map]]:
    """The sources of an Application, with their places in it."""
    spec = at(application.value, "spec")
    if not isinstance(spec, Map):
        return []
    several: list[tuple[Path, Map]] = [
        (("spec", "sources", index), each) for index, each in mappings(spec.get("sources")) if isinstance(each, Map)
    ]
    return several or ([(("spec", "source"), spec["source"])] if isinstance(spec.get("source"), Map) else [])


def namespace(application: Document) -> str | None:
    """Where its objects go that name no namespace themselves."""
    found = at(application.value, "spec", "destination", "namespace")
    return found if isinstance(found, str) and found else None


def made_namespace(application: Document) -> Document | None:
    """The Namespace that Argo CD makes for an Application that gives it labels."""
    path = ("spec", "syncPolicy", "managedNamespaceMetadata")
    metadata, name = at(application.value, *path), namespace(application)
    if not isinstance(metadata, Map) or name is None:
        return None
    place = place_of(application.value, path, application.place)
    own = Map({**metadata, "name": name}, {**metadata.places, "name": place})
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": own}
    return Document(Map(body, dict.fromkeys(body, place)), place)


def release(
    application: Document, path: Path, source: Map, chart: str, find: Find, files: Files, beside: FilePath | None = None
) -> ChartRelease:
    """The release that a source with a chart makes; files of values are `beside` its chart, or in a source that it names."""
    helm = source.get("helm")
    helm = helm if isinstance(helm, Map) else Map()
    inline = (*path, "helm", "values" if helm.get("values") and not helm.get("valuesObject") else "valuesObject")
    values, complete = _values(application, helm, (*path, "helm"), find, files, beside)
    name = helm.get("releaseName") or at(application.value, "metadata", "name")
    return ChartRelease(
        body=application.value,
        chart=chart_name(chart),
        name=str(name or ""),
        namespace=namespace(application),
        version=text_of(source.get("targetRevision")),
        values=values,
        values_path=inline,
        complete=complete,
        **release_lines(application.value, application.place, values, inline),
    )


def wrapped(whole: ChartRelease, chart: Document, index: int, defaults: Map) -> ChartRelease | None:
    """The release of a chart that another one wraps, with its part of the values; None where they switch it off."""
    dependency = at(chart.value, "dependencies", index)
    values = merged([defaults, whole.values])
    for condition in str(dependency.get("condition") or "").split(","):
        if at(values, *condition.strip().split(".")) is False:
            return None
    key = str(dependency.get("alias") or dependency.get("name"))
    own = merged([values.get(key)])
    place = place_of(chart.value, ("dependencies", index), chart.place)
    return replace(
        whole,
        body=chart.value,
        version=text_of(dependency.get("version")),
        values=own,
        values_path=("values", key),
        **release_lines(chart.value, place, own, ("values", key)),
    )


def _values(application: Document, helm: Map, path: Path, find: Find, files: Files, beside: FilePath | None) -> tuple[Map, bool]:
    layers: list[Any] = []
    complete = not helm.get("fileParameters")
    written = helm.get("valueFiles")
    for each in written if isinstance(written, list) else []:
        file = _value_file(str(each), find, beside)
        found = first_map(files.documents(file)) if file else None
        layers.append(found.value if found else None)
        complete = complete and (found is not None or helm.get("ignoreMissingValueFiles") is True)
    text = helm.get("values")
    if isinstance(helm.get("valuesObject"), Map):
        layers.append(helm["valuesObject"])
    elif isinstance(text, str) and text.strip():
        found = first_map(files.embedded(text, within(text, _at(application, (*path, "values")))))
        layers.append(found.value if found else None)
        complete = complete and found is not None
    for index, parameter in mappings(helm.get("parameters")):
        value = parameter.get("value")
        value = value if parameter.get("forceString") is True else as_helm_reads(value)
        layer = at_path(str(parameter.get("name") or ""), value, _at(application, (*path, "parameters", index)))
        layers.append(layer)
        complete = complete and layer is not None
    return merged(layers), complete


def _at(application: Document, path: Path) -> Place:
    return place_of(application.value, path, application.place)


def _value_file(written: str, find: Find, beside: FilePath | None) -> FilePath | None:
    """A file of values: `$name/path` is in the root of a source of that name, any other is beside the chart."""
    if written.startswith("$"):
        found = find(written.partition("/")[2])
    elif "://" in written:
        return None
    elif written.startswith("/"):
        found = find(written)
    else:
        found = normal(beside / written) if beside else None
    return found if found and is_file(found) else None
