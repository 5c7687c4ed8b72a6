"""Flux's HelmReleases: the chart and the values of each release, and the objects that they refer to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

from ....yaml.located import Document, Map, Place, place_of
from ...model import (
    ChartRelease,
    KubernetesObject,
    Unknown,
    at,
    equals,
    is_open,
    joined,
    known_list,
    known_str,
    mappings,
    same_namespace,
    source_of,
    starts_with,
    text_of,
)
from .. import limits
from ..files import Files, is_file
from ..helm.release_values import as_helm_reads, at_path, chart_of, first_map, merged, release_lines, within
from ..helm.wrapper_charts import is_wrapper, wrapped

Find = Callable[[Any, Document, Any], FilePath | None]
"""A function from a path that an object names, the object and its source to the local path; None if the file is not
there."""

_VALUES = ("spec", "values")
# Words in a post-renderer's patch that may change pods in place of the chart's values.
_CHANGED = ("runtimeClassName", "tolerations", "nodeSelector", "affinity", "NVIDIA_", "resources", "args")


class Objects:
    """The objects by kind and name, to resolve references."""

    def __init__(self, objects: Iterable[KubernetesObject]) -> None:
        self._by_name: dict[tuple[str, str], list[KubernetesObject]] = {}
        for each in objects:
            if isinstance(each.name, str):
                self._by_name.setdefault((each.kind, each.name), []).append(each)

    def find(self, kind: Any, name: Any, namespace: Any) -> KubernetesObject | None:
        """The object of this kind and name; None for an unknown name. An object with an unknown namespace also
        matches."""
        known_kind, known_name = known_str(kind), known_str(name)
        candidates = [] if known_kind is None or known_name is None else self._by_name.get((known_kind, known_name), [])
        exact = [each for each in candidates if equals(each.namespace, namespace).is_yes]
        loose = [each for each in candidates if not same_namespace(each.namespace, namespace).is_no]
        return next(iter(exact or loose), None)


def helm_releases(kubernetes_objects: Iterable[KubernetesObject], files: Files, find: Find) -> list[ChartRelease]:
    """The releases of all HelmReleases. Their references are resolved among the same objects, and their charts in the
    repository."""
    kubernetes_objects = list(kubernetes_objects)
    releases = [
        each
        for each in kubernetes_objects
        if each.kind == "HelmRelease" and not starts_with(each.api_version, "helm.toolkit.fluxcd.io/").is_no
    ]
    objects = Objects(kubernetes_objects if releases else ())
    return [release for each in releases for release in _with_wrapped(each, objects, files, find)]


def _with_wrapped(each: KubernetesObject, objects: Objects, files: Files, find: Find) -> list[ChartRelease]:
    """The release of a HelmRelease. Of a chart in the repository that wraps others, the releases of these."""
    whole = helm_release(each, objects, files)
    spec = _chart_spec(each, objects)
    written, source = known_str(at(spec, "chart")), at(spec, "sourceRef")
    if written is None or known_str(at(source, "kind")) not in ("GitRepository", "Bucket"):
        return [whole]
    beside = Document(each.body, _place(each))
    folder = find(written, beside, at(source, "name"))
    if folder is not None:
        files.installed_charts[folder] = None
    if folder is None or not is_wrapper(folder, files):
        return [whole]
    names = known_list(at(spec, "valuesFiles"))
    paths = [find(name, beside, at(source, "name")) for name in names]
    layers = [document.value if path and is_file(path) and (document := first_map(files.documents(path))) else None for path in paths]
    is_complete = whole.complete and None not in layers and not is_open(at(spec, "valuesFiles"))
    return wrapped(folder, replace(whole, complete=is_complete), files, defaults=merged(layers) if names else None)


def _chart_spec(each: KubernetesObject, objects: Objects) -> Any:
    """The chart of a HelmRelease with its source, as it is written there or in a HelmChart."""
    reference = each.at("spec", "chartRef")
    if reference is None:
        return each.at("spec", "chart", "spec")
    namespace = at(reference, "namespace")
    chart = objects.find("HelmChart", at(reference, "name"), each.namespace if namespace is None else namespace)
    return chart.at("spec") if chart and equals(at(reference, "kind"), "HelmChart").is_yes else None


def helm_release(each: KubernetesObject, objects: Objects, files: Files) -> ChartRelease:
    """The release of a HelmRelease."""
    chart, version = _chart(each, objects)
    values, complete = _values(each, objects, files)
    target, name = text_of(each.at("spec", "targetNamespace")), text_of(each.at("spec", "releaseName"))
    if name is None:
        name = each.name if target is None else joined(target, "-", each.name)
    return ChartRelease(
        body=each.body,
        chart=chart,
        name=name,
        namespace=each.namespace if target is None else target,
        version=version,
        given=values,
        values_path=_VALUES,
        complete=complete,
        **_lines(each, values),
    )


def _lines(each: KubernetesObject, values: Mapping[str, Any]) -> dict[str, Any]:
    if each.line_of(()) is None:  # it comes from a program
        return {"file": each.file, "place_at": each.place_at}
    return release_lines(each.body, _place(each), values, _VALUES)


def _place(each: KubernetesObject) -> Place:
    return (each.file, each.line_of(()) or 1)


_Text = str | Unknown | None


def _chart(each: KubernetesObject, objects: Objects) -> tuple[str | Unknown, _Text]:
    reference = each.at("spec", "chartRef")
    if isinstance(reference, Unknown):
        return reference, Unknown()
    if not isinstance(reference, Mapping):
        return _named(each.at("spec", "chart", "spec", "chart")), text_of(each.at("spec", "chart", "spec", "version"))
    name, namespace = at(reference, "name"), at(reference, "namespace")
    source = objects.find(at(reference, "kind"), name, each.namespace if namespace is None else namespace)
    if source is None:
        return _named(name), Unknown()
    if source.kind == "HelmChart":
        return _named(source.at("spec", "chart"), name), text_of(source.at("spec", "version"))
    return _named(source.at("spec", "url"), name), _oci_version(source)


def _named(*names: Any) -> str | Unknown:
    """The chart of the first of these names that is set."""
    written = next((text for name in names if (text := text_of(name)) is not None), "")
    return chart_of(written)


def _oci_version(source: KubernetesObject) -> _Text:
    for key in ("tag", "semver"):
        if (written := text_of(source.at("spec", "ref", key))) is not None:
            return written
    digest = text_of(source.at("spec", "ref", "digest"))
    return None if digest is None else Unknown(f"{digest}")


def _values(each: KubernetesObject, objects: Objects, files: Files) -> tuple[Mapping[str, Any], bool]:
    layers: list[Any] = []
    rendered = each.at("spec", "postRenderers")
    complete = not isinstance(rendered, Unknown) and not any(word in f"{rendered}" for word in _CHANGED)
    references = each.at("spec", "valuesFrom")
    for index, reference in mappings(references):
        layer = _referred(reference, place_of(each.body, ("spec", "valuesFrom", index), _place(each)), each.namespace, objects, files)
        layers.append(layer)
        complete = complete and layer is not None
    written = each.at(*_VALUES)
    complete = complete and not isinstance(written, Unknown) and not is_open(references)
    return merged([*layers, written]), complete


def _referred(reference: Mapping[str, Any], place: Place, namespace: _Text, objects: Objects, files: Files) -> Map | None:
    """The values in a ConfigMap. None for a Secret, and for a ConfigMap that was not read."""
    kind, key, target = at(reference, "kind"), at(reference, "valuesKey"), at(reference, "targetPath")
    source = objects.find("ConfigMap", at(reference, "name"), namespace) if known_str(kind) == "ConfigMap" else None
    key = "values.yaml" if key is None else key
    written = source.at("data", key) if source else None
    text = source_of(written)
    if source is None or text is None or isinstance(target, Unknown) or isinstance(key, Unknown):
        return None
    if not files.may_spend(limits.WRITTEN * len(text), place):
        return None
    if isinstance(target, str) and target:
        return at_path(target, as_helm_reads(written), place)
    begins = within(text, place_of(source.body, ("data", key), _place(source)))
    document = first_map(files.embedded(text, begins))
    return document.value if document else None
