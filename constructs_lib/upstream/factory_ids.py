"""The IDs by which the Image Factory names a schematic: hashes of its text."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .driver_branches import DriverTrack
from .extension_names import FABRIC_MANAGER, GDRDRV, MODULES, PREFIX, TOOLKIT, every_extension
from .go_yaml import dump


def schematic_id(document: Mapping[str, Any]) -> str:
    """The SHA-256 of the schematic's text (siderolabs/image-factory pkg/schematic/schematic.go)."""
    import hashlib

    return hashlib.sha256(dump(document).encode()).hexdigest()


_CUSTOMIZATION = ("embeddedMachineConfiguration", "extraKernelArgs", "meta", "systemExtensions", "bootloader", "secureboot", "diskImage")


def id_of_written(document: Mapping[str, Any]) -> str | None:
    """The ID of a schematic as a file has it, with its fields in any order. None for one with an overlay or a field that is not known here."""
    customization = document.get("customization")
    customization = {} if customization is None else customization
    extensions = customization.get("systemExtensions") if isinstance(customization, Mapping) else None
    is_known = isinstance(customization, Mapping) and set(_CUSTOMIZATION).issuperset(customization) and document.keys() <= {"customization"}
    if not is_known or not (extensions is None or (isinstance(extensions, Mapping) and extensions.keys() <= {"officialExtensions"})):
        return None
    filled = {key: value for key in _CUSTOMIZATION if (value := customization.get(key)) not in (None, "", [], {})}
    if extensions is not None and not extensions.get("officialExtensions"):
        filled.pop("systemExtensions", None)
    if {"meta", "secureboot", "diskImage"} & filled.keys():  # fields of their own, whose order is not known here
        return None
    return schematic_id({"customization": filled})


def extensions_of(schematic: str) -> tuple[str, ...] | None:
    """The extensions of a schematic by its ID: of no extension, of NVIDIA's extensions alone in each order, and of these with one further
    official extension in alphabetical order, as in the web form of the factory. None for any other schematic.
    """
    known = _with_nvidia_alone().get(schematic)
    return _with_one_more().get(schematic) if known is None else known


@functools.cache
def _with_nvidia_alone() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {schematic_id({"customization": {}}): ()}
    for names in _nvidia():
        found |= {_id(order): order for order in itertools.permutations(names)}
    return found


@functools.cache
def _with_one_more() -> dict[str, tuple[str, ...]]:
    more = [PREFIX + name for name in every_extension() if "nvidia" not in name]
    listed = (tuple(sorted((*names, name))) for names in _nvidia() for name in more)
    return {_id(names): names for names in listed}


def _nvidia() -> Iterator[tuple[str, ...]]:
    for modules, track in itertools.product(MODULES.values(), DriverTrack):
        extra = (f"{FABRIC_MANAGER}-{track}", GDRDRV)
        for further in ((), extra[:1], extra[1:], extra):
            yield tuple(PREFIX + name for name in (f"{modules}-{track}", f"{TOOLKIT}-{track}", *further))


def _id(names: Sequence[str]) -> str:
    return schematic_id({"customization": {"systemExtensions": {"officialExtensions": list(names)}}})
