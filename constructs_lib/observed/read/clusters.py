"""The clusters of one tree: the names of clusters that deployers, folders and Talos' documents state, and which cluster
gets a part of the tree.

A part that nobody assigns may be of any cluster. https://argo-cd.readthedocs.io/en/stable/operator-manual/cluster-bootstrapping/,
https://fluxcd.io/flux/components/kustomize/kustomizations/#kubeconfig-remote-clusters (2026-11-24)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from ...arguments.patterns import pattern
from ...yaml.located import Document
from ..model import ChartRelease, NodeConfig, PartKey, Read, at, is_given, known_items, known_list, known_str, mappings
from .builds import Builds, Part, key_of, possible_builds
from .objects import Rendered, deployer_kind

Clusters = Mapping[PartKey, frozenset[str]]
# The layout that the documentation of Flux recommends: https://fluxcd.io/flux/guides/repository-structure/
_FOLDER = pattern(r"(?:.*/)?clusters/([^/]+)(?=/)")
HOME = "in-cluster"
"""The cluster in which the deployers of the tree run, by the name that Argo CD gives it."""
_SELECTED = "those with "
_HOME_ADDRESSES = ("https://kubernetes.default.svc", "https://kubernetes.default.svc:443", "https://kubernetes.default.svc.cluster.local")
# Two of these with one namespace and name are of two clusters, or one overwrites the other.
_UNIQUE = ("RuntimeClass", "HelmRelease", "Deployment", "DaemonSet", "StatefulSet")


def folder_of_cluster(file: str) -> tuple[str, str]:
    """The name and the path of the folder `clusters/NAME` that a file is in; empty for another file."""
    match = _FOLDER.match(file) if "clusters/" in file else None
    return ("", "") if match is None else (match[1], match[0])


def folders_of_clusters(documents: Iterable[Document], included: AbstractSet[str]) -> dict[str, str]:
    """The folders `clusters/NAME` with deployers, by name, without those whose kustomizations are parts of others'."""
    found: dict[str, str] = {}
    for each in documents:
        name, folder = folder_of_cluster(each.place[0])
        if name and name not in included and deployer_kind(each.value) in ("Kustomization", "Application"):
            found.setdefault(name, folder)
    return found


def selected_clusters(deployer: Any) -> str:
    """The clusters that the cluster generator of an ApplicationSet selects, by their labels. Empty if it selects all, or
    for another deployer.

    https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Cluster/ (2026-11-28)
    """
    if deployer_kind(deployer) != "ApplicationSet":
        return ""
    found, pending = list[str](), [at(deployer, "spec", "generators")]
    while pending:
        for _, generator in mappings(pending.pop()):
            selector = at(generator, "clusters", "selector")
            found += [f"{key}={value}" for key, value in known_items(at(selector, "matchLabels"))]
            for _, each in mappings(at(selector, "matchExpressions")):
                found.append(f"{at(each, 'key')} {at(each, 'operator')} {', '.join(map(str, known_list(at(each, 'values'))))}".strip())
            pending += [at(generator, key, "generators") for key in ("matrix", "merge")]
    return f"{_SELECTED}{' and '.join(sorted(found))}" if found else ""


def target_cluster(deployer: Any, cluster: str, selected: str) -> str:
    """The cluster that gets the objects of a deployer, which is itself in a cluster: its address or name. Empty for an unknown
    one; `selected` are the clusters that the generator of its ApplicationSet selects."""
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
        return selected
    return cluster if written == HOME or written.rstrip("/") in _HOME_ADDRESSES else written


def remote_of(spec: Any, cluster: str) -> str:
    """The cluster whose `kubeConfig` Flux uses: the name of the Secret or ConfigMap stands for the cluster."""
    written = at(spec, "kubeConfig")
    if not is_given(written):
        return cluster
    names = (at(written, "secretRef", "name"), at(written, "configMapRef", "name"))
    return next(filter(None, map(known_str, names)), "")


@dataclass(frozen=True, kw_only=True, slots=True)
class ClustersOf:
    """Which cluster gets a part: surely, and as the names tell; both are empty for a tree of one cluster. `builds` is what
    each of the clusters gets, and `rest` what is for a cluster that is not known. `has_remote` says whether deployers name
    a cluster beside their own, or beside those that a generator selects."""

    surely: Clusters
    perhaps: Clusters
    builds: Builds
    rest: Sequence[Part]
    has_remote: bool


