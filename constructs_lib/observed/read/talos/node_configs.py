"""Builds one `NodeConfig` from Talos' documents and from the other data of the input."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from ....yaml.located import Document, Map, Place, Seq, place_of
from ...model import NodeConfig, Path, Unknown, at, is_open, is_unknown, known_text, mappings, text_of
from ..objects import lines
from .machine_documents import facts

_ID = re.compile(r"/([0-9a-f]{64})([:@/]|$)")
# Images that Talos publishes, without extensions.
_PLAIN = re.compile(r"ghcr\.io/siderolabs/(installer|imager)(:|@|$)")


@dataclass(kw_only=True)
class Draft:
    """The data of a node, or of a group, before its documents are read.

    `place` is the place of its description. `extensions` is None if the extensions are not known; `extensions_place` is
    the place of their list. `kernel_args` is None if the schematic's kernel arguments are not known. `generated_for` is
    the Talos version of the generator, which counts if the installer image has no known version. `pod_security` is the
    level that the documents result in, and None if they do not decide it. `version_places` has the places of the two
    versions, by the names of their fields. `resources` are the resources of Omni with the documents. `schematic` is the
    schematic of the image, where the input is one. `image_settings` are the settings of the image in the input: a whole
    `schematic`, and talhelper's `machineSpec`.
    """

    scope: str
    name: str | Unknown
    place: Place
    complete: bool
    is_hostname: bool = True
    documents: Seq = field(default_factory=Seq)
    extensions: Seq | None = None
    extensions_place: Place | None = None
    kernel_args: Seq | None = None
    talos_version: Any = None
    generated_for: Any = None
    kubernetes_version: Any = None
    version_places: Mapping[str, Place] = field(default_factory=dict)
    control_plane: bool | None = None
    pod_security: str | Unknown | None = None
    resources: Seq | None = None
    schematic: Map | None = None
    image_settings: Map | None = None


def node_config(draft: Draft) -> NodeConfig:
    """The `NodeConfig` of a draft."""
    fields = facts(draft.documents)
    extensions, place, arguments = draft.extensions, draft.extensions_place or draft.place, draft.kernel_args
    if fields["image"] is not None:
        place = place_of(draft.documents, fields["paths"]["image"][1:], draft.place)
        extensions = extensions_of(fields["image"], place)
        # The known schematics have only extensions.
        arguments = None if extensions is None else Seq()
    body = Map({"documents": draft.documents}, {"documents": draft.place})
    if extensions is not None:
        body["extensions"], body.places["extensions"] = extensions, place
        fields["paths"]["extensions"] = ("extensions",)
    if draft.resources is not None:
        body["resources"], body.places["resources"] = draft.resources, draft.place
    if draft.schematic is not None:
        body["schematic"], body.places["schematic"] = draft.schematic, draft.place
    if draft.image_settings is not None:
        body["image_settings"], body.places["image_settings"] = draft.image_settings, draft.place
    for key in ("talos_version", "kubernetes_version"):
        written = text_of(getattr(draft, key))
        if written is None and key == "talos_version" and fields[key] is None:
            written = text_of(draft.generated_for)
        if written is not None:
            fields[key], fields["paths"][key] = written, (key,)
            body[key], body.places[key] = written, draft.version_places.get(key, draft.place)
    if draft.control_plane is not None:
        fields["control_plane"] = draft.control_plane
    installed = fields.pop("installed_args")
    return NodeConfig(
        body=body,
        scope=draft.scope,
        name=draft.name,
        is_hostname=draft.is_hostname,
        extensions=None if extensions is None else _texts(extensions),
        kernel_args=None if arguments is None else (*_texts(arguments), *_texts(installed)),
        pod_security=draft.pod_security if fields["control_plane"] is not False else None,
        complete=draft.complete
        and not is_open(draft.documents)
        and not any(is_open(at(each, "machine")) or is_unknown(at(each, "kind")) for _, each in mappings(draft.documents)),
        **fields,
        **lines(body, draft.place),
    )


def _texts(values: Iterable[Any]) -> tuple[str | Unknown, ...]:
    return tuple(each for each in values if isinstance(each, str | Unknown))


def extensions_of(image: str | Unknown, place: Place) -> Seq | None:
    """The extensions in an image, by its name or its address at the Image Factory: none for Talos' own images, those of
    the schematic for a known schematic ID. Else None."""
    from ....nodes import factory_ids  # imported here because few inputs name an image

    match = _ID.search(known_text(image))
    known = factory_ids.extensions_of(match[1]) if match else () if isinstance(image, str) and _PLAIN.match(image) else None
    return None if known is None else Seq(known, [place] * len(known))


_LIST: Path = ("customization", "systemExtensions", "officialExtensions")
_ARGUMENTS: Path = ("customization", "extraKernelArgs")
_TOP = {"customization", "overlay", "owner"}


def is_schematic(body: Mapping[str, Any]) -> bool:
    """Whether a document is a schematic of the Image Factory."""
    return "customization" in body and _TOP.issuperset(body)


def read_schematic(document: Document) -> NodeConfig:
    """The configuration of the nodes with this image. A schematic does not name its nodes."""
    place = document.place
    parts = chosen(document.value, (), place)
    return node_config(Draft(scope="patch", name=PurePath(place[0]).name, place=place, complete=False, schematic=document.value, **parts))


def chosen(body: Any, path: Path, place: Place) -> dict[str, Any]:
    """The extensions, their place, the kernel arguments and the whole of the schematic at a path of a document. An
    empty schematic has neither."""
    schematic = at(body, *path)
    if not isinstance(schematic, Map):
        return {"extensions": None}
    extensions = at(schematic, *_LIST)
    if extensions is not None and not isinstance(extensions, Seq):
        return {"extensions": None}
    arguments = at(schematic, *_ARGUMENTS)
    return {
        "extensions": extensions or Seq(),
        "extensions_place": place_of(body, path, place),
        "kernel_args": Seq() if arguments is None else arguments if isinstance(arguments, Seq) else None,
        "image_settings": Map({"schematic": schematic}, {"schematic": place_of(body, path, place)}),
    }
