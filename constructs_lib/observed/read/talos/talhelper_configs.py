"""talhelper's `talconfig.yaml`: the settings of each node, from the node, the group of its role and the cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ....arguments.patterns import pattern
from ....yaml.located import Document, Map, Place, Seq, place_of, traced
from ...model import NodeConfig, Unknown, UnknownKey, at, has, is_given, known_list, literal, mappings, source_of, text_of
from ..files import Files, is_template
from .node_configs import chosen, node_config
from .patches import Patches, apply
from .pod_security import generated_level

_GROUPS = {True: "controlPlane", False: "worker"}
_VARIABLE = pattern(r"\$\{?(\w+)\}?")
_ENV = ("talenv.yaml", "talenv.yml")


def is_talconfig(body: Mapping[str, Any]) -> bool:
    """Whether a document is talhelper's configuration of a cluster."""
    return isinstance(at(body, "nodes"), list) and not any(has(body, key).is_no for key in ("clusterName", "endpoint"))


def read_talconfig(document: Document, files: Files) -> tuple[list[NodeConfig], set[str]]:
    """The configurations of each node and of each group with its own image, and the patch files that were merged into
    them."""
    config, place = document.value, document.place
    patches = Patches(files, Path(place[0]).parent)
    versions = _versions(config, patches, place)
    configs = [*_groups(config, place)]
    for index, node in mappings(at(config, "nodes")):
        if isinstance(node, Map):
            patches.complete, patches.made_by = not is_template(place[0]), ""
            configs.append(_node(config, node, place_of(config, ("nodes", index), place), patches, versions))
    for index, node in enumerate(known_list(at(config, "nodes"))):
        if isinstance(node, Unknown):  # a node of which nothing is known: no rule may think that the other nodes are all
            where = place_of(config, ("nodes", index), place)
            configs.append(node_config(scope="node", name=node, place=where, complete=False))
    return configs, patches.merged


def names_its_patches(config: Mapping[str, Any]) -> bool:
    """Whether a configuration has lists of patches, whose files are all known: talhelper applies no other file."""
    holders = [config, *(at(config, group) for group in _GROUPS.values()), *known_list(at(config, "nodes"))]
    lists = [each if isinstance(each, Unknown) else at(each, "patches") for each in holders if not has(each, "patches").is_no]
    return bool(lists) and not any(isinstance(each, Unknown) or any(map(_may_be_any_file, known_list(each))) for each in lists)


def _may_be_any_file(patch: Any) -> bool:
    return isinstance(patch, Unknown) and "\n" not in (source_of(patch) or "")


def _groups(config: Any, place: Place) -> Iterator[NodeConfig]:
    """The groups with an image that several nodes use."""
    for control_plane, group in _GROUPS.items():
        members = [node for _, node in mappings(at(config, "nodes")) if _is_true(at(node, "controlPlane")) is control_plane]
        image = chosen(config, (group, "schematic"), place)
        if image["extensions"] and sum(not any(is_given(at(node, key)) for key in _IMAGE) for node in members) > 1:
            where = place_of(config, (group,), place)
            yield node_config(scope="group", name=group, place=where, control_plane=control_plane, complete=False, **image)


def _node(config: Any, node: Map, place: Place, patches: Patches, versions: dict[str, Any]) -> NodeConfig:
    control_plane, overrides = _is_true(at(node, "controlPlane")), _is_true(at(node, "overridePatches"))
    group = Unknown() if control_plane is None else at(config, _GROUPS[control_plane])
    if overrides is None or isinstance(group, Unknown):
        patches.leaves_out()
    group = group if isinstance(group, Map) else Map()
    fields = _effective(node, group)
    # talhelper's order of patches: the group's, the node's, then the cluster's (pkg/generate/config.go).
    lists = [node, config] if overrides else [group, node, config]
    merging = [patch for each in lists for patch in patches.of_list(at(each, "patches"))]
    merging = patches.limited(merging, place)
    documents = Seq([_machine_config(fields)], [place])
    for patch in merging:
        documents = apply(documents, patch)
    return node_config(
        scope="node",
        name="" if (name := text_of(at(node, "hostname"))) is None else name,
        place=place,
        documents=documents,
        control_plane=control_plane,
        pod_security=generated_level(merging, complete=patches.complete) if control_plane else None,
        complete=patches.complete,
        made_by=patches.made_by,
        **_image(fields, place),
        **versions,
    )


