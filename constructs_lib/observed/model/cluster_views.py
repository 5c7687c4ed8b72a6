"""The inputs of each cluster of a tree with several ones: what surely belongs to another cluster is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from ...nodes.talos_version import TalosVersion
from .input_kinds import PartKey, Read
from .inputs import Inputs, question
from .stated_versions import KUBERNETES, TALOS, Origin, StatedVersion, agreed

MOST = 20
"""More clusters are judged as one: every view costs as much as the whole."""
_Part = TypeVar("_Part", bound=Read)


@question
def cluster_views(inputs: Inputs) -> Mapping[str, Inputs]:
    """The inputs of each cluster, by its name; empty if there is one cluster."""
    return _views(inputs, inputs.clusters_of)


@question
def perhaps_views(inputs: Inputs) -> Mapping[str, Inputs]:
    """The inputs of each cluster as the names of folders and Secrets tell, which may be names of one cluster."""
    return _views(replace(inputs, clusters_of=inputs.perhaps_of, perhaps_of={}, variants={}), inputs.perhaps_of)


def possible_clusters(about: Read, inputs: Inputs) -> frozenset[str] | None:
    """The clusters that surely get a part. None if it may be of any cluster."""
    return inputs.clusters_of.get(about.part)


def has_variants(about: Read, inputs: Inputs) -> bool:
    """Whether a part is the object or the release of one cluster, which another cluster gets with other contents."""
    return id(about) in _variants(inputs)


@question
def _variants(inputs: Inputs) -> set[int]:
    every = {id(each) for variant in inputs.variants.values() for each in (*variant.objects, *variant.releases)}
    return every - {id(each) for each in (*inputs.objects, *inputs.releases)}


def _views(inputs: Inputs, clusters: Mapping[PartKey, frozenset[str]]) -> Mapping[str, Inputs]:
    names = sorted(set[str]().union(*clusters.values()))
    return {name: _view(inputs, name) for name in names} if 1 < len(names) <= MOST else {}


def _view(inputs: Inputs, cluster: str) -> Inputs:
    stated = tuple(_stated(inputs, cluster))
    subjects = {each.subject for each in inputs.stated_versions}
    talos = agreed(TALOS, stated)
    own = inputs.variants.get(cluster, inputs)
    return replace(
        inputs,
        clusters_of={},
        variants={},
        objects=_kept(own.objects, inputs, cluster),
        of_unknown_kind=_kept(inputs.of_unknown_kind, inputs, cluster),
        releases=_kept(own.releases, inputs, cluster),
        installers=_kept(inputs.installers, inputs, cluster),
        node_configs=_kept(inputs.node_configs, inputs, cluster),
        stated_versions=stated,
        talos_version=TalosVersion.parse("talos", talos) if talos else None if TALOS in subjects else inputs.talos_version,
        kubernetes_version=agreed(KUBERNETES, stated) if KUBERNETES in subjects else inputs.kubernetes_version,
    )


def _kept(parts: Iterable[_Part], inputs: Inputs, cluster: str) -> tuple[_Part, ...]:
    return tuple(each for each in parts if cluster in (possible_clusters(each, inputs) or (cluster,)))


def _stated(inputs: Inputs, cluster: str) -> Iterator[StatedVersion]:
    """The statements of versions that are not of another cluster: those of its files are."""
    files = _clusters_of_files(inputs)
    for each in inputs.stated_versions:
        if each.origin in (Origin.ARGUMENT, Origin.NODES) or cluster in files.get(each.file, {cluster}):
            yield each


@question
def _clusters_of_files(inputs: Inputs) -> Mapping[str, set[str]]:
    files: dict[str, set[str]] = {}
    for (file, _, _), clusters in inputs.clusters_of.items():
        files.setdefault(file, set()).update(clusters)
    return files
