"""The documents of Talos, of the tools that configure it, and of the Image Factory among all documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from ....arguments.patterns import pattern
from ....yaml.located import Document, Map, Seq, in_one_place, place_of
from ...model import NodeConfig, Unknown, at, equals, known_str, mappings, source_of, text_of
from ..files import Files, is_template
from ..helm.release_values import within
from .node_configs import hostname, is_document, is_json_patch, is_machine_config, is_schematic, node_config, read_schematic
from .omni import is_resource, is_template_document, read_resources, read_template
from .patches import apply
from .pod_security import level, level_after
from .talhelper_configs import is_talconfig, names_its_patches, read_talconfig

# Words at the left margin of files of Talos, talhelper, Omni and the Image Factory, or in a mapping within braces.
_OF_TALOS = pattern(
    r"""(?:^(?:[{-]?[ ]{0,2}|\{[^\n]*,[ ]?)|[\]}],[ ])["']?(?:(?:machine|cluster|customization|clusterName|talosVersion)["']?\s*:
    |apiVersion["']?\s*:\s*["']?v1alpha1\b|kind["']?\s*:\s*["']?(?:Cluster|ControlPlane|Workers|Machine)\b)
    |\bomni\.sidero\.dev""",
    re.MULTILINE | re.VERBOSE,
)
_OPERATION = pattern(r"""\bpath["']?\s*:\s*["']?/(?:machine|cluster)/""")
_KINDS = (is_machine_config, is_document, is_talconfig, is_template_document, is_resource, is_schematic)


def is_talos(body: object) -> bool:
    """Whether a document is of Talos, of a tool that configures it, or of the Image Factory."""
    if not isinstance(body, Map):
        return is_json_patch(body)
    return any(of_kind(body) for of_kind in _KINDS) or ("apiVersion" not in body and is_live_config(body))


def may_be_of_talos(text: str) -> bool:
    """Whether a file may have documents of Talos. A search for fixed words costs less than a longer pattern."""
    if _OF_TALOS.search(text) or LIVE_CONFIG in text:
        return True
    return ("/machine/" in text or "/cluster/" in text) and _OPERATION.search(text) is not None


def cluster_name(body: Any) -> str | None:
    """The name of the cluster that a document of Talos, talhelper or Omni states."""
    if is_talconfig(body):
        written = at(body, "clusterName")
    elif is_template_document(body):
        written = at(body, "name") if at(body, "kind") == "Cluster" else None
    else:
        written = at(body, "cluster", "clusterName")
    return known_str(written)


def node_configs(all_documents: Iterable[Document], files: Files) -> list[NodeConfig]:
    """The node configurations in these documents. A file that is merged into a node has no configuration of its own."""
    result: list[NodeConfig] = []
    merged: set[str] = set()
    of_talhelper: list[str] = []
    pieces: list[tuple[str, NodeConfig]] = []
    resources: list[Document] = []
    for file, documents in _by_file(all_documents).items():
        mapped = [each for each in documents if isinstance(each.value, Map)]
        for each in mapped:
            if is_talconfig(each.value):
                more, patches = read_talconfig(each, files)
                result += more
                merged |= patches
                of_talhelper += [file] if names_its_patches(each.value) else []
        pieces += [(file, read_schematic(each)) for each in mapped if is_schematic(each.value)]
        pieces += [(file, _json_patch(each)) for each in documents if not isinstance(each.value, Map)]
        template = [each for each in mapped if is_template_document(each.value)]
        if template:
            more, patches = read_template(template, files)
            result += more
            merged |= patches
        resources += [each for each in mapped if is_resource(each.value)]
        pieces += [(file, _configuration(each)) for each in _configurations(mapped)]
        result += _live_configs([each for each in mapped if is_live_config(each.value)], files)
    return result + read_resources(resources, files) + [_left_out(each, of_talhelper) for file, each in pieces if file not in merged]


def _left_out(piece: NodeConfig, of_talhelper: Iterable[str]) -> NodeConfig:
    """The configuration of a file, with the file of talhelper beside or above it that does not name the patch."""
    if piece.scope != "patch" or piece.at("schematic") is not None:
        return piece
    above = (each for each in of_talhelper if each != piece.file and PurePath(piece.file).is_relative_to(PurePath(each).parent))
    return replace(piece, left_out_by=next(above, ""))


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


def of_running_node(documents: Iterable[Document], node: str) -> Iterator[NodeConfig]:
    """The configurations in the documents of a running node with this name or address."""
    return (_configuration(each, node) for each in _configurations(documents))


def _configuration(sources: list[Document], node: str = "") -> NodeConfig:
    """The configuration in the documents of a file, or in those of a running node with this name or address."""
    patch = Seq([each.value for each in sources], [each.place for each in sources])
    documents = apply(Seq(), patch)
    file, _ = place = sources[0].place
    # A document with a node's secrets belongs to no generated configuration, so without a level its level has no
    # default.
    with_secrets = [document for _, document in mappings(documents) if at(document, "machine", "token") is not None]
    whole = any(_is_whole(document) for document in with_secrets)
    pod_security = level(documents) if whole else level_after([patch])
    name = hostname(documents)
    if name is None:
        name = node or None
    return node_config(
        scope="patch" if not whole else "group" if name is None else "node",
        name=PurePath(file).name if name is None else name,
        place=place,
        documents=documents,
        pod_security=Unknown() if pod_security is None and with_secrets and not whole else pod_security,
        complete=whole and name is not None and not is_template(file),
    )


def _json_patch(document: Document) -> NodeConfig:
    """The configuration in a list of operations."""
    patch, place = document.value, document.place
    documents, name = apply(Seq(), patch), PurePath(place[0]).name
    return node_config(scope="patch", name=name, place=place, documents=documents, pod_security=level_after([patch]), complete=False)


def _is_whole(document: Mapping[str, Any]) -> bool:
    """Whether a document is a complete machine configuration and not a patch: it has the token and CA to join a
    cluster."""
    return all(at(document, "machine", key) is not None for key in ("type", "token", "ca"))


LIVE_CONFIG = "MachineConfigs.config.talos.dev"
"""The type of the resource."""
ACTIVE = "v1alpha1"
"""The ID of the configuration that a node runs."""


def is_live_config(body: Mapping[str, Any]) -> bool:
    """Whether a document is a resource of Talos with a machine configuration."""
    return equals(at(body, "metadata", "type"), LIVE_CONFIG).is_yes


def _live_configs(resources: Iterable[Document], files: Files) -> Iterator[NodeConfig]:
    """The active configuration of each running node, or else its persistent one."""
    chosen: dict[object, Document] = {}
    for each in resources:
        node: object = known_str(at(each.value, "node")) or each.place
        if node not in chosen or equals(at(each.value, "metadata", "id"), ACTIVE).is_yes:
            chosen[node] = each
    for each in chosen.values():
        name = text_of(at(each.value, "node"))
        yield from of_running_node(_documents(each, files), name if isinstance(name, str) else "")


def _documents(resource: Document, files: Files) -> list[Document]:
    spec, place = at(resource.value, "spec"), place_of(resource.value, ("spec",), resource.place)
    text = source_of(spec)
    if text is None:  # talosctl before 1.4 printed the configuration as a mapping
        return [Document(spec, place)] if isinstance(spec, Map) else []
    if next(iter(resource.value)) == "node":  # YAML, where the text has its own lines
        return files.embedded(text, within(text, place))
    return [Document(in_one_place(each.value, place), place) for each in files.embedded(text, place)]
