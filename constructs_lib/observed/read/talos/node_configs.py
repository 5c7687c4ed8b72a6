"""Builds one `NodeConfig` from Talos' documents and from the other data of the input."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

from ....yaml.located import Document, Map, Place, Seq, place_of
from ...model import NodeConfig, Path, Unknown, at, is_open, is_unknown, known_text, mappings, text_of
from ..objects import lines
from .machine_documents import facts

_ID = re.compile(r"/([0-9a-f]{64})([:@/]|$)")
# Images that Talos publishes, without extensions.
_PLAIN = re.compile(r"ghcr\.io/siderolabs/(installer|imager)(:|@|$)")


def node_config(
    *,
    scope: str,
    name: str | Unknown,
    place: Place,
    complete: bool,
    is_hostname: bool = True,
    documents: Seq | None = None,
    extensions: Seq | None = None,
    extensions_place: Place | None = None,
    kernel_args: Seq | None = None,
    talos_version: Any = None,
    generated_for: Any = None,
    kubernetes_version: Any = None,
    version_places: Mapping[str, Place] | None = None,
    control_plane: bool | None = None,
    pod_security: str | Unknown | None = None,
    **further: Seq | Map | None,
) -> NodeConfig:
    """The configuration of a node, or of a group, from its documents and from the other data of the input.

    `place` is the place of its description. `extensions` is None if the extensions are not known; `extensions_place` is
    the place of their list. `kernel_args` is None if the schematic's kernel arguments are not known. `generated_for`
    is the Talos version of the generator, which counts if the installer image has no known version. `version_places`
    has the places of the two versions, by the names of their fields. `pod_security` is the level that the documents result in, and
    None if they do not decide it. `further` is for the body: `resources` of Omni with the documents, the `schematic`
    where the input is one, and the `image_settings` of the input, a whole `schematic` and talhelper's `machineSpec`.
    """
    documents = Seq() if documents is None else documents
    fields = facts(documents)
    extensions_at, arguments = extensions_place or place, kernel_args
    if fields["image"] is not None:
        extensions_at = place_of(documents, fields["paths"]["image"][1:], place)
        extensions = extensions_of(fields["image"], extensions_at)
        # The known schematics have only extensions.
        arguments = None if extensions is None else Seq()
    body = Map({"documents": documents}, {"documents": place})
    if extensions is not None:
        body["extensions"], body.places["extensions"] = extensions, extensions_at
        fields["paths"]["extensions"] = ("extensions",)
    for key, value in further.items():
        if value is not None:
            body[key], body.places[key] = value, place
    if text_of(talos_version) is None and fields["talos_version"] is None:
        talos_version = generated_for
    for key, version in (("talos_version", talos_version), ("kubernetes_version", kubernetes_version)):
        if (written := text_of(version)) is not None:
            fields[key], fields["paths"][key] = written, (key,)
            body[key], body.places[key] = written, (version_places or {}).get(key, place)
    if control_plane is not None:
        fields["control_plane"] = control_plane
    installed = fields.pop("installed_args")
    return NodeConfig(
        body=body,
        scope=scope,
        name=name,
        is_hostname=is_hostname,
        extensions=None if extensions is None else _texts(extensions),
        kernel_args=None if arguments is None else (*_texts(arguments), *_texts(installed)),
        pod_security=pod_security if fields["control_plane"] is not False else None,
        complete=complete
        and not is_open(documents)
        and not any(is_open(at(each, "machine")) or is_unknown(at(each, "kind")) for _, each in mappings(documents)),
        **fields,
        **lines(body, place),
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
    return node_config(scope="patch", name=PurePath(place[0]).name, place=place, complete=False, schematic=document.value, **parts)


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
