"""The MIG profiles that cards are known to support. The table is only a hint: profiles depend on the driver, and new
cards appear."""

from __future__ import annotations


def _seven(unit: int, double: int, half: int, whole: int) -> dict[str, int]:
    """The profiles of a card with seven slices, by NVIDIA's rounded memory sizes, with the number of each that fit."""
    return {
        f"1g.{unit}gb": 7, f"1g.{unit}gb+me": 1, f"1g.{double}gb": 4, f"2g.{double}gb": 3, f"3g.{half}gb": 2, f"4g.{half}gb": 1,
        f"7g.{whole}gb": 1,
    }  # fmt: skip


def _workstation(unit: int, slices: int) -> dict[str, int]:
    """The profiles of an RTX PRO with two or four slices: every profile also with graphics, partial profiles with
    variants for media engines."""
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
MIG_CARDS: dict[str, dict[int, dict[str, int]]] = {
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
"""The MIG profiles of a card, with the number of each that fit, by a pattern of the card's name and its memory in GB.

Source: NVIDIA/mig-parted deployments/systemd/config-default.yaml at v0.15.0,
https://docs.nvidia.com/datacenter/tesla/mig-user-guide/ (2026-08-22)
"""
