"""Cluster API's Talos providers: the machine configurations in the objects of a management cluster.

The provider generates a machine configuration, or takes it from `data`. Then it applies the operations of
`configPatches`, and then the texts of `strategicPatches` (siderolabs/cluster-api-bootstrap-provider-talos
controllers/talosconfig_controller.go, read 2026-11-22). All machines of an object have the same configuration.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ....yaml.located import Map, Place, Seq, located_throughout, place_of
from ...model import KubernetesObject, NodeConfig, Unknown, at, contains, is_open, known_str, source_of, starts_with
from ...model import Path as KeyPath
from ..files import Files
from .node_configs import extensions_of, node_config
from .patches import Patches, apply
from .pod_security import generated_level, level

_SPECS: dict[str, tuple[str, KeyPath]] = {
    "TalosConfig": ("bootstrap.cluster.x-k8s.io/", ("spec",)),
    "TalosConfigTemplate": ("bootstrap.cluster.x-k8s.io/", ("spec", "template", "spec")),
    "TalosControlPlane": ("controlplane.cluster.x-k8s.io/", ("spec", "controlPlaneConfig", "controlplane")),
}
"""For each kind the API group, and the path of the spec that the provider reads."""
_POOLS: dict[str, KeyPath] = {
    "Machine": ("spec",),
    **dict.fromkeys(("MachineDeployment", "MachineSet", "MachinePool"), ("spec", "template", "spec")),
}
_ROLES = {"controlplane": True, "init": True, "worker": False, "join": False}
_NOT_GENERATED = "none"
_AT_THE_FACTORY = re.compile(r"/[0-9a-f]{64}[:/](v\d+\.\d+\.\d+[\w.-]*)")

_Key = tuple[str | None, ...]
"""The kind, namespace and name of an object."""


class _Pool(NamedTuple):
    """The machines of a configuration: their Kubernetes version with its place, and the object that describes their
    infrastructure."""

    kubernetes_version: Any
    place: Place
    infrastructure: _Key


class _Image(NamedTuple):
    """The address of an image at the Image Factory, in an infrastructure object."""

    address: str
    talos_version: str
    place: Place


def read_cluster_api(objects: Sequence[KubernetesObject], files: Files) -> list[NodeConfig]:
    """The configuration of the machines of each TalosConfig, TalosConfigTemplate and TalosControlPlane."""
    configured = [each for each in objects if each.kind in _SPECS and starts_with(each.api_version, _SPECS[each.kind][0]).is_yes]
    if not configured:
        return []
    pools: dict[_Key, list[_Pool]] = {}
    for key, pool in _pools(objects):
        pools.setdefault(key, []).append(pool)
    named = {pool.infrastructure for each in pools.values() for pool in each}
    images = {
        key: _image(each)
        for each in objects
        if (key := _key(each)) in named and contains(each.api_version, "infrastructure.cluster.x-k8s.io/").is_yes
    }
    patches = Patches(files, Path())
    return [_config(each, pools.get(_key(each), []), images, patches) for each in configured]


def _key(each: KubernetesObject) -> _Key:
    return each.kind, known_str(each.namespace), known_str(each.name)


def _pools(objects: Iterable[KubernetesObject]) -> Iterator[tuple[_Key, _Pool]]:
    """The machines of each configuration, with the key of the configuration. References are within a namespace."""

    def named(reference: Any) -> _Key:
        return known_str(at(reference, "kind")), namespace, known_str(at(reference, "name"))

    for each in objects:
        namespace = known_str(each.namespace)
        if each.kind in _POOLS:
            path = _POOLS[each.kind]
            reference = named(each.at(*path, "bootstrap", "configRef"))
            infrastructure = named(each.at(*path, "infrastructureRef"))
        elif each.kind == "TalosControlPlane":
            path, reference, infrastructure = ("spec",), _key(each), named(each.at("spec", "infrastructureTemplate"))
        else:
            continue
        yield reference, _Pool(each.at(*path, "version"), place_of(each.body, (*path, "version"), _place(each)), infrastructure)


def _image(infrastructure: KubernetesObject) -> _Image | None:
    """The only image of the Image Factory that an infrastructure object names. None for no image, and for several."""
    found = {(image.address, image.talos_version): image for image in _images(infrastructure.body, _place(infrastructure))}
    return next(iter(found.values())) if len(found) == 1 else None


def _images(value: Any, place: Place) -> Iterator[_Image]:
    if isinstance(value, str):
        if match := _AT_THE_FACTORY.search(value):
            yield _Image(value, match[1], place)
        return
    items = value.items() if isinstance(value, Map) else enumerate(value) if isinstance(value, Seq) else ()
    for key, item in items:
        yield from _images(item, value.place(key) or place)


def _place(each: KubernetesObject) -> Place:
    return each.file, each.line_of(()) or 1


def _config(each: KubernetesObject, pools: list[_Pool], images: dict[_Key, _Image | None], patches: Patches) -> NodeConfig:
    path = _SPECS[each.kind][1]
    spec, place = each.at(*path), _place(each)
    kind = known_str(at(spec, "generateType"))
    patches.complete = kind in (*_ROLES, _NOT_GENERATED)
    merging = patches.limited([*_data(each, path, kind, patches), *_operations(each, path), *_texts(each, path, patches)], place)
    documents = functools.reduce(apply, merging, Seq())
    control_plane = True if each.kind == "TalosControlPlane" else _ROLES.get(kind or "")
    used = {images.get(pool.infrastructure) for pool in pools}
    image = used.pop() if len(used) == 1 else None
    versions = {known_str(pool.kubernetes_version) for pool in pools}
    places = {"talos_version": image.place if image else place_of(each.body, (*path, "talosVersion"), place)}
    if pools:
        places["kubernetes_version"] = pools[0].place
    return node_config(
        scope="node",
        name=each.name,
        is_hostname=False,
        place=place,
        documents=documents,
        extensions=extensions_of(image.address, image.place) if image else None,
        extensions_place=image.place if image else None,
        generated_for=image.talos_version if image else at(spec, "talosVersion"),
        kubernetes_version=versions.pop() if len(versions) == 1 else None,
        version_places=places,
        control_plane=control_plane,
        pod_security=_pod_security(documents, merging, kind, complete=patches.complete) if control_plane else None,
        complete=patches.complete,
    )


def _pod_security(documents: Seq, patches: Iterable[Seq | Unknown], kind: str | None, *, complete: bool) -> str | Unknown | None:
    if kind == _NOT_GENERATED:
        return level(documents) if complete else None
    return generated_level(patches, complete=complete)


def _data(each: KubernetesObject, path: KeyPath, kind: str | None, patches: Patches) -> Iterator[Seq | Unknown]:
    """The whole configuration in `data`, which the provider reads if it generates none."""
    data = each.at(*path, "data")
    if kind != _NOT_GENERATED:
        return
    if source_of(data) is None:
        patches.complete = False
    else:
        yield patches.inline(data, place_of(each.body, (*path, "data"), _place(each)))


def _operations(each: KubernetesObject, path: KeyPath) -> Iterator[Seq | Unknown]:
    """The operations in `configPatches`. An entry that is not an operation may be any, if another tool writes it."""
    written = each.at(*path, "configPatches")
    if is_open(written) or isinstance(written, Unknown):
        yield Unknown()
    place = place_of(each.body, (*path, "configPatches"), _place(each))
    operations = [item for item in written if isinstance(item, Map) and {"op", "path"} <= item.keys()] if isinstance(written, Seq) else []
    if operations:
        yield located_throughout(Seq(operations), place)


def _texts(each: KubernetesObject, path: KeyPath, patches: Patches) -> Iterator[Seq | Unknown]:
    """The patches in `strategicPatches`."""
    written = each.at(*path, "strategicPatches")
    if isinstance(written, Unknown):
        yield written
    for index, item in enumerate(written if isinstance(written, Seq) else ()):
        yield patches.inline(item, place_of(each.body, (*path, "strategicPatches", index), _place(each)))