def clusters_of(rendered: Rendered, of_talos: Mapping[str, set[str]], parts: Iterable[Read], folders: AbstractSet[str]) -> ClustersOf:
    """The clusters that get the parts of a tree.

    `of_talos` are the names in the documents of Talos, by file, and `folders` the names of the folders with deployers.
    The name of a folder, or of a Secret, is no proof that a cluster is another one than the only one of Talos, or than
    one that is named by its address. Kustomizations, or deployers of two names, that make one object differently are of
    two clusters.
    """
    known = list(parts)
    have_files = any(each.line_of(()) for each in known[:1])  # what has no lines is of an app or of a live cluster
    talos = set[str]().union(*of_talos.values())
    home = _home(folders, talos)
    builds: dict[str, list[Part]] = {}
    deployed: dict[PartKey, set[str]] = {}
    for name, several in rendered.clusters.items():
        cluster = home if name == HOME else name
        builds.setdefault(cluster, []).extend(several)
        for part in several:
            deployed.setdefault(key_of(part), set()).add(cluster)
    deployed_files = {file for file, _, _ in deployed}
    is_one_of_talos = len(set[str]().union(*(names for file, names in of_talos.items() if file not in deployed_files))) == 1
    assigned = {key: frozenset(found) for key, found in deployed.items() if "" not in found}
    assigned |= {each.part: frozenset([name]) for each in known if (name := _remote_release(each))}
    of_all = set[str]().union(*assigned.values())
    selected = {name for name in of_all if name.startswith(_SELECTED)}
    named = (of_all - selected) | folders
    remote = named - {home}
    if len(named) < 2:  # noqa: PLR2004  # one cluster needs no names
        named = talos
    if len(named) > 1:
        separating = _separating((each.file for each in known), named) if have_files else set()
        for each in known:
            key = each.part
            if key not in deployed and key not in assigned:
                own = (of_talos.get(each.file, set()) & named) or {*_within(each.file, named, separating)}
                if len(own) == 1:
                    assigned[key] = frozenset(own)
    are_proof = not is_one_of_talos and not any(map(_is_address, named))
    surely = _if_several(
        {
            key: found
            for key, found in assigned.items()
            if not found & selected and (are_proof or all(_is_address(each) or each == home for each in found))
        }
    )
    by_hand = {each.part for each in known if isinstance(each, ChartRelease) and each.part not in deployed} - assigned.keys()
    has_own = bool(home) and bool(by_hand or frozenset([home]) in assigned.values())
    has_remote = bool(remote) and (has_own or bool(selected))
    if len(talos) <= 1 and remote and has_own:
        nodes = {each.part for each in known if isinstance(each, NodeConfig)}
        assigned = dict.fromkeys(nodes | by_hand, frozenset([home])) | assigned
    perhaps = _if_several((dict(_by_siblings(known, deployed)) if have_files else {}) | assigned)
    if not surely and (surely := _if_several(possible_builds(rendered.builds))):
        return ClustersOf(surely=surely, perhaps=perhaps, builds=rendered.builds, rest=(), has_remote=has_remote)
    surely = surely or _if_several(possible_builds({name: parts for name, parts in builds.items() if name}, _UNIQUE))
    names = set[str]().union(*surely.values())
    rest = [part for name, several in builds.items() if name not in names for part in several]
    return ClustersOf(
        surely=surely, perhaps=perhaps, builds={name: builds[name] for name in names & builds.keys()}, rest=rest, has_remote=has_remote
    )


def _home(folders: AbstractSet[str], talos: AbstractSet[str]) -> str:
    """The name of the cluster of the deployers: that of its folder, or Talos'; empty if it is one of several."""
    names = folders or talos
    return HOME if not names else next(iter(names)) if len(names) == 1 else ""


def _is_address(cluster: str) -> bool:
    return "://" in cluster


def _if_several(clusters: Clusters) -> Clusters:
    return clusters if len(set[str]().union(*clusters.values())) > 1 else {}


def _by_siblings(parts: Iterable[Read], rendered: Mapping[PartKey, object]) -> Iterator[tuple[PartKey, frozenset[str]]]:
    """The folders that have objects of one kind, namespace and name, as clusters of what is below them."""
    free = [each for each in parts if each.part not in rendered] if rendered else [*parts]
    if len({each.file.rpartition("/")[0] for each in free}) < 2:  # noqa: PLR2004  # no siblings in one folder
        return
    first: dict[object, tuple[str, ...]] = {}
    siblings = set[tuple[str, ...]]()
    for each in free:
        if known_str(each.at("kind")) in _UNIQUE:
            folders = PurePath(each.file).parts[:-1]
            other = first.setdefault(repr([each.at("kind"), each.at("metadata", "namespace"), each.at("metadata", "name")]), folders)
            depth = next((index for index, (one, two) in enumerate(zip(folders, other, strict=False)) if one != two), None)
            if depth is not None:
                siblings |= {folders[: depth + 1], other[: depth + 1]}
    for each in free if siblings else ():
        folders = PurePath(each.file).parts[:-1]
        if found := [folders[:depth] for depth in range(1, len(folders) + 1) if folders[:depth] in siblings]:
            yield each.part, frozenset([f"{PurePath(*found[0])}"])


def _remote_release(part: Read) -> str:
    """The remote cluster to which Flux installs a chart; empty for its own."""
    return remote_of(part.at("spec"), "") if known_str(part.at("kind")) == "HelmRelease" else ""


def _separating(files: Iterable[str], names: AbstractSet[str]) -> set[tuple[str, ...]]:
    """The folders that have a subfolder for each of several clusters."""
    found: dict[tuple[str, ...], set[str]] = {}
    for parts in {PurePath(file).parts[:-1] for file in files}:
        for index, part in enumerate(parts):
            if cluster := _meant(part, names):
                found.setdefault(parts[:index], set()).add(cluster)
    return {folder for folder, clusters in found.items() if len(clusters) > 1}


def _within(file: str, names: AbstractSet[str], folders: set[tuple[str, ...]]) -> Iterator[str]:
    """The clusters of the folders that a file is in."""
    parts = PurePath(file).parts[:-1]
    yield from (name for index, part in enumerate(parts) if parts[:index] in folders and (name := _meant(part, names)))


def _meant(folder: str, names: AbstractSet[str]) -> str:
    """The cluster that the name of a folder means: a folder `prod` is of the cluster `home-prod`, if no other has it."""
    if folder in names:
        return folder
    found = [name for name in names if name.startswith(f"{folder}-") or name.endswith(f"-{folder}")]
    return found[0] if len(found) == 1 else ""
