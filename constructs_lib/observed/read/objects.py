"""Kubernetes objects among documents: a document is one object, or a List of objects. `Rendered` are those of a
build."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...yaml.located import NO_LINE, Document, Place, place_of
from ..model import (
    ChartRelease,
    KubernetesObject,
    Path,
    SharedObject,
    Unknown,
    at,
    known_str,
    mappings,
    no_place,
    starts_with,
    text_of,
)


def is_object(body: Any) -> bool:
    """Whether a value is a Kubernetes object or a List, or may be one of these."""
    return isinstance(body, Mapping) and all(isinstance(at(body, key), str | Unknown) for key in ("apiVersion", "kind"))


def kind_of(body: Any) -> str:
    """The kind of an object. Empty if it is missing or unknown."""
    return known_str(at(body, "kind")) or ""


_DEPLOYERS = {
    "Kustomization": "kustomize.toolkit.fluxcd.io/",
    "ResourceSet": "fluxcd.controlplane.io/",
    "Application": "argoproj.io/",
    "ApplicationSet": "argoproj.io/",
}
"""The objects of Flux and Argo CD that deploy others, each with its API group."""


def deployer_kind(body: Any) -> str:
    """The kind of a deployer. Empty for any other object. A deployer may have an unknown API group."""
    kind = kind_of(body)
    return kind if kind in _DEPLOYERS and not starts_with(at(body, "apiVersion"), _DEPLOYERS[kind]).is_no else ""


def is_deployer(document: Document) -> bool:
    """Whether an object deploys others: a Kustomization of Flux, a ResourceSet, an Application or an ApplicationSet."""
    return deployer_kind(document.value) != ""


@dataclass(slots=True)
class Rendered:
    """The result of a build by kustomize, Flux or Argo CD: objects, and the charts that are rendered among them."""

    documents: list[Document] = field(default_factory=list)
    releases: list[ChartRelease] = field(default_factory=list)
    configurations: list[Document] = field(default_factory=list)
    """The configurations of kustomize's transformers, which are applied at the end."""
    shared: list[SharedObject] = field(default_factory=list)
    is_partial: bool = False
    """Whether the result has further objects that were not read: of a remote base, a chart or a generator."""
    has_other_names: bool = False
    """Whether a transformer that is not followed may have changed the names of objects."""
    clusters: dict[str, list[Document | ChartRelease]] = field(default_factory=dict)
    """The objects and releases that each cluster gets; an empty name stands for a cluster that is not known."""
    builds: dict[str, list[Document | ChartRelease]] = field(default_factory=dict)
    """The objects and releases of each kustomization that somebody applies by hand."""
    applied: list[tuple[str, list[Document | ChartRelease]]] = field(default_factory=list)
    """The objects and releases of each deployer, with its label if it is suspended."""
    pruned: list[tuple[str, list[Document | ChartRelease]]] = field(default_factory=list)
    """The objects and releases of each deployer, with its label if it prunes them."""

    def settle(self, cluster: str, suspended: str = "", pruner: str = "") -> None:
        """Note that a cluster gets all that was built. `suspended` is the label of a deployer that is suspended, and
        `pruner` that of one which deletes an object that leaves its files."""
        parts: list[Document | ChartRelease] = [*self.documents, *self.releases]
        self.clusters[cluster] = [*self.clusters.get(cluster, ()), *parts]
        self.applied.append((suspended, parts))
        self.pruned.append((pruner, parts))

    def add(self, other: Rendered) -> None:
        """Add the result of another build."""
        self.documents += other.documents
        self.releases += other.releases
        self.configurations += other.configurations
        self.shared += other.shared
        self.is_partial = self.is_partial or other.is_partial
        self.has_other_names = self.has_other_names or other.has_other_names
        self.builds |= other.builds
        self.add_clusters(other)

    def add_clusters(self, other: Rendered) -> None:
        """Add the clusters that get the result of another build, and the deployers that apply it."""
        self.applied += other.applied
        self.pruned += other.pruned
        for cluster, parts in other.clusters.items():
            self.clusters.setdefault(cluster, []).extend(parts)


def objects_of(document: Document) -> Iterator[Document]:
    """The object in a document, or the items of its List. Nothing for any other document."""
    body = document.value
    if not is_object(body):
        return
    if kind_of(body).endswith("List") and isinstance(at(body, "items"), list):
        for index, item in mappings(at(body, "items")):
            yield from objects_of(Document(item, place_of(body, ("items", index), document.place)))
    else:
        yield document


def kubernetes_object(document: Document) -> KubernetesObject:
    """The `KubernetesObject` of a document, with its line numbers."""
    body = document.value
    namespace = text_of(at(body, "metadata", "namespace"))
    is_given = isinstance(namespace, Unknown) or bool(namespace)
    return KubernetesObject(body=body, namespace=namespace if is_given else None, **lines(body, document.place))


def lines(body: Any, place: Place) -> dict[str, Any]:
    """The arguments of `Read` for file and lines."""
    return {"file": place[0], "place_at": no_place if place[1] == NO_LINE else _Places(body, place)}


class _Places:
    """The places inside an object. An instance needs less memory than a function for each object."""

    __slots__ = ("body", "place")

    def __init__(self, body: Any, place: Place) -> None:
        self.body, self.place = body, place

    def __call__(self, path: Path) -> Place:
        return place_of(self.body, path, self.place)
