"""The IDs by which the Image Factory names a schematic: hashes of its text."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..upstream.nvidia.driver_branches import DriverTrack
from ..upstream.talos.extension_names import FABRIC_MANAGER, GDRDRV, MODULES, PREFIX, TOOLKIT, every_extension
from ..yaml.go_bytes import dump


def schematic_id(document: Mapping[str, Any]) -> str:
    """The SHA-256 of the schematic's text (siderolabs/image-factory pkg/schematic/schematic.go)."""
    import hashlib

    return hashlib.sha256(dump(document).encode()).hexdigest()


def id_of_written(document: Mapping[str, Any]) -> str | None:
    """The ID of a schematic from a file, its fields in any order; None for an overlay and unknown fields or texts."""
    customization = _filled(document.get("customization"))
    if document.keys() != {"customization"} or customization is None or not customization.keys() <= _FIELDS.keys():
        return None
    given = dict(customization)
    if "systemExtensions" in given:
        extensions = _filled(given.pop("systemExtensions"))
        if extensions is None or not extensions.keys() <= {"officialExtensions"}:
            return None
        given |= {"systemExtensions": extensions} if extensions else {}
        if not all(map(_is_list_of_texts, extensions.values())):
            return None
    if not all(_FIELDS[key](value) for key, value in given.items()):
        return None
    try:
        return schematic_id({"customization": {key: given[key] for key in _FIELDS if key in given}})
    except ValueError:  # a text that the factory quotes in a way that is not known here
        return None


def _filled(fields: object) -> dict[str, Any] | None:
    """The fields that are not empty, as the factory writes them. None for a value that holds no fields."""
    if fields is None:
        return {}
    if not isinstance(fields, Mapping):
        return None
    return {
        key: value for key, value in fields.items() if value is not None and not (isinstance(value, str | list | Mapping) and not value)
    }


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


# The fields whose text is known here, in their order in the factory. Others have fields of their own.
_FIELDS: dict[str, Callable[[object], bool]] = {
    "embeddedMachineConfiguration": _is_text,
    "extraKernelArgs": _is_list_of_texts,
    "systemExtensions": lambda value: isinstance(value, Mapping),
    "bootloader": _is_text,
}


def extensions_of(schematic: str) -> tuple[str, ...] | None:
    """The extensions of a schematic by its ID: of no extension, of NVIDIA's extensions alone in each order, and of
    these with one further official extension in alphabetical order, as in the web form of the factory. None for any
    other schematic.
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
