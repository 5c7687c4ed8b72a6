"""What a running cluster has in place of what its file describes: nodes and objects, each difference at its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..arguments.quantities import amount_of
from ..doctor.differences import NOT_READ, Difference
from ..doctor.gpu_cluster import GpuCluster
from ..doctor.gpu_node import GpuNode
from ..manifests.objects import Manifest
from ..nodes.file_classes import FileClass
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.image_extensions import image_extensions
from ..observed.model.dump import Dump
from ..observed.model.live_object import addresses_of
from ..observed.read.live.dump_builder import KEPT
from ..observed.read.live.redaction import hide

_LONGEST = 80
_SECRET = re.compile(r"\.env\[\d+\]\.value$|\b(?:args|command)\[\d+\]$| (?:data|stringData)\.")


# Nodes


def node_differences(classes: Sequence[FileClass], nodes: Sequence[GpuNodes], cluster: GpuCluster) -> Iterator[Difference]:
    """The differences of the GPU nodes of each class."""
    for each in classes:
        described = next((one for one in nodes if one.name == each.name), None)
        if described is None:
            continue
        if "Node" not in cluster.dump.listed:
            yield Difference(f"nodes.{each.keys[0]}", "nodes of the cluster", NOT_READ)
            continue
        found = dict(_nodes_of(each, described, cluster, is_only=len(classes) == 1))
        for name, node in found.items():
            if node is None:
                yield Difference(f"nodes.{name}", "a node of the cluster", "no Node of this address")
            else:
                yield from _of_node(f"nodes.{name}", each, described, node)
        if not found or (described.count is not None and described.count != len(found)):
            yield Difference(f"nodes.{each.keys[0]}", f"{described.count or 'some'} nodes", f"{len(found)} nodes of this class")


def _nodes_of(each: FileClass, described: GpuNodes, cluster: GpuCluster, *, is_only: bool) -> Iterator[tuple[str, GpuNode | None]]:
    """The nodes of a class: those that the file names or gives an address, else those with the labels of the class."""
    live = {node.name: node for node in cluster.all_nodes if node.node is not None}
    if each.addresses:
        for address in each.addresses:
            node = next((node for node in live.values() if node.node is not None and address in addresses_of(node.node)), None)
            yield (address if node is None else node.name), node
        return
    if named := [key for key in each.keys if key in live]:
        yield from ((key, live[key]) for key in named)
        return
    wanted = described.node_labels
    matching = [node for node in live.values() if node.node is not None and wanted.items() <= node.node.labels.items()]
    if wanted or is_only:
        gpu_nodes = {node.name for node in cluster.nodes}
        yield from ((node.name, node) for node in matching if wanted or node.name in gpu_nodes)


def _of_node(place: str, file_class: FileClass, described: GpuNodes, node: GpuNode) -> Iterator[Difference]:
    talos, seen = described.talos_version, node.talos_version
    if seen is None:
        yield Difference(f"{place}.talos", str(talos), NOT_READ)
    elif seen.value != str(talos) and not (talos.patch is None and seen.value.startswith(f"{talos}.")):
        yield Difference(f"{place}.talos", str(talos), seen.value)
    yield from _of_image(f"{place}.extensions", image_extensions(described, file_class.machine), node)
    if node.node is not None:
        yield from _of_object(place, described, node, node.node.labels)


def _of_image(place: str, wanted: Sequence[str], node: GpuNode) -> Iterator[Difference]:
    extensions = node.extensions
    if not wanted:
        return
    if extensions is None or not (node.has_all_extensions or set(wanted) <= extensions.keys()):
        yield Difference(place, ", ".join(wanted), NOT_READ)
        return
    present = ", ".join(sorted(extensions)) or "no extension"
    yield from (Difference(place, name, present) for name in wanted if name not in extensions)


def _of_object(place: str, described: GpuNodes, node: GpuNode, labels: Mapping[str, Any]) -> Iterator[Difference]:
    """The labels, the taints and the GPUs of a Node object."""
    for key, value in described.node_labels.items():
        if labels.get(key) != value:
            yield Difference(f"{place}.labels", f"{key}={value}", str(labels.get(key, "no such label")))
    taints = {(each.key, each.value or "", each.effect) for each in node.observed.taints} if node.observed else set()
    for taint in described.taints:
        if (taint.key, taint.value or "", str(taint.effect)) not in taints:
            yield Difference(f"{place}.taints", f"{taint.key}={taint.value or ''}:{taint.effect}", "no such taint")
    for resource, amount in described.advertised_resources.items():
        offered = node.offered.get(resource, 0)
        if offered == 0 or (amount is not None and offered != amount):
            yield Difference(f"{place}.allocatable", f"{amount or 'some'} {resource}", str(offered))


# Objects


def title_of(manifest: Mapping[str, Any]) -> str:
    """An object by kind, namespace and name."""
    metadata = manifest.get("metadata", {})
    namespace = metadata.get("namespace")
    return f"{manifest.get('kind')} {f'{namespace}/' if namespace else ''}{metadata.get('name')}"


def object_differences(described: Iterable[Manifest], live: Iterable[Mapping[str, Any]], *, is_whole: bool) -> Iterator[Difference]:
    """The objects that the cluster lacks, and their described fields that have other values. What the file does not say is
    no difference: the API server and controllers fill in defaults. Of a reading that is not whole an absent object is unknown."""
    # An object that names no namespace is in that of the context, or in none.
    found = {_key(each, namespace): each for each in live for namespace in (None, each["metadata"].get("namespace"))}
    for manifest in described:
        title = title_of(manifest)
        observed = found.get(_key(manifest, manifest["metadata"].get("namespace")))
        if observed is None:
            yield Difference(title, "an object of the cluster", "no such object" if is_whole else NOT_READ)
            continue
        for key, value in manifest.items():
            if key == "metadata":
                for part in ("labels", "annotations"):
                    yield from _fields(f"{title} metadata.{part}", value.get(part) or {}, observed["metadata"].get(part) or {})
            elif key not in ("apiVersion", "kind", "status"):
                yield from _fields(f"{title} {key}", value, observed.get(key))


def dump_differences(described: Iterable[Manifest], dump: Dump) -> Iterator[Difference]:
    """The differences from the objects of a dump, which has no credentials, and no object without a part of the GPU
    stack: an object that it lacks is absent only if it keeps every object of the kind."""
    live = [each.body for kind in dump.objects for each in dump.of_kind(kind) if (each.kind, each.namespace, each.name) not in dump.partial]
    for manifest in described:
        is_whole = manifest.get("kind") in KEPT & dump.listed and not dump.partial
        yield from object_differences([hide(manifest)], live, is_whole=is_whole)


def _key(manifest: Mapping[str, Any], namespace: str | None) -> tuple[str, str, str, str]:
    group = str(manifest.get("apiVersion", "")).rpartition("/")[0]
    return group, str(manifest.get("kind")), namespace or "", str(manifest["metadata"].get("name"))


def _fields(place: str, described: object, observed: object) -> Iterator[Difference]:
    if described in (None, {}, [], "") and observed in (None, {}, [], ""):
        return
    if isinstance(described, Mapping) and isinstance(observed, Mapping):
        for key, value in described.items():
            yield from _fields(f"{place}.{key}", value, observed.get(key))
    elif isinstance(described, list | tuple) and isinstance(observed, list | tuple) and len(described) == len(observed):
        for index, (one, other) in enumerate(zip(described, observed, strict=True)):
            yield from _fields(f"{place}[{index}]", one, other)
    elif not _same(described, observed):
        # A credential that somebody wrote into the cluster is not told.
        yield Difference(place, _shown(described), "another value" if _SECRET.search(place) and observed else _shown(observed))


def _same(described: object, observed: object) -> bool:
    """Whether two values are equal, also as quantities: the API server writes 1000m as 1."""
    if described == observed or str(described) == str(observed):
        return True
    if not (isinstance(described, int | float | str) and isinstance(observed, int | float | str)):
        return False
    return amount_of(str(described)) == amount_of(str(observed)) != 0


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return f"a mapping with {', '.join(map(str, value)) or 'nothing'}"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    text = str(value)
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")
