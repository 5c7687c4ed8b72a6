"""Omni's cluster templates: a file with documents for the cluster, its control plane, its worker sets and its machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ...model import NodeConfig, Unknown, at, text_of
from ..files import Files, is_template
from ..kubernetes.located_yaml import Document, Map, Seq, place_of
from ..kubernetes.objects import kind_of
from .machine_documents import hostname
from .merge import apply
from .node_configs import Draft, node_config
from .patches import Patches
from .pod_security import generated_level

_SETS = ("ControlPlane", "Workers")
_KINDS = ("Cluster", "Machine", *_SETS)


def is_template_document(body: Mapping[str, Any]) -> bool:
    """Whether a document is part of a cluster template. Such a document has no API version."""
    return kind_of(body) in _KINDS and "apiVersion" not in body and "metadata" not in body


def read_template(documents: list[Document], files: Files) -> tuple[list[NodeConfig], set[str]]:
    """The configurations in a cluster template: for each machine, each set by machine class, and a cluster with common extensions."""
    patches = Patches(files, Path(documents[0].place[0]).parent)
    configs: list[NodeConfig] = []
    for cluster in _clusters(documents):
        configs.extend(node_config(draft) for draft in _drafts(cluster, patches))
    return configs, patches.merged


def _clusters(documents: Iterable[Document]) -> list[list[Document]]:
    """The documents of each cluster. A document of kind Cluster begins the next one."""
    clusters: list[list[Document]] = []
    for each in documents:
        if each.value["kind"] == "Cluster" or not clusters:
            clusters.append([])
        clusters[-1].append(each)
    return clusters


def _drafts(documents: list[Document], patches: Patches) -> Iterator[Draft]:
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
            draft = _node([*cluster, group, *own], name, patches, versions)
            reached += size if draft.extensions is for_all["extensions"] else 0
            yield draft
    if for_all["extensions"] is not None and reached > 1:
        yield Draft(scope="group", name=_name(cluster[0].value), place=cluster[0].place, complete=False, **for_all, **versions)


def _name(body: Any) -> str | Unknown:
    return "" if (name := text_of(at(body, "name"))) is None else name


def _machines(group: Map) -> tuple[list[str | Unknown], int]:
    """The names of a set's machines, and the number of machines for each name. Machines of a machine class share one empty name."""
    named, size = at(group, "machines"), at(group, "machineClass", "size")
    if isinstance(named, Seq):
        return [name for each in named if (name := text_of(each)) is not None], 1
    return [""], size if isinstance(size, int) else 2


def _node(layers: list[Document], name: str | Unknown, patches: Patches, versions: dict[str, Any]) -> Draft:
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
    return Draft(
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


def _extensions(layers: list[Document]) -> dict[str, Any]:
    """The most specific list of extensions. Omni ignores the others."""
    for layer in reversed(layers):
        extensions = at(layer.value, "systemExtensions")
        if isinstance(extensions, Seq):
            return {"extensions": extensions, "extensions_place": place_of(layer.value, ("systemExtensions",), layer.place)}
    return {"extensions": None}


def _kernel_args(layers: list[Document]) -> dict[str, Any]:
    """The most specific list of kernel arguments. Omni ignores the others."""
    for layer in reversed(layers):
        arguments = at(layer.value, "kernelArgs")
        if isinstance(arguments, Seq):
            schematic = Map({"customization": Map({"extraKernelArgs": arguments})})
            return {"kernel_args": arguments, "image_settings": Map({"schematic": schematic}, {"schematic": layer.place})}
    return {}


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
