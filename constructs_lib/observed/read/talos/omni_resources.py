"""Omni's resources: config patches and extension lists. Labels name the cluster, set or machine that a resource is for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ....upstream.talos.omni_metadata import OMNI_DOMAIN
from ...model import NodeConfig, Unknown, at, literal, source_of
from ..files import Files
from ..kubernetes.located_yaml import Document, Map, Seq, place_of
from .machine_documents import hostname
from .merge import apply
from .node_configs import Draft, node_config
from .patches import Patches
from .pod_security import level_after

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
    """The configurations of Omni's resources: one for each cluster, set or machine, and for each resource that names none of them.

    Patches for the whole cluster are merged into each.

    The resources do not tell which set a machine is in, or which further patches Omni has. So no configuration is complete.
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
    targets = [*by_target.items(), *without_target]
    return [node_config(_draft(target, by_target.get(_cluster_of(target) or (), []), own, patches)) for target, own in targets]


def _target(body: Mapping[str, Any]) -> Target:
    written = [literal(at(body, "metadata", "labels", f"{OMNI_DOMAIN}/{level}")) for level in _LEVELS]
    return tuple(each if isinstance(each, str) else None for each in written)


def _cluster_of(target: Target) -> Target | None:
    """The target for the whole cluster of a set or a machine."""
    return (target[0], *(None for _ in target[1:])) if target[0] and any(target[1:]) else None


def _draft(target: Target, shared: list[Document], own: list[Document], patches: Patches) -> Draft:
    merging = patches.limited([_patch(each, patches) for each in (*shared, *own)], own[0].place)
    documents = Seq()
    for patch in merging:
        documents = apply(documents, patch)
    cluster, machine_set, *machine = target
    name = hostname(documents) if any(machine) else None
    return Draft(
        scope="node" if any(target[1:]) else "group" if cluster else "patch",
        name=next((each for each in reversed(target) if each), f"{at(own[0].value, 'metadata', 'id')}") if name is None else name,
        is_hostname=name is not None,
        place=own[0].place,
        documents=documents,
        control_plane=machine_set == f"{cluster}-control-planes" if machine_set else None,
        pod_security=level_after(merging),
        complete=False,
        resources=Seq([each.value for each in own], [each.place for each in own]),
        **_extensions([*shared, *own]),
    )


def _patch(document: Document, patches: Patches) -> Seq:
    data = at(document.value, "spec", "data")
    place = place_of(document.value, ("spec", "data"), document.place)
    if isinstance(data, Map):
        return Seq([data], [place])
    text = source_of(data)
    return Seq() if text is None else patches.of_text(text, place)


def _extensions(documents: list[Document]) -> dict[str, Any]:
    """The most specific list of extensions. Omni ignores the others."""
    for each in reversed(documents):
        extensions = at(each.value, "spec", "extensions")
        if isinstance(extensions, Seq):
            return {"extensions": extensions, "extensions_place": place_of(each.value, ("spec", "extensions"), each.place)}
    return {"extensions": None}
