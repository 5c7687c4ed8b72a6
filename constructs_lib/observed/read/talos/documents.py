"""The documents of Talos, of the tools that configure it, and of the Image Factory among all documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from ...model import NodeConfig, Unknown, at, mappings
from ..files import Files, is_template
from ..kubernetes.located_yaml import Document, Map, Seq
from .image_schematics import is_schematic, read_schematic
from .live_machine_configs import is_live_config, live_configs
from .machine_documents import hostname, is_document, is_json_patch, is_machine_config
from .merge import apply
from .node_configs import Draft, node_config
from .omni_cluster_templates import is_template_document, read_template
from .omni_resources import is_resource, read_resources
from .pod_security import level, level_after
from .talhelper_configs import is_talconfig, read_talconfig
from .talstomize_configs import is_talstomize, read_talstomize
from .topf_configs import is_topf, read_topf

_KINDS = (is_machine_config, is_document, is_talconfig, is_template_document, is_resource, is_schematic)
_CLUSTERS = ((is_talconfig, read_talconfig), (is_topf, read_topf), (is_talstomize, read_talstomize))
"""The files that describe all nodes of a cluster, with their readers."""


def is_talos(body: object) -> bool:
    """Whether a document is of Talos, of a tool that configures it, or of the Image Factory."""
    if not isinstance(body, Map):
        return is_json_patch(body)
    if "clusterName" in body and (is_topf(body) or is_talstomize(body)):
        return True
    return any(of_kind(body) for of_kind in _KINDS) or ("apiVersion" not in body and is_live_config(body))


def node_configs(all_documents: Iterable[Document], files: Files) -> list[NodeConfig]:
    """The node configurations in these documents. A file that is merged into a node has no configuration of its own."""
    result: list[NodeConfig] = []
    merged: set[str] = set()
    pieces: list[tuple[str, NodeConfig]] = []
    resources: list[Document] = []
    for file, documents in _by_file(all_documents).items():
        mapped = [each for each in documents if isinstance(each.value, Map)]
        for each in mapped:
            for is_cluster, read_cluster in _CLUSTERS:
                if is_cluster(each.value):
                    more, patches = read_cluster(each, files)
                    result += more
                    merged |= patches
        pieces += [(file, read_schematic(each)) for each in mapped if is_schematic(each.value)]
        pieces += [(file, _json_patch(each)) for each in documents if not isinstance(each.value, Map)]
        template = [each for each in mapped if is_template_document(each.value)]
        if template:
            more, patches = read_template(template, files)
            result += more
            merged |= patches
        resources += [each for each in mapped if is_resource(each.value)]
        pieces += [(file, _configuration(each)) for each in _configurations(mapped)]
        for live in live_configs([each for each in mapped if is_live_config(each.value)], files):
            result += [_configuration(each, live.node) for each in _configurations(live.documents)]
    return result + read_resources(resources, files) + [each for file, each in pieces if file not in merged]


def _by_file(documents: Iterable[Document]) -> dict[str, list[Document]]:
    files: dict[str, list[Document]] = {}
    for each in documents:
        files.setdefault(each.place[0], []).append(each)
    return files


def _configurations(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """The documents of each configuration or patch in a file. A second machine configuration begins the next one."""
    current: list[Document] = []
    for each in documents:
        if not (isinstance(each.value, Map) and (is_machine_config(each.value) or is_document(each.value))):
            continue
        if is_machine_config(each.value) and any(is_machine_config(other.value) for other in current):
            yield current
            current = []
        current.append(each)
    if current:
        yield current


def _configuration(sources: list[Document], node: str = "") -> NodeConfig:
    """The configuration in the documents of a file, or in those of a running node with this name or address."""
    patch = Seq([each.value for each in sources], [each.place for each in sources])
    documents = apply(Seq(), patch)
    file, _ = place = sources[0].place
    # A document with a node's secrets belongs to no generated configuration, so without a level its level has no default.
    with_secrets = [document for _, document in mappings(documents) if at(document, "machine", "token") is not None]
    whole = any(_is_whole(document) for document in with_secrets)
    pod_security = level(documents) if whole else level_after([patch])
    name = hostname(documents)
    if name is None:
        name = node or None
    return node_config(
        Draft(
            scope="patch" if not whole else "group" if name is None else "node",
            name=PurePath(file).name if name is None else name,
            place=place,
            documents=documents,
            pod_security=Unknown() if pod_security is None and with_secrets and not whole else pod_security,
            complete=whole and name is not None and not is_template(file),
        )
    )


def _json_patch(document: Document) -> NodeConfig:
    """The configuration in a list of operations."""
    patch, place = document.value, document.place
    documents, name = apply(Seq(), patch), PurePath(place[0]).name
    return node_config(Draft(scope="patch", name=name, place=place, documents=documents, pod_security=level_after([patch]), complete=False))


def _is_whole(document: Mapping[str, Any]) -> bool:
    """Whether a document is a complete machine configuration and not a patch: it has the token and CA to join a cluster."""
    return all(at(document, "machine", key) is not None for key in ("type", "token", "ca"))
