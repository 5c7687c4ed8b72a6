"""Omni: cluster templates, with documents for the cluster, its control plane, its worker sets and its machines; and
Omni's own resources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ....upstream.talos.config_documents import OMNI_DOMAIN
from ....yaml.located import Document, Map, Place, Seq, place_of
from ...model import NodeConfig, Unknown, at, literal, source_of, text_of
from ..files import Files, is_template
from ..objects import kind_of
from .node_configs import hostname, node_config
from .patches import Patches, apply
from .pod_security import generated_level, level_after

_SETS = ("ControlPlane", "Workers")
_KINDS = ("Cluster", "Machine", *_SETS)


def is_template_document(body: Mapping[str, Any]) -> bool:
    """Whether a document is part of a cluster template. Such a document has no API version."""
    return kind_of(body) in _KINDS and "apiVersion" not in body and "metadata" not in body


def read_template(documents: list[Document], files: Files) -> tuple[list[NodeConfig], set[str]]:
    """The configurations in a cluster template: for each machine, each set by machine class, and a cluster with common
    extensions."""
    patches = Patches(files, Path(documents[0].place[0]).parent)
    return [config for cluster in _clusters(documents) for config in _configs(cluster, patches)], patches.merged


def _clusters(documents: Iterable[Document]) -> list[list[Document]]:
    """The documents of each cluster. A document of kind Cluster begins the next one."""
    clusters: list[list[Document]] = []
    for each in documents:
        if each.value["kind"] == "Cluster" or not clusters:
            clusters.append([])
        clusters[-1].append(each)
    return clusters


def _configs(documents: list[Document], patches: Patches) -> Iterator[NodeConfig]:
    cluster = [each for each in documents if each.value["kind"] == "Cluster"]
    machines = {str(at(each.value, "name")): each for each in documents if each.value["kind"] == "Machine"}
    versions: dict[str, Any] = {
        f"{key}_version": at(cluster[0].value, key, "version") if cluster else None for key in ("talos", "kubernetes")
    }
    if cluster:
        places = {f"{key}_version": place_of(cluster[0].value, (key, "version"), cluster[0].place) for key in ("talos", "kubernetes")}
        versions["version_places"] = places
    for_all = _extensions(cluster)
    reached = 0
    for group in (each for each in documents if each.value["kind"] in _SETS):
        names, size = _machines(group.value)
        for name in names:
            own = [machines[f"{name}"]] if f"{name}" in machines else []
            layers = [*cluster, group, *own]
            reached += size if _extensions(layers)["extensions"] is for_all["extensions"] else 0
            yield _node(layers, name, patches, versions)
    if for_all["extensions"] is not None and reached > 1:
        yield node_config(scope="group", name=_name(cluster[0].value), place=cluster[0].place, complete=False, **for_all, **versions)


def _name(body: Any) -> str | Unknown:
    return "" if (name := text_of(at(body, "name"))) is None else name


def _machines(group: Map) -> tuple[list[str | Unknown], int]:
    """The names of a set's machines, and the number of machines for each name. Machines of a machine class share one
    empty name."""
    named, size = at(group, "machines"), at(group, "machineClass", "size")
    if isinstance(named, Seq):
        return [name for each in named if (name := text_of(each)) is not None], 1
    return [""], size if isinstance(size, int) else 2


def _node(layers: list[Document], name: str | Unknown, patches: Patches, versions: dict[str, Any]) -> NodeConfig:
    """The draft of one machine: the cluster's patches, then those of its set, then its own."""
    last, group = layers[-1], next(each for each in layers if each.value["kind"] in _SETS)
    patches.complete = not is_template(last.place[0])
    merging = patches.limited([patch for layer in layers for patch in _patches(layer, patches)], last.place)
    documents = Seq()
    for patch in merging:
        documents = apply(documents, patch)
    control_plane = group.value["kind"] == "ControlPlane"
    host = hostname(documents)
    names = (host, name, _name(group.value), "control-planes" if control_plane else "workers")
    return node_config(
        scope="node",
        name=next(each for each in names if isinstance(each, Unknown) or each),
        is_hostname=host is not None,
        place=last.place,
        documents=documents,
        control_plane=control_plane,
        pod_security=generated_level(merging, complete=patches.complete) if control_plane else None,
        complete=patches.complete,
        **_extensions(layers),
        **_kernel_args(layers),
        **versions,
    )


def _most_specific(layers: list[Document], *path: str) -> tuple[Seq, Place] | None:
    """The most specific list at a path. Omni ignores the others."""
    for layer in reversed(layers):
        if isinstance(found := at(layer.value, *path), Seq):
            return found, place_of(layer.value, path, layer.place)
    return None


