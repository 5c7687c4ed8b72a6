"""The node configurations of the provider siderolabs/talos, and the schematics of their images."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ....yaml.located import Map, Place, Seq
from ....yaml.unknown import Unknown, source_of, text_of
from ...model import NodeConfig
from ..talos.node_configs import chosen, hostname, node_config
from ..talos.patches import Patches, apply
from ..talos.pod_security import generated_level
from .computed import argument
from .instances import Instance, Tree, named_in
from .values import Encoded

_SCHEMATIC = "talos_image_factory_schematic"
_CONFIGURATION = "talos_machine_configuration"
_APPLYING = {
    "talos_machine_configuration_apply": ("machine_configuration_input",),
    "talos_machine": ("machine_configuration", "machine_configuration_wo"),
}
"""The resources that bring a configuration to a node, with the argument that names it."""


@dataclass
class Nodes:
    """The configurations of one root module. Schematics and data sources that a node uses have none of their own."""

    tree: Tree
    used: set[str] = field(default_factory=set)

    def configs(self, instances: list[Instance]) -> Iterator[NodeConfig]:
        """The configurations of these instances."""
        for each in instances:
            if each.block.kind == "resource" and each.block.labels[0] in _APPLYING:
                yield self._applied(each)
        for each in instances:
            if each.block.labels[0] == _CONFIGURATION and each.address not in self.used:
                yield self._config(each, None, self._patches(each))
        for each in instances:
            if each.block.labels[0] == _SCHEMATIC and each.address not in self.used:
                body = self._schematic(each)
                yield node_config(
                    scope="patch",
                    name=each.address,
                    place=each.block.place,
                    complete=False,
                    schematic=body,
                    **chosen(body, (), each.block.place),
                )

    def _applied(self, applying: Instance) -> NodeConfig:
        """The configuration of the node that a resource applies a configuration to."""
        named = next((value for name in _APPLYING[applying.block.labels[0]] if (value := argument(applying, name)) is not None), None)
        source = named_in(named, _CONFIGURATION, self.tree)
        patches, complete = self._patches(applying)
        if source is not None:
            self.used.add(source.address)
            of_source, is_whole = self._patches(source)
            patches, complete = [*of_source, *patches], complete and is_whole
        if (image := argument(applying, "image")) is not None:
            place = applying.body.lines["image"]
            patches.append(Seq([_nested(("machine", "install", "image"), image, place)], [place]))
        return self._config(applying, source, (patches, complete and source is not None))

    def _config(self, instance: Instance, source: Instance | None, patched: tuple[list[Seq | Unknown], bool]) -> NodeConfig:
        place, (patches, complete) = instance.block.place, patched
        documents = Seq()
        for patch in patches:
            documents = apply(documents, patch)
        name, settings = hostname(documents), source or (instance if instance.block.labels[0] == _CONFIGURATION else None)
        role = argument(settings, "machine_type") if settings else None
        control_plane = role == "controlplane" if isinstance(role, str) else None
        versions = {key: argument(settings, key) if settings else None for key in ("talos_version", "kubernetes_version")}
        is_node = instance.is_one and instance.block.labels[0] in _APPLYING
        return node_config(
            scope="node" if is_node else "group",
            name=instance.address if name is None else name,
            is_hostname=name is not None,
            place=place,
            documents=documents,
            control_plane=control_plane,
            pod_security=generated_level(patches, complete=complete) if control_plane else None,
            complete=complete and is_node,
            generated_for=text_of(versions["talos_version"]),
            kubernetes_version=text_of(versions["kubernetes_version"]),
            version_places={key: settings.body.lines[key] for key in versions if settings and key in settings.body.lines},
            **self._image(documents),
        )

    def _patches(self, instance: Instance) -> tuple[list[Seq | Unknown], bool]:
        """The patches of a resource, and whether all of them were read."""
        reader = Patches(self.tree.files, instance.module.folder)
        written = argument(instance, "config_patches")
        if written is None:
            return [], True
        if not isinstance(written, Seq):
            return [Unknown()], False
        found = [self._patch(each, written.place(index) or instance.block.place, reader) for index, each in enumerate(written)]
        found = reader.limited(found, instance.block.place)
        return found, reader.complete and not any(isinstance(each, Unknown) for each in found)

    def _patch(self, written: Any, place: Place, reader: Patches) -> Seq | Unknown:
        if isinstance(written, Encoded):
            value = written.value
            return value if isinstance(value, Seq | Unknown) else Seq([value], [written.place])
        text = source_of(written)
        if text is not None and (origin := self.tree.origins.get(text)):
            place = (origin[0], origin[1] - ("\n" in text))
        return reader.inline(written, place)

    def _image(self, documents: Seq) -> dict[str, Any]:
        """The extensions of the schematic that the installer image names."""
        images = (_install(each) for each in documents)
        schematic = next((found for each in images if (found := named_in(each, _SCHEMATIC, self.tree))), None)
        if schematic is None:
            return {}
        self.used.add(schematic.address)
        return {**chosen(self._schematic(schematic), (), schematic.block.place), "is_of_image": True}

    def _schematic(self, instance: Instance) -> Any:
        """The schematic of a resource; a resource without one has no extensions."""
        written = argument(instance, "schematic")
        if written is None or isinstance(written, Encoded):
            return Map() if written is None else written.value
        text = source_of(written)
        place = instance.body.lines["schematic"]
        if text is None:
            return written
        documents = self.tree.files.embedded(
            text, self.tree.origins.get(text, (place[0], place[1] + ("\n" in text))), template="{{" in text
        )
        return documents[0].value if documents else Unknown()


def _install(document: Any) -> Any:
    for path in (("machine", "install", "image"), ("installer", "image")):
        value = document
        for key in path:
            value = value.get(key) if isinstance(value, Map) else None
        if value is not None:
            return value
    return None


def _nested(path: tuple[str, ...], value: Any, place: Place) -> Map:
    for key in reversed(path):
        value = Map({key: value}, {key: place})
    return value  # type: ignore[no-any-return]  # of the last key
