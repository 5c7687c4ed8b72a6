"""`nvidia-smi -q`: its fields by card and path."""

from __future__ import annotations

import re

from ..evidence import Evidence
from ..talos_machine import Seen
from .dump_builder import DumpBuilder
from .dump_place import Place

_CARD = re.compile(r"GPU [0-9A-Fa-f]+(?::[0-9A-Fa-f.]+)+$")
_FIELD = re.compile(r"(?P<name>\S.*?)\s+: ?(?P<value>.*)$")
_DRIVER = "Driver Version"


def read_smi_query(lines: list[tuple[int, str]], place: Place, source: str, builder: DumpBuilder) -> None:
    """Read the fields of all cards. A field is named `GPU 0: ECC Errors Aggregate DRAM Uncorrectable`."""
    machine = builder.machines.machine(place.node, source)
    machine.smi = machine.smi if machine.smi is not None else {}
    card, path = -1, list[tuple[int, str]]()
    for number, line in lines:
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        if _CARD.match(text) and indent == 0:
            card, path = card + 1, []
            machine.smi[f"GPU {card}: Bus"] = Seen(
                value=text.removeprefix("GPU "), evidence=Evidence(text=text, source=f"{source}:{number}")
            )
            continue
        while path and path[-1][0] >= indent:
            path.pop()
        found = _FIELD.match(text)
        if not found:
            path.append((indent, text))
            continue
        seen = Seen(value=found["value"].strip(), evidence=Evidence(text=" ".join(text.split()), source=f"{source}:{number}"))
        if card >= 0:
            machine.smi[f"GPU {card}: {' '.join([*(name for _, name in path), found['name']])}"] = seen
        elif found["name"] == _DRIVER:
            machine.driver_version = machine.driver_version or seen
