"""The cards that people write: a name as on the box, or the lines of nvidia-smi -L, lspci or talosctl get pcidevices."""

from __future__ import annotations

import re

from .card_names import architecture

_SERIES = ("", "RTX ", "GTX ", "RTX ADA ", "RTX PRO ")
_OLDER = ("Quadro ", "Tesla ")
"""The series of names of one letter or two and a number, such as `P2200`: other names are of several series."""
_SMALL = {"TI": "Ti", "SUPER": "Super", "LAPTOP": "Laptop", "NVIDIA": "", "GEFORCE": ""}
_SMI = r"GPU \d+: (?P<name>.+?) \(UUID: "
_PCI = r"(?:NVIDIA Corporation\s.*?|^\s*[A-Z]{1,2}\d{2,3}[A-Z]*\s+)\[(?P<name>[^]]+)\]"
_PASTED = (_SMI, _PCI)
"""The name of a card in a line of nvidia-smi -L, of lspci or talosctl get pcidevices, and in a product of the latter."""
_OTHER_DEVICE = r"NVSwitch|Bridge"
_TIMES = r"(?i)(?P<number>[1-9]\d?)\s*[x\u00d7]\s*(?P<name>\S.*)"
_TIMES_BEHIND = r"(?i)(?P<name>.*\S)(?:(?<=\d)|\s+)[x\u00d7]\s*(?P<number>[1-9]\d?)"
_BETWEEN = r"\s*(?:[,;+&/\n]|\band\b)\s*"


def usual_name(written: str) -> str:
    """The name of a card as NVIDIA writes it: `RTX 3060 Ti` for `3060 ti`, also out of a line of nvidia-smi -L, lspci or
    talosctl get pcidevices. A name that is not known stays."""
    written = pasted_name(written) or written
    spaced = re.sub(r"(?i)^(RTX|GTX)(?=\d)", r"\1 ", written.strip())
    spaced = re.sub(r"(?i)(\d{4})(ti)?s\b", r"\1\2super", spaced)
    spaced = re.sub(r"(?i)(\d)(ti|super)", r"\1 \2", spaced)
    spaced = re.sub(r"(?i)\bti(?=super)", "ti ", spaced)
    words = " ".join(filter(None, (_SMALL.get(each.upper(), each.upper()) for each in spaced.split())))
    every = (*_SERIES, *_OLDER) if re.fullmatch(r"[A-Z]{1,2}\d+", words) else _SERIES
    named = next((f"{series}{words}" for series in every if architecture(f"{series}{words}")), None)
    is_usual = architecture(written) is not None and not written.islower()
    return written.strip() if is_usual or named is None else named


def pasted_name(line: str) -> str:
    """The card that a line of a program names; empty for another line, and for a device that is no card."""
    found = next(filter(None, (re.search(each, line) for each in _PASTED)), None)
    return "" if found is None or re.search(_OTHER_DEVICE, line) else found["name"]


def usual_names(written: str) -> list[str]:
    """The cards of a text, one for each device of pasted lines, and one for each name that people write with commas
    between them.

    Example:
        >>> usual_names("3060 ti, a2000")
        ['RTX 3060 Ti', 'A2000']
    """
    lines = written.splitlines()
    if pasted := [name for line in lines if (name := pasted_name(line))]:
        return [usual_name(each) for each in pasted]
    return [name for each in re.split(_BETWEEN, written.strip()) if each for name in _repeated(each)]


def _repeated(written: str) -> list[str]:
    """A card with a multiplier in front or behind, such as `2x P40` and `3090x2`, once for each card."""
    found = re.fullmatch(_TIMES, written) or re.fullmatch(_TIMES_BEHIND, written)
    return [usual_name(written)] if found is None else [usual_name(found["name"])] * int(found["number"])
