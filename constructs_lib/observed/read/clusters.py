"""The clusters of one tree: the names of clusters that deployers, folders and Talos' documents state, and which cluster
gets a part of the tree.

A part that nobody assigns may be of any cluster. https://argo-cd.readthedocs.io/en/stable/operator-manual/cluster-bootstrapping/,
https://fluxcd.io/flux/components/kustomize/kustomizations/#kubeconfig-remote-clusters (2026-11-24)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from ...arguments.patterns import pattern
from ...yaml.located import Document
from ..model import PartKey, Read, at, is_given, known_str
from .objects import deployer_kind

# The layout that the documentation of Flux recommends: https://fluxcd.io/flux/guides/repository-structure/
_FOLDER = pattern(r"(?:.*/)?clusters/([^/]+)(?=/)")
# The names by which Argo CD means the cluster in which it runs.
_HOME = "in-cluster"
_HOME_ADDRESSES = ("https://kubernetes.default.svc", "https://kubernetes.default.svc:443", "https://kubernetes.default.svc.cluster.local")


def folder_of_cluster(file: str) -> tuple[str, str]:
    """The name and the path of the folder `clusters/NAME` that a file is in; empty for another file."""
    match = _FOLDER.match(file) if "clusters/" in file else None
    return ("", "") if match is None else (match[1], match[0])


def target_cluster(deployer: Any, cluster: str) -> str:
    """The cluster that gets the objects of a deployer, which is itself in a cluster. Empty for an unknown one."""
    spec, kind = at(deployer, "spec"), deployer_kind(deployer)
    if kind == "Kustomization":
        return remote_of(spec, cluster)
    destination = at(spec, "destination")
    if kind != "Application" or not is_given(destination):
        return cluster
    name, server = at(destination, "name"), at(destination, "server")
    if not is_given(name) and not is_given(server):
        return cluster
    written = known_str(name if is_given(name) else server)
    if written is None:  # the generator of an ApplicationSet fills it in
        return ""
    return cluster or _HOME if written == _HOME or written.rstrip("/") in _HOME_ADDRESSES else written


def remote_of(spec: Any, cluster: str) -> str:
    """The cluster whose `kubeConfig` Flux uses: the name of the Secret or ConfigMap stands for the cluster."""
    written = at(spec, "kubeConfig")
    if not is_given(written):
        return cluster
    names = (at(written, "secretRef", "name"), at(written, "configMapRef", "name"))
    return next(filter(None, map(known_str, names)), "")


def clusters_of(
    rendered: Mapping[PartKey, set[str]], of_talos: Mapping[str, set[str]], parts: Iterable[Read], deployers: Iterable[Document]
) -> dict[PartKey, frozenset[str]]:
    """The clusters that surely get a part, by the part; empty for a tree of one cluster.

    `rendered` are the clusters by the deployers, `of_talos` the names in the documents of Talos, by file.
    """
    known = list(parts)
    assigned = {key: frozenset(found) for key, found in rendered.items() if "" not in found}
    assigned |= {each.part: frozenset([name]) for each in known if (name := _remote_release(each))}
    named = {name for found in assigned.values() for name in found} | {folder_of_cluster(each.place[0])[0] for each in deployers} - {""}
    if len(named) < 2:  # noqa: PLR2004  # one cluster needs no names
        named = {name for found in of_talos.values() for name in found}
    if len(named) < 2:  # noqa: PLR2004
        return {}
    folders = _separating((each.file for each in known), named)
    for each in known:
        key = each.part
        if key not in rendered and key not in assigned:
            own = (of_talos.get(each.file, set()) & named) or {*_within(each.file, named, folders)}
            if len(own) == 1:
                assigned[key] = frozenset(own)
    return assigned


def _remote_release(part: Read) -> str:
    """The remote cluster to which Flux installs a chart; empty for its own."""
    return remote_of(part.at("spec"), "") if known_str(part.at("kind")) == "HelmRelease" else ""


def _separating(files: Iterable[str], names: set[str]) -> set[tuple[str, ...]]:
    """The folders that have a subfolder for each of several clusters."""
    found: dict[tuple[str, ...], set[str]] = {}
    for parts in {PurePath(file).parts[:-1] for file in files}:
        for index, part in enumerate(parts):
            if part in names:
                found.setdefault(parts[:index], set()).add(part)
    return {folder for folder, clusters in found.items() if len(clusters) > 1}


def _within(file: str, names: set[str], folders: set[tuple[str, ...]]) -> Iterator[str]:
    """The clusters of the folders that a file is in."""
    parts = PurePath(file).parts[:-1]
    yield from (part for index, part in enumerate(parts) if part in names and parts[:index] in folders)
