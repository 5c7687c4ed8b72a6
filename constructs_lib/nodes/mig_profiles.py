"""Which MIG profiles a card is known to have: a hint, as drivers differ and new cards come.

NVIDIA/mig-parted v0.15.0 deployments/systemd/config-default.yaml, and "Supported MIG Profiles" of NVIDIA's MIG guide.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .._arguments.quantities import amount_of
from .._arguments.refusals import warn
from .cards import architecture, plain_name


def _seven(unit: int, double: int, half: int, whole: int) -> dict[str, int]:
    """The profiles of a card of seven slices, by the memory that NVIDIA rounds for each, and how many of each fit on it."""
    return {
        f"1g.{unit}gb": 7, f"1g.{unit}gb+me": 1, f"1g.{double}gb": 4, f"2g.{double}gb": 3, f"3g.{half}gb": 2, f"4g.{half}gb": 1,
        f"7g.{whole}gb": 1,
    }  # fmt: skip


def _workstation(unit: int, slices: int) -> dict[str, int]:
    """The profiles of an RTX PRO of two or four slices: graphics on any, the media engines where some of the card is left."""
    whole = f"{slices}g.{slices * unit}gb"
    found = {f"1g.{unit}gb+me": 1, whole: 1, f"{whole}+gfx": 1}
    for size in range(1, slices):
        if slices % size == 0:
            name, most = f"{size}g.{size * unit}gb", slices // size
            found |= {name: most, f"{name}+gfx": most, f"{name}-me": most, f"{name}+me.all": 1}
    return found


# By the card's name, and its memory in GB.
_A30 = {"1g.6gb": 4, "1g.6gb+me": 1, "2g.12gb": 2, "2g.12gb+me": 1, "4g.24gb": 1}
_OF_80 = _seven(10, 20, 40, 80)
_OF_96 = _seven(12, 24, 48, 96)
_CARDS: dict[str, dict[int, dict[str, int]]] = {
    "A30": {24: _A30},
    "A[18]00": {40: _seven(5, 10, 20, 40), 80: _OF_80},
    "H[18]00": {80: _OF_80, 94: _seven(12, 24, 47, 94), 96: _OF_96},
    "H20": {96: _OF_96},
    "H200": {141: _seven(18, 35, 71, 141)},
    "GH200": {96: _OF_96, 144: _seven(18, 36, 72, 144)},
    "B200": {180: _seven(23, 45, 90, 180)},
    "GB200": {186: _seven(23, 47, 93, 186)},
    "B300": {269: _seven(34, 67, 135, 269)},
    "GB300": {278: _seven(35, 70, 139, 278)},
    "RTX PRO 6000": {96: _workstation(24, 4)},
    "RTX PRO 5000": {48: _workstation(24, 2)},
    "RTX PRO 4500": {32: _workstation(16, 2)},
}


def known_profiles(product: str, memory: str | None = None) -> dict[str, int] | None:
    """How many of each profile fit on a card, as far as this library knows; None for a card that it does not know.

    Example:
        >>> known_profiles("A100", "40Gi")["1g.5gb"], known_profiles("RTX 4090"), known_profiles("my card")
        (7, {}, None)
    """
    name = plain_name(product)
    rows = next((rows for card, rows in _CARDS.items() if re.match(rf"{card}\b", name)), None)
    if rows is None:
        return None if architecture(product) is None else {}
    said = re.search(r"\b(\d+) ?GB\b", name)
    if said and int(said[1]) not in rows:
        return None
    size = int(said[1]) if said else round(amount_of(memory) / 2**30) if memory else 0
    chosen = [rows[size]] if size in rows else rows.values()
    return {profile: most for row in chosen for profile, most in row.items()}


def warn_of_profiles(product: str, memory: str | None, layout: Mapping[str, int]) -> None:
    """Warn of what a card is not known to be cut into."""
    known = known_profiles(product, memory)
    if known is None:
        return
    for profile, number in layout.items():
        if profile not in known:
            then = f"it has {', '.join(known)}" if known else "no profile of this card is known"
            warn(
                f"{product} is not known to have the MIG profile '{profile}'; {then}; `nvidia-smi mig -lgip` on the node has the last word"
            )
        elif number > known[profile]:
            warn(f"{product} is known to hold {known[profile]} of the MIG profile '{profile}', not {number}; the partitioning would fail")
