"""The outputs of nvidia-smi and of `dcgmi diag` as the fields of cards: `GPU 0: ECC Errors Aggregate DRAM Uncorrectable`.

The fields are those of `nvidia-smi -q`. XML has the same fields by other names (`ecc_errors`, `dram_uncorrectable`), which
are kept with spaces; the table has few of them, and they get the names of `-q`.

Source: the manual of nvidia-smi, GPU ATTRIBUTES (https://docs.nvidia.com/deploy/nvidia-smi/, read 2026-11-28);
NVIDIA/DCGM dcgmi/Diag.cpp
"""

from __future__ import annotations

import re

from ....arguments.patterns import pattern
from ...model.evidence import Evidence
from ...model.talos_machine import Seen
from .bundle_commands import Place
from .dump_builder import DumpBuilder
from .log_reader import driver_of

_CARD = pattern(r"GPU [0-9A-Fa-f]+(?::[0-9A-Fa-f.]+)+$")
_FIELD = pattern(r"(?P<name>\S.*?)\s+: ?(?P<value>.*)$")
_DRIVER = "Driver Version"
_PROCESS = "Process ID"
_XML_DRIVER, _XML_PROCESS = "driver_version", "pid"

_Numbered = list[tuple[int, str]]


def seen(value: str, line: str, source: str, number: int) -> Seen:
    """A value, with the line that shows it."""
    return Seen(value=value.strip(), evidence=Evidence(text=" ".join(line.split()), source=f"{source}:{number}"))


def read_smi_query(lines: _Numbered, place: Place, source: str, builder: DumpBuilder) -> None:
    """Read `nvidia-smi -q`. What is indented below a process is a part of it."""
    machine = builder.machines.machine(place.node, source)
    smi = machine.known("smi")
    card, path = -1, list[tuple[int, str]]()
    for number, line in lines:
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        if _CARD.match(text) and indent == 0:
            card, path = card + 1, []
            smi[f"GPU {card}: Bus"] = seen(text.removeprefix("GPU "), text, source, number)
            continue
        while path and path[-1][0] >= indent:
            path.pop()
        found = _FIELD.match(text)
        if not found:
            path.append((indent, text))
            continue
        value = seen(found["value"], text, source, number)
        if found["name"] == _PROCESS:
            path.append((indent, f"Process {value.value}"))
        elif card >= 0:
            smi[f"GPU {card}: {' '.join([*(name for _, name in path), found['name']])}"] = value
        elif found["name"] == _DRIVER:
            machine.driver_version = machine.driver_version or value


_ELEMENT = pattern(r'\s*<(?P<end>/)?(?P<name>[a-z_0-9]+)(?: id="(?P<id>[^"]*)")?(?P<empty> ?/)?>(?:(?P<value>[^<]*)</[a-z_0-9]+>)?\s*$')


def read_smi_xml(lines: _Numbered, place: Place, source: str, builder: DumpBuilder) -> None:
    """Read `nvidia-smi -q -x`, which has one element on a line."""
    machine = builder.machines.machine(place.node, source)
    smi = machine.known("smi")
    card, path = -1, list[str]()
    for number, line in lines:
        found = _ELEMENT.match(line)
        if not found:
            if path and card >= 0 and "<" not in line and line.strip():  # MIG devices: None
                smi[f"GPU {card}: {' '.join(path)}"] = seen(line, line, source, number)
        elif found["name"] == "gpu" and found["id"]:
            card, path = card + 1, []  # fields are named from the card on
            smi[f"GPU {card}: Bus"] = seen(found["id"], line, source, number)
        else:
            path = _path_after(path, found)
            value = seen(found["value"] or "", line, source, number)
            if found["name"] == _XML_DRIVER:
                machine.driver_version = machine.driver_version or value
            elif found["value"] is not None and card >= 0 and found["name"] != _XML_PROCESS:
                smi[f"GPU {card}: {' '.join([*path, found['name'].replace('_', ' ')])}"] = value


def _path_after(path: list[str], found: re.Match[str]) -> list[str]:
    """The path of elements after the tags of a line. What follows the number of a process is a part of it."""
    if found["empty"]:
        return path
    if found["end"]:
        return path[:-1]
    if found["name"] == _XML_PROCESS:
        return [*path[:-1], f"Process {found['value']}"]
    return path if found["value"] is not None else [*path, found["name"].replace("_", " ")]