def _effective(node: Map, group: Map) -> Map:
    """The fields of a node. A field that the node does not set comes from its group (pkg/config/nodeconfigs.go)."""
    fields = Map(group, dict(group.places))
    for key, value in node.items():
        if is_given(value):
            fields[key], place = value, node.places[key]
            fields.places[key] = traced(place, group.places[key]) if key in group else place
    return fields


_IMAGE = ("schematic", "talosImageURL")
_FIELDS = {"nodeLabels": ("nodeLabels",), "nodeTaints": ("nodeTaints",), "machineFiles": ("files",), "kernelModules": ("kernel", "modules")}


def _machine_config(fields: Map) -> Map:
    """The part of talhelper's generated machine configuration that comes from a node's fields."""
    machine = Map({key: value for key, value in fields.items() if isinstance(key, UnknownKey)}, dict(fields.places))
    for field, path in _FIELDS.items():
        if field in fields:
            inside = machine
            for key in path[:-1]:
                inside[key], inside.places[key] = Map(), fields.places[field]
                inside = inside[key]
            inside[path[-1]], inside.places[path[-1]] = fields[field], fields.places[field]
    if isinstance(fields.get("talosImageURL"), str | Unknown):
        image = Map({"image": fields["talosImageURL"]}, {"image": fields.places["talosImageURL"]})
        machine["install"], machine.places["install"] = image, fields.places["talosImageURL"]
    return Map({"machine": machine})


def _image(fields: Map, place: Place) -> dict[str, Any]:
    """The extensions of the image that talhelper requests: without a schematic there are none."""
    if has(fields, "schematic").is_no:
        image: dict[str, Any] = {"extensions": Seq(), "extensions_place": place, "kernel_args": Seq()}
    else:
        image = chosen(fields, ("schematic",), place)
    settings = image.get("image_settings", Map())
    own = Map({**settings, "machineSpec": fields.get("machineSpec")}, {**settings.places, "machineSpec": place})
    if "talosImageURL" in fields and "schematic" in settings:
        own["beside_image"], own.places["beside_image"] = settings["schematic"], settings.places["schematic"]
    return {
        **image,
        "image_settings": own,
        "addresses": Map({"ipAddress": fields.get("ipAddress")}, {"ipAddress": place}),
    }


def _is_true(value: Any) -> bool | None:
    return None if isinstance(value, Unknown) else str(value).lower() in {"true", "yes", "on", "y"}


_VERSIONS = {"talos_version": "talosVersion", "kubernetes_version": "kubernetesVersion"}


def _versions(config: Mapping[str, Any], patches: Patches, place: Place) -> dict[str, Any]:
    """The versions of Talos and Kubernetes. Variables are resolved from talhelper's file of variables."""
    versions: dict[str, Any] = {}
    places: dict[str, Place] = {}
    for key, name in _VERSIONS.items():
        value, places[key] = at(config, name), place_of(config, (name,), place)
        if isinstance(value, Unknown) and (variable := _variable(value)):
            for variables in _variables(patches):
                if variable in variables.value:
                    value, places[key] = variables.value[variable], place_of(variables.value, (variable,), variables.place)
        versions[key] = value
    return {**versions, "version_places": places}


def _variable(value: Unknown) -> str | None:
    match = _VARIABLE.fullmatch(text) if isinstance(text := literal(value), str) else None
    return match[1] if match else None


def _variables(patches: Patches) -> list[Document]:
    paths = (patches.root / name for name in _ENV)
    documents = next((patches.files.documents(path) for path in paths if path.is_file()), [])
    return [each for each in documents if isinstance(each.value, Map)]
