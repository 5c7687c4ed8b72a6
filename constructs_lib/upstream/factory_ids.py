"""The IDs by which the Image Factory names a schematic: hashes of its text."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from typing import Any

from .driver_branches import DriverTrack
from .extension_names import FABRIC_MANAGER, GDRDRV, MODULES, PREFIX, TOOLKIT
from .go_yaml import dump


def schematic_id(document: Mapping[str, Any]) -> str:
    """The SHA-256 of the schematic's text (siderolabs/image-factory pkg/schematic/schematic.go)."""
    import hashlib

    return hashlib.sha256(dump(document).encode()).hexdigest()


@functools.cache
def known_extensions() -> dict[str, tuple[str, ...]]:
    """The extensions by schematic ID: for no extension, and for NVIDIA's extensions alone, in each order."""
    found: dict[str, tuple[str, ...]] = {schematic_id({"customization": {}}): ()}
    for modules, track in itertools.product(MODULES.values(), DriverTrack):
        extra = (f"{FABRIC_MANAGER}-{track}", GDRDRV)
        for further in ((), extra[:1], extra[1:], extra):
            names = [PREFIX + name for name in (f"{modules}-{track}", f"{TOOLKIT}-{track}", *further)]
            for order in itertools.permutations(names):
                document = {"customization": {"systemExtensions": {"officialExtensions": list(order)}}}
                found[schematic_id(document)] = order
    return found
