"""Flux: what a HelmRelease installs, and what its chart and its values refer to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...upstream.charts import chart_name
from ..model import ChartRelease, KubernetesObject, Unknown, mappings
from .files import Files
from .located_yaml import Map, Place, place_of
from .release_values import as_helm_reads, at_path, first_map, merged, release_lines, text_of, within

_VALUES = ("spec", "values")
# What a patch of what a chart renders may give to pods in place of its values.
_CHANGED = ("runtimeClassName", "tolerations", "nodeSelector", "affinity", "NVIDIA_", "resources", "args")


class Objects:
    """Objects by kind and name, for those that refer to them."""

    def __init__(self, objects: Iterable[KubernetesObject]) -> None:
        self._by_name: dict[tuple[str, str], list[KubernetesObject]] = {}
        for each in objects:
            self._by_name.setdefault((each.kind, each.name), []).append(each)

    def find(self, kind: object, name: object, namespace: object) -> KubernetesObject | None:
        """The object of this name; one whose namespace is not known will do."""
        found = self._by_name.get((str(kind), str(name)), [])
        exact = [each for each in found if each.namespace == namespace]
        loose = [each for each in found if each.namespace is None or namespace is None or isinstance(each.namespace, Unknown)]
        return next(iter(exact or loose), None)


def is_helm_release(each: KubernetesObject) -> bool:
    """Whether an object is a HelmRelease of Flux."""
    return each.kind == "HelmRelease" and each.api_version.startswith("helm.toolkit.fluxcd.io/")


def is_kustomization(body: Mapping[str, Any]) -> bool:
    """Whether an object is a Kustomization of Flux, which deploys a folder."""
    return body.get("kind") == "Kustomization" and str(body.get("apiVersion")).startswith("kustomize.toolkit.fluxcd.io/")


def helm_releases(found: Iterable[KubernetesObject], files: Files) -> list[ChartRelease]:
    """The releases of the HelmReleases among objects, which also hold what those refer to."""
    found = list(found)
    objects = Objects(found)
    return [helm_release(each, objects, files) for each in found if is_helm_release(each)]


def helm_release(each: KubernetesObject, objects: Objects, files: Files) -> ChartRelease:
    """The release that a HelmRelease makes."""
    chart, version = _chart(each, objects)
    values, complete = _values(each, objects, files)
    target = each.at("spec", "targetNamespace")
    name = each.at("spec", "releaseName") or (f"{target}-{each.name}" if target else each.name)
    return ChartRelease(
        body=each.body,
        chart=chart,
        name=str(name),
        namespace=target if isinstance(target, str) else each.namespace,
        version=version,
        values=values,
        values_path=_VALUES,
        complete=complete,
        **_lines(each, values),
    )


def _lines(each: KubernetesObject, values: Mapping[str, Any]) -> dict[str, Any]:
    if each.line_of(()) is None:  # a program made it
        return {"file": each.file, "line_of": each.line_of, "file_of": each.file_of}
    return release_lines(each.body, _place(each), values, _VALUES)


def _place(each: KubernetesObject) -> Place:
    return (each.file, each.line_of(()) or 1)


def _chart(each: KubernetesObject, objects: Objects) -> tuple[str, str | None]:
    reference = each.at("spec", "chartRef")
    if not isinstance(reference, Mapping):
        return chart_name(text_of(each.at("spec", "chart", "spec", "chart")) or ""), text_of(each.at("spec", "chart", "spec", "version"))
    name = str(reference.get("name") or "")
    source = objects.find(reference.get("kind"), name, reference.get("namespace") or each.namespace)
    if source is None:
        return chart_name(name), Unknown("")
    if source.kind == "HelmChart":
        return chart_name(text_of(source.at("spec", "chart")) or name), text_of(source.at("spec", "version"))
    return chart_name(text_of(source.at("spec", "url")) or name), _oci_version(source)


def _oci_version(source: KubernetesObject) -> str | None:
    for key in ("tag", "semver"):
        if written := text_of(source.at("spec", "ref", key)):
            return written
    digest = text_of(source.at("spec", "ref", "digest"))
    return Unknown(digest) if digest else None


def _values(each: KubernetesObject, objects: Objects, files: Files) -> tuple[Mapping[str, Any], bool]:
    layers: list[Any] = []
    rendered = str(each.at("spec", "postRenderers") or "")
    complete = not any(word in rendered for word in _CHANGED)
    for index, reference in mappings(each.at("spec", "valuesFrom")):
        layer = _referred(reference, place_of(each.body, ("spec", "valuesFrom", index), _place(each)), each.namespace, objects, files)
        layers.append(layer)
        complete = complete and layer is not None
    written = each.at(*_VALUES)
    complete = complete and not isinstance(written, Unknown)
    return merged([*layers, written]), complete


def _referred(reference: Mapping[str, Any], place: Place, namespace: str | None, objects: Objects, files: Files) -> Map | None:
    """The values of a ConfigMap; None where they are not among the files, or secret."""
    source = objects.find("ConfigMap", reference.get("name"), namespace) if reference.get("kind") == "ConfigMap" else None
    key = str(reference.get("valuesKey") or "values.yaml")
    text = source.at("data", key) if source else None
    target = reference.get("targetPath")
    if source is None or not isinstance(text, str):
        return None
    if isinstance(target, str) and target:
        return at_path(target, as_helm_reads(text), place)
    begins = within(text, place_of(source.body, ("data", key), _place(source)))
    found = first_map(files.embedded(text, begins))
    return found.value if found else None
