"""Schematics of the Image Factory: the extensions of an image."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from ...model import NodeConfig, Path, at
from ..kubernetes.located_yaml import Document, Map, Place, Seq, place_of
from .node_configs import Draft, node_config

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
    """The extensions, their place, the kernel arguments and the whole of the schematic at a path of a document. An empty schematic has neither."""
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
