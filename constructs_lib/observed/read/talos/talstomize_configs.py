"""talstomize's `talstomize.yaml`: the nodes of a cluster, with the patches of the cluster, of their role and their own.

https://github.com/mirceanton/talstomize (read 2026-11-22: internal/config/types.go and internal/talos/engine.go).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...model import NodeConfig, Unknown, at, is_given, is_open, known_items, known_str, text_of
from ..files import Files
from ..kubernetes.located_yaml import Document, Map, Place, Seq, place_of
from ..kubernetes.objects import is_of
from .image_schematics import chosen
from .merge import apply
from .node_configs import Draft, node_config
from .patches import Patches
from .pod_security import generated_level

_ROLES = {"controlplane": True, "worker": False}
_LISTS = {True: "controlplanePatches", False: "workerPatches"}
_REMOTE = "https://"


def is_talstomize(body: Mapping[str, Any]) -> bool:
    """Whether a document is talstomize's configuration of a cluster."""
    return is_of(body, "Talstomize", "config.talstomize.dev/")


def read_talstomize(document: Document, files: Files) -> tuple[list[NodeConfig], set[str]]:
    """The configuration of each node, and the patch files that were merged into them."""
    config, place = document.value, document.place
    patches = Patches(files, Path(place[0]).parent)
    configs = [
        node_config(_node(config, name, node, place_of(config, ("nodes", name), place), patches))
        for name, node in known_items(at(config, "nodes"))
        if isinstance(node, Map)
    ]
    return configs, patches.merged


def _node(config: Map, name: str, node: Map, place: Place, patches: Patches) -> Draft:
    control_plane = _ROLES.get(known_str(at(node, "kind")) or "")
    patches.complete = control_plane is not None
    image, documents = _image(config, node, place)
    lists = [(config, "patches"), *([(config, _LISTS[control_plane])] if control_plane is not None else []), (node, "patches")]
    merging = patches.limited([patch for owner, key in lists for patch in _patches(owner, key, place, patches)], place)
    return Draft(
        scope="node",
        name=name,
        place=place,
        documents=functools.reduce(apply, merging, documents),
        kubernetes_version=at(config, "kubernetesVersion"),
        control_plane=control_plane,
        pod_security=generated_level(merging, complete=patches.complete) if control_plane else None,
        complete=patches.complete,
        **image,
    )


def _patches(owner: Map, key: str, place: Place, patches: Patches) -> Iterator[Seq | Unknown]:
    """The patches of a list: the names of files, or inline documents."""
    written = at(owner, key)
    if isinstance(written, Unknown) or is_open(written):
        yield Unknown()
    for index, each in enumerate(written if isinstance(written, Seq) else ()):
        where = place_of(owner, (key, index), place)
        if isinstance(each, Map):
            yield Seq([each], [where])
        elif isinstance(each, Seq):
            yield each
        elif isinstance(file := text_of(each), str):
            if file.startswith(_REMOTE):
                patches.files.skip(where[0], f"the patch {file} is not in the repository", where[1])
                patches.complete = False
            else:
                yield patches.of_file(file, where)


def _image(config: Map, node: Map, place: Place) -> tuple[dict[str, Any], Seq]:
    """The extensions of the node's installer, else of the cluster's, with the documents that set its image. talstomize merges neither."""
    owner = next((each for each in (node, config) if any(is_given(at(each, "installer", key)) for key in ("image", "schematic"))), config)
    where = place_of(owner, ("installer",), place)
    image = at(owner, "installer", "image")
    versions = [each for path in (("talosVersion",), ("installer", "talosVersion")) if is_given(each := at(config, *path))]
    fields = {**chosen(owner, ("installer", "schematic"), where), "generated_for": versions[0] if versions else None}
    if not is_given(image):
        return fields, Seq()
    install = Map({"image": image}, {"image": where})
    return fields, Seq([Map({"machine": Map({"install": install}, {"install": where})}, {"machine": where})], [where])
