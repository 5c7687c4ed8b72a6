"""Argo CD's Applications: their sources, the charts that they install, and the values of these charts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path as FilePath
from typing import Any

from ....yaml.located import Document, Map, Place, place_of
from ...model import ChartRelease, Path, Unknown, at, known_list, known_str, mappings, source_of, text_of
from .. import budget
from ..files import Files, is_file, normal
from ..helm.release_values import as_helm_reads, at_path, chart_of, first_map, merged, release_lines, within
from ..kubernetes.objects import is_of

Find = Callable[[Any], FilePath | None]
"""A function from a path in the repository to the local path; None if the file is not there."""


def is_application(body: Mapping[str, Any]) -> bool:
    """Whether an object is an Application of Argo CD."""
    return is_of(body, "Application", "argoproj.io/")


def is_application_set(body: Mapping[str, Any]) -> bool:
    """Whether an object is an ApplicationSet of Argo CD."""
    return is_of(body, "ApplicationSet", "argoproj.io/")


def sources(application: Document) -> list[tuple[Path, Map]]:
    """The sources of an Application, with their paths in its body."""
    spec = at(application.value, "spec")
    if not isinstance(spec, Map):
        return []
    several: list[tuple[Path, Map]] = [
        (("spec", "sources", index), each) for index, each in mappings(at(spec, "sources")) if isinstance(each, Map)
    ]
    return several or ([(("spec", "source"), spec["source"])] if isinstance(at(spec, "source"), Map) else [])


def namespace(application: Document) -> str | Unknown | None:
    """The destination namespace of an Application, for objects that name no namespace."""
    written = at(application.value, "spec", "destination", "namespace")
    return written if isinstance(written, Unknown) else known_str(written) or None


def created_namespace(application: Document) -> Document | None:
    """The Namespace that Argo CD creates for an Application with `managedNamespaceMetadata`."""
    path = ("spec", "syncPolicy", "managedNamespaceMetadata")
    metadata, name = at(application.value, *path), namespace(application)
    if not isinstance(metadata, Map) or name is None:
        return None
    place = place_of(application.value, path, application.place)
    own = Map({**metadata, "name": name}, {**metadata.places, "name": place})
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": own}
    return Document(Map(body, dict.fromkeys(body, place)), place)


def release(
    application: Document, path: Path, source: Map, chart: str | Unknown, find: Find, files: Files, beside: FilePath | None = None
) -> ChartRelease:
    """The release of a source with a chart. Values files are in the folder `beside`, or in another source that the
    Application names."""
    helm = at(source, "helm")
    inline = (*path, "helm", "valuesObject" if at(helm, "values") is None or at(helm, "valuesObject") is not None else "values")
    values, complete = _values(application, helm, (*path, "helm"), find, files, beside)
    names = [text_of(each) for each in (at(helm, "releaseName"), at(application.value, "metadata", "name"))]
    return ChartRelease(
        body=application.value,
        chart=chart_of(chart),
        name=next((each for each in names if each is not None), ""),
        namespace=namespace(application),
        version=text_of(at(source, "targetRevision")),
        values=values,
        values_path=inline,
        complete=complete,
        **release_lines(application.value, application.place, values, inline),
    )


def _values(application: Document, helm: Any, path: Path, find: Find, files: Files, beside: FilePath | None) -> tuple[Map, bool]:
    layers: list[Any] = []
    listed, text, inline = at(helm, "valueFiles"), at(helm, "values"), at(helm, "valuesObject")
    complete = not (known_list(at(helm, "fileParameters")) or any(isinstance(each, Unknown) for each in (helm, listed, text, inline)))
    for each in known_list(listed):
        file = _value_file(each, find, beside) if isinstance(each, str) else None
        is_read = file is not None and files.may_spend(budget.WRITTEN * len(files.text(file)), application.place)
        document = first_map(files.documents(file)) if file and is_read else None
        layers.append(document.value if document else None)
        complete = complete and (document is not None or at(helm, "ignoreMissingValueFiles") is True)
    if isinstance(inline, Map):
        layers.append(inline)
    elif (written := source_of(text)) is not None and written.strip():
        document = first_map(files.embedded(written, within(written, _at(application, (*path, "values")))))
        layers.append(document.value if document else None)
        complete = complete and document is not None
    for index, parameter in mappings(at(helm, "parameters")):
        value = at(parameter, "value")
        value = value if at(parameter, "forceString") is True else as_helm_reads(value)
        layer = at_path(known_str(at(parameter, "name")) or "", value, _at(application, (*path, "parameters", index)))
        layers.append(layer)
        complete = complete and layer is not None
    return merged(layers), complete


def _at(application: Document, path: Path) -> Place:
    return place_of(application.value, path, application.place)


def _value_file(written: str, find: Find, beside: FilePath | None) -> FilePath | None:
    """The path of a values file: `$name/path` is in the root of the source of that name, any other path is beside the
    chart."""
    if written.startswith("$"):
        path = find(written.partition("/")[2])
    elif "://" in written:
        return None
    elif written.startswith("/"):
        path = find(written)
    else:
        path = normal(beside / written) if beside else None
    return path if path and is_file(path) else None
