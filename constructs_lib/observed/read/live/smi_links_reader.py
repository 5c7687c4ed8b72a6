"""The lists of nvidia-smi as fields of cards: `-L`, `nvlink -s` and `-e`, and `topo -m`.

Source: the manual of nvidia-smi, NVLINK and TOPOLOGY (https://docs.nvidia.com/deploy/nvidia-smi/); outputs in leptonai/gpud
components/accelerator/nvidia/fabric-manager/testdata, NVIDIA/DCGM#149 and NVIDIA/open-gpu-kernel-modules#1150 (2026-11-28)
"""

from __future__ import annotations

import re

from ....arguments.patterns import pattern
from ...model.evidence import LogKind
from .bundle_commands import Place
from .dump_builder import DumpBuilder
from .log_reader import read_log
from .smi_reader import seen

_LISTED = pattern(r"GPU (?P<card>\d+): (?P<name>.+) \(UUID: (?P<uuid>GPU-\S+)\)")
_INSTANCE = pattern(r"\s+MIG (?P<profile>\S+) +Device +(?P<number>\d+): ")
_ERRORS = pattern(r"\s+Link (?P<number>\d+): (?P<counter>[A-Za-z][\w ]*): (?P<count>\d+)\s*$")
_LINK = pattern(r"\s+Link (?P<number>\d+): (?P<state>[^:]+)$")
_NO_LINK = pattern(r"\s*NVML: ?Unable to retrieve NVLink information as all links are inActive", re.IGNORECASE)

_Numbered = list[tuple[int, str]]


def read_smi_list(lines: _Numbered, place: Place, source: str, builder: DumpBuilder) -> None:
    """Read `nvidia-smi -L` and `nvidia-smi nvlink`. The lines are those of a log, too: a program that prints them sees the
    card.
    """
    smi = builder.machines.machine(place.node, source).known("smi")
    card = ""
    for number, line in lines:
        if found := _LISTED.match(line):
            card = found["card"]
            smi[f"GPU {card}: Product Name"] = seen(found["name"], line, source, number)
            smi[f"GPU {card}: GPU UUID"] = seen(found["uuid"], line, source, number)
        elif found := _INSTANCE.match(line):
            smi[f"GPU {card}: MIG Mode Current"] = seen("Enabled", line, source, number)
            smi[f"GPU {card}: MIG Devices {found['number']}"] = seen(found["profile"], line, source, number)
        elif found := _ERRORS.match(line):
            smi[f"GPU {card}: NVLink Link {found['number']} {found['counter']}"] = seen(found["count"], line, source, number)
        elif found := _LINK.match(line):
            smi[f"GPU {card}: NVLink Link {found['number']}"] = seen(found["state"], line, source, number)
        elif _NO_LINK.match(line):
            smi[f"GPU {card}: NVLink Links"] = seen("<inactive>", line, source, number)
    read_log(lines, place, source, builder, kind=LogKind.UNKNOWN)


_COLUMN = pattern(r"GPU(?P<card>\d+)")
_ROW = pattern(r"GPU(?P<card>\d+)\s")


def read_topology(lines: _Numbered, place: Place, source: str, builder: DumpBuilder) -> None:
    """Read `nvidia-smi topo -m`: the path of each card to each other card. The columns of the cards stand first."""
    smi = builder.machines.machine(place.node, source).known("smi")
    columns: list[str] = []
    for number, line in lines:
        if "CPU Affinity" in line:
            columns = _COLUMN.findall(line)
        elif found := _ROW.match(line):
            for other, path in zip(columns, line[found.end() :].split(), strict=False):
                smi[f"GPU {found['card']}: Topology GPU {other}"] = seen(path, line, source, number)