_FIRST = pattern(r"\| +(?P<card>\d+) +(?P<name>\S.*?) +(?P<persistence>On|Off) +\| *(?P<bus>[0-9A-Fa-f:.]{7,}) +\S+ *\| *(?P<ecc>\S+)")
_SECOND = pattern(
    r"\| *\S+ +\S+ +(?P<state>P\d+|N/A|ERR!) .*?\| *(?P<used>\S+) */ *(?P<total>\S+) *\| *(?P<load>\S+) +(?P<mode>[\w. ]+?) *\|"
)
_THIRD = pattern(r"\| +\| +\| *(?P<mig>Enabled|Disabled|N/A)(?P<pending>\*)? *\|")
_INSTANCE = pattern(r"\| +(?P<card>\d+) +(?P<id>\d+) +\d+ +(?P<number>\d+) +\| *(?P<used>\d+MiB) */ *(?P<total>\d+MiB) *\|")
_NO_INSTANCE = "No MIG devices found"
_OTHER = {"Enabled": "Disabled", "Disabled": "Enabled"}
_HOLDER = pattern(
    r"\| +(?P<card>\d+)(?: +(?:N/A|\d+) +(?:N/A|\d+))? +(?P<pid>\d+) +(?P<type>[CGM+]+) +(?P<name>\S.*?) +(?P<memory>\d+MiB|N/A) *\|"
)
_SWITCH = {"On": "Enabled", "Off": "Disabled"}
_MODES = {"E. Process": "Exclusive_Process", "E. Thread": "Exclusive_Thread"}


def read_smi_table(lines: _Numbered, place: Place, source: str, builder: DumpBuilder) -> None:
    """Read the table of nvidia-smi: three lines for a card, two for each MIG instance, and one for each process."""
    machine = builder.machines.machine(place.node, source)
    card = ""
    cards: list[str] = []
    for number, line in lines:
        driver_of(line, machine, f"{source}:{number}")
        fields: dict[str, str] = {}
        if found := _HOLDER.match(line):
            holder = f"GPU {found['card']}: Processes Process {found['pid']}"
            machine.known("smi")[f"{holder} Name"] = seen(found["name"], line, source, number)
            machine.known("smi")[f"{holder} Used GPU Memory"] = seen(found["memory"], line, source, number)
        elif found := _FIRST.match(line):
            card = found["card"]
            cards.append(card)
            fields = {
                "Bus": found["bus"],
                "Product Name": found["name"],
                "Persistence Mode": _SWITCH[found["persistence"]],
                "ECC Errors Volatile Uncorrectable": found["ecc"],
            }
        elif card and (found := _SECOND.match(line)):
            fields = {
                "Performance State": found["state"],
                "FB Memory Usage Used": found["used"],
                "FB Memory Usage Total": found["total"],
                "Utilization GPU": found["load"],
                "Compute Mode": _MODES.get(found["mode"], found["mode"]),
            }
        elif card and (found := _THIRD.match(line)):
            fields = _mig_mode(found)
        elif found := _INSTANCE.match(line):
            instance = f"GPU {found['card']} MIG {found['id']}: FB Memory Usage"
            machine.known("smi")[f"{instance} Used"] = seen(found["used"], line, source, number)
            machine.known("smi")[f"{instance} Total"] = seen(found["total"], line, source, number)
            machine.known("smi").setdefault(f"GPU {found['card']}: MIG Devices {found['number']}", seen("", line, source, number))
        elif _NO_INSTANCE in line:
            machine.known("smi").update({f"GPU {each}: MIG Devices": seen("None", line, source, number) for each in cards})
        for name, value in fields.items():
            machine.known("smi")[f"GPU {card}: {name}"] = seen(value, line, source, number)


def _mig_mode(found: re.Match[str]) -> dict[str, str]:
    """The MIG mode of the table. An asterisk marks the mode that the next reset brings."""
    mode = found["mig"]
    return (
        {"MIG Mode Current": _OTHER[mode], "MIG Mode Pending": mode} if found["pending"] and mode in _OTHER else {"MIG Mode Current": mode}
    )


_TEST = pattern(r"\| *(?P<name>\S.*?)? *\| *(?P<result>(?:GPU ?\d+: *)?(?:Pass|Fail|Skip|Warn)\b.*?) *\|")


def read_diagnostic(lines: _Numbered, place: Place, source: str, builder: DumpBuilder) -> None:
    """Read `dcgmi diag -r`: the result of each test. That of one card stands below the test without its name."""
    smi = builder.machines.machine(place.node, source).known("smi")
    test = ""
    for number, line in lines:
        if found := _TEST.match(line):
            test = found["name"] or test
            key = f"DCGM Diagnostic {test}"
            is_worse = "Fail" in found["result"]
            if is_worse or key not in smi:
                smi[key] = seen(found["result"], f"{test}: {found['result']}", source, number)
