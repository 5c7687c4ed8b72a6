"""TOPF's `topf.yaml`: the nodes of a cluster, with the patches in the folders beside it.

A node gets the patches of the folder `all`, of the folder of its role, and of its own folder in `node`, each in the order of their names
(postfinance/topf pkg/config/patches.go, read 2026-11-22). Its installer image has the schematic and the Talos version of the node, or else of the
cluster, unless a patch sets another image.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...model import NodeConfig, at, has, is_given, known_str, mappings, text_of
from ..files import Files, absolute, is_file, is_folder, normal
from ..kubernetes.located_yaml import Document, Map, Place, Seq, place_of
from .image_schematics import chosen, is_schematic
from .merge import apply
from .node_configs import Draft, extensions_of, node_config
from .patches import Patches
from .pod_security import generated_level

_ROLES = {"control-plane": True, "worker": False}
_PATCH = re.compile(r"\.ya?ml(\.tpl)?$")


def is_topf(body: Mapping[str, Any]) -> bool:
    """Whether a document is TOPF's configuration of a cluster."""
    if any(has(body, key).is_no for key in ("clusterName", "clusterEndpoint")):
        return False
    return any("host" in node and "role" in node for _, node in mappings(at(body, "nodes")))


def read_topf(document: Document, files: Files) -> tuple[list[NodeConfig], set[str]]:
    """The configuration of each node, and the files of patches and schematics that were read for them."""
    config, place = document.value, document.place
    folders = _Folders(Patches(files, Path(place[0]).parent))
    configs = [
        node_config(_node(config, node, place_of(config, ("nodes", index), place), folders))
        for index, node in mappings(at(config, "nodes"))
        if isinstance(node, Map)
    ]
    return configs, folders.patches.merged


class _Folders:
    """The folders of patches of one cluster. Each folder is searched once, even if several nodes have it."""

    def __init__(self, patches: Patches) -> None:
        self.patches, self.files = patches, patches.files
        self._found: dict[Path, list[Path] | None] = {}

    def read(self, folders: list[Any], place: Place) -> Iterator[Seq]:
        """The patches of a folder, given by the parts of its path. The configuration is incomplete if the folder is not known, or may not be read."""
        parts = [known_str(each) for each in folders]
        if None in parts:
            self.patches.complete = False
            return
        written = "/".join(f"{each}" for each in parts)
        folder = normal(absolute(self.patches.root / written))
        if folder not in self._found:
            is_excluded = self.files.excludes(folder, written, place)
            self._found[folder] = None if is_excluded else [*self._below(folder)] if is_folder(folder) else []
        found = self._found[folder]
        self.patches.complete = self.patches.complete and found is not None
        for path in found or ():
            yield self.patches.of_path(path)

    def _below(self, folder: Path) -> Iterator[Path]:
        """The patch files of a folder and its subfolders, in the order of their names."""
        pending = [(folder, True)]
        while pending:
            path, is_subfolder = pending.pop()
            if is_subfolder:
                subfolders, names = self.files.inside(path)
                inside = [*((each, True) for each in subfolders), *((each, False) for each in names)]
                pending += sorted(inside, key=lambda each: each[0].name, reverse=True)
            elif _PATCH.search(path.name):
                yield path


def _node(config: Map, node: Map, place: Place, folders: _Folders) -> Draft:
    patches = folders.patches
    patches.complete = True
    role = at(node, "role")
    control_plane = _ROLES.get(known_str(role) or "")
    below = next((each for key in ("patchesDir", "configDir") if is_given(each := at(config, key))), ".")
    layers = [["all"], [role], ["node", at(node, "host")]]
    merging = patches.limited([patch for each in layers for patch in folders.read([below, *each], place)], place)
    versions = [each for each in (at(node, "talosVersion"), at(config, "talosVersion")) if is_given(each)]
    return Draft(
        scope="node",
        name="" if (name := text_of(at(node, "host"))) is None else name,
        place=place,
        documents=functools.reduce(apply, merging, Seq()),
        generated_for=versions[0] if versions else None,
        kubernetes_version=at(config, "kubernetesVersion"),
        control_plane=control_plane,
        pod_security=generated_level(merging, complete=patches.complete) if control_plane else None,
        complete=patches.complete,
        **_image(config, node, place, patches),
    )


def _image(config: Map, node: Map, place: Place, patches: Patches) -> dict[str, Any]:
    """The extensions and kernel arguments of the installer image: none without a schematic, and those of a known ID or of a file."""
    owner, path = next(((each, ("schematicId",)) for each in (node, config) if is_given(at(each, "schematicId"))), (None, ()))
    if owner is None:
        return {"extensions": Seq(), "extensions_place": place, "kernel_args": Seq()}
    written, where = known_str(at(owner, *path)) or "", place_of(owner, path, place)
    if not written.startswith("@"):
        extensions = extensions_of(f"/{written}:", where)
        return {"extensions": extensions, "extensions_place": where, "kernel_args": None if extensions is None else Seq()}
    file = normal(absolute(patches.root / written[1:]))
    if not is_file(file):
        patches.files.skip(where[0], f"the schematic {written[1:]} can't be read", where[1])
        return {}
    for document in patches.files.documents(file):
        if isinstance(document.value, Map) and is_schematic(document.value):
            patches.merged.add(document.place[0])
            return chosen(document.value, (), document.place)
    return {}
