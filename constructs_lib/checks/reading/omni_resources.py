"""Omni's resources: patches of the machine configuration and lists of extensions, by label for a cluster, a set or a machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..read import NodeConfig, at
from .files import Files
from .machine_config import hostname
from .node_config import Draft, node_config
from .pod_security import level_after
from .talos_merge import apply
from .talos_patches import Patches
from .yaml import Document, Map, Seq, place_of

_DOMAIN = "omni.sidero.dev"
_LEVELS = ("cluster", "machine-set", "cluster-machine", "machine")

Target = tuple[str | None, ...]
"""Whom a resource is for, by `_LEVELS`; None for what it does not say."""


def is_resource(body: Mapping[str, Any]) -> bool:
    """Whether a document is a resource of Omni that says something of machines."""
    if "apiVersion" in body or not any(_target(body)):
        return False
    return isinstance(at(body, "spec", "data"), str | Map) or isinstance(at(body, "spec", "extensions"), Seq)


def read_resources(found: Iterable[Document], files: Files) -> list[NodeConfig]:
    """A configuration for each cluster, set or machine that a resource is for; what is for its cluster is merged into it.

    Which set a machine is in, and what Omni has of other patches, is not in the resources: so none of them is all that a node gets.
    """
    documents = sorted(found, key=lambda each: str(at(each.value, "metadata", "id") or ""))
    targets = dict.fromkeys(_target(each.value) for each in documents)
    return [node_config(_draft(target, [each for each in documents if _reaches(_target(each.value), target)], files)) for target in targets]


def _target(body: Mapping[str, Any]) -> Target:
    labels = at(body, "metadata", "labels")
    said = [labels.get(f"{_DOMAIN}/{level}") if isinstance(labels, Mapping) else None for level in _LEVELS]
    return tuple(each if isinstance(each, str) else None for each in said)


def _reaches(whom: Target, target: Target) -> bool:
    """Whether what is for `whom` is for the target too: the cluster of a set or of a machine, and itself."""
    return whom == target or (whom[0] == target[0] and whom[0] is not None and not any(whom[1:]))


def _draft(target: Target, documents: list[Document], files: Files) -> Draft:
    own = [each for each in documents if _target(each.value) == target]
    patches = Patches(files, Path())
    merging = [_patch(each, patches) for each in sorted(documents, key=own.__contains__)]
    made = Seq()
    for patch in merging:
        made = apply(made, patch)
    cluster, machine_set, *machine = target
    return Draft(
        scope="node" if any(target[1:]) else "group",
        name=(hostname(made) if any(machine) else None) or next(each for each in reversed(target) if each),
        place=own[0].place,
        documents=made,
        control_plane=machine_set == f"{cluster}-control-planes" if machine_set else None,
        pod_security=level_after(merging),
        complete=False,
        **_extensions([*(each for each in documents if each not in own), *own]),
    )


def _patch(document: Document, patches: Patches) -> Seq:
    data = at(document.value, "spec", "data")
    place = place_of(document.value, ("spec", "data"), document.place)
    if isinstance(data, Map):
        return Seq([data], [place])
    return patches.of_text(data, place) if isinstance(data, str) else Seq()


def _extensions(documents: list[Document]) -> dict[str, Any]:
    """The list that is nearest to a machine: Omni takes no other."""
    for each in reversed(documents):
        found = at(each.value, "spec", "extensions")
        if isinstance(found, Seq):
            return {"extensions": found, "extensions_place": place_of(each.value, ("spec", "extensions"), each.place)}
    return {"extensions": None}