def _extensions(layers: list[Document], *above: str) -> dict[str, Any]:
    found = _most_specific(layers, *above, "extensions" if above else "systemExtensions")
    return {"extensions": None} if found is None else {"extensions": found[0], "extensions_place": found[1]}


def _kernel_args(layers: list[Document]) -> dict[str, Any]:
    found = _most_specific(layers, "kernelArgs")
    if found is None:
        return {}
    schematic = Map({"customization": Map({"extraKernelArgs": found[0]})})
    return {"kernel_args": found[0], "image_settings": Map({"schematic": schematic}, {"schematic": found[1]})}


def _patches(layer: Document, patches: Patches) -> Iterator[Seq]:
    written = at(layer.value, "patches")
    for index, each in enumerate(written if isinstance(written, Seq) else ()):
        place = written.places[index]
        inline, file = at(each, "inline"), at(each, "file")
        if isinstance(inline, Map):
            yield Seq([inline], [place_of(each, ("inline",), place)])
        elif isinstance(inline, Seq):
            yield inline
        elif isinstance(file, str):
            yield patches.of_file(file, place)


_LEVELS = ("cluster", "machine-set", "cluster-machine", "machine")

Target = tuple[str | None, ...]
"""The names in the labels of a resource, in the order of `_LEVELS`. None for a missing label."""


def is_resource(body: Mapping[str, Any]) -> bool:
    """Whether a document is a resource of Omni with a config patch or an extension list."""
    if "apiVersion" in body or not isinstance(body.get("metadata"), Map) or not isinstance(body.get("spec"), Map):
        return False
    if not any(_target(body)) and not str(literal(at(body, "metadata", "type"))).endswith(f".{OMNI_DOMAIN}"):
        return False
    return isinstance(at(body, "spec", "data"), str | Unknown | Map) or isinstance(at(body, "spec", "extensions"), Seq)


def read_resources(documents: Iterable[Document], files: Files) -> list[NodeConfig]:
    """The configurations of Omni's resources: one for each cluster, set or machine, and for each resource that names
    none of them.

    Patches for the whole cluster are merged into each.

    The resources do not tell which set a machine is in, or which further patches Omni has. So no configuration is
    complete.
    """
    by_target: dict[Target, list[Document]] = {}
    without_target: list[tuple[Target, list[Document]]] = []
    for each in sorted(documents, key=lambda each: str(literal(at(each.value, "metadata", "id")) or "")):
        target = _target(each.value)
        if any(target):
            by_target.setdefault(target, []).append(each)
        else:
            without_target.append((target, [each]))
    patches = Patches(files, Path())

    def of_cluster(target: Target) -> list[Document]:
        """The resources for the whole cluster of a set or a machine."""
        return by_target.get((target[0], *(None for _ in target[1:])), []) if target[0] and any(target[1:]) else []

    return [_config(target, of_cluster(target), own, patches) for target, own in [*by_target.items(), *without_target]]


def _target(body: Mapping[str, Any]) -> Target:
    written = [literal(at(body, "metadata", "labels", f"{OMNI_DOMAIN}/{level}")) for level in _LEVELS]
    return tuple(each if isinstance(each, str) else None for each in written)


def _config(target: Target, shared: list[Document], own: list[Document], patches: Patches) -> NodeConfig:
    merging = patches.limited([_patch(each, patches) for each in (*shared, *own)], own[0].place)
    documents = Seq()
    for patch in merging:
        documents = apply(documents, patch)
    cluster, machine_set, *machine = target
    name = hostname(documents) if any(machine) else None
    return node_config(
        scope="node" if any(target[1:]) else "group" if cluster else "patch",
        name=next((each for each in reversed(target) if each), f"{at(own[0].value, 'metadata', 'id')}") if name is None else name,
        is_hostname=name is not None,
        place=own[0].place,
        documents=documents,
        control_plane=machine_set == f"{cluster}-control-planes" if machine_set else None,
        pod_security=level_after(merging),
        complete=False,
        resources=Seq([each.value for each in own], [each.place for each in own]),
        **_extensions([*shared, *own], "spec"),
    )


def _patch(document: Document, patches: Patches) -> Seq:
    data = at(document.value, "spec", "data")
    place = place_of(document.value, ("spec", "data"), document.place)
    if isinstance(data, Map):
        return Seq([data], [place])
    text = source_of(data)
    return Seq() if text is None else patches.of_text(text, place)
