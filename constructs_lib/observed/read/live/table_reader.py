"""The tables of talosctl.

The columns of `talosctl get` depend on the resource. Rows without their head, as grep leaves them, are read too, and so
is `talosctl services`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ....arguments.patterns import pattern
from ...model.evidence import Evidence
from ...model.talos_machine import Service
from .bundle_commands import Place
from .dump_builder import DumpBuilder
from .talos_resources import read_spec

_FIXED, _TYPE = 5, 2
"""The columns NODE, NAMESPACE, TYPE, ID and VERSION, and the place of TYPE among them."""
_COLUMNS: dict[str, tuple[str, tuple[str, ...]]] = {
    "ExtensionStatus": ("ExtensionStatuses.runtime.talos.dev", ("name", "version")),
    "LoadedKernelModule": ("LoadedKernelModules.runtime.talos.dev", ("state",)),
    "KernelModuleStatus": ("KernelModuleStatuses.runtime.talos.dev", ("type", "state")),
    "KernelModuleSpec": ("KernelModuleSpecs.runtime.talos.dev", ()),
    "KernelParamStatus": ("KernelParamStatuses.runtime.talos.dev", ("current", "default", "unsupported")),
    "SecurityState": ("SecurityStates.talos.dev", ("secureBoot",)),
    "PCIDevice": ("PCIDevices.hardware.talos.dev", ("class", "subclass", "vendor", "product")),
    "ImageFactorySchematic": ("ImageFactorySchematics.runtime.talos.dev", ("schematicId",)),
    "Version": ("Versions.runtime.talos.dev", ("name", "version")),
    "Service": ("Services.v1alpha1.talos.dev", ("running", "healthy", "unknown")),
    "Member": ("Members.cluster.talos.dev", ("hostname", "machineType", "operatingSystem", "addresses")),
    "Nodename": ("Nodenames.kubernetes.talos.dev", ("nodename",)),
    "HostnameStatus": ("HostnameStatuses.net.talos.dev", ("hostname",)),
}
"""The type and the further columns of a resource, by the name in the column TYPE.

Source: siderolabs/talos pkg/machinery/resources, ResourceDefinition at v1.14.0-rc.1;
cmd/talosctl/cmd/talos/output/table.go (2026-11-22)
"""
_CELL = pattern(r"\S+(?: \S+)*")
_HEAD = pattern(r"NODE\s|NAMESPACE\s+TYPE\s|SERVICE\s+STATE\s")
_MARK = pattern(r"\*|[+-]")
"""The head and the cells of the column that `talosctl get --watch` has behind NODE; the cell of a change is empty."""
_SERVICE = pattern(r"(?P<node>\S+) +(?P<name>\S+) +(?P<state>\w+) +(?P<health>OK|Fail|\?) +(?:\S+ ago|never|-)?(?: +(?P<event>.*))?$")
_STATE = pattern(r"(?P<key>NODE|ID|STATE|HEALTH|LAST HEALTH MESSAGE|EVENTS) +(?P<value>.*)$")
_EVENT = pattern(r"(?:EVENTS)? +\[\w+\]: (?P<text>.*?)(?: \([^()]* ago\))?$")

_Numbered = list[tuple[int, str]]


_NO_NODE = "?    "
"""The node of a table without its first column, as `cut` leaves it: the node of the place is meant."""


def read_table(lines: _Numbered, place: Place, source: str, builder: DumpBuilder) -> None:
    """Read tables with their heads."""
    heads: list[tuple[int, str]] = []
    is_services, node = False, ""
    others: dict[str, int] = {}
    for number, given in lines:
        if _HEAD.match(given):
            node = "" if given.startswith("NODE") else _NO_NODE
        line = f"{node}{given}"
        if _HEAD.match(given):
            heads = [(cell.start(), cell[0]) for cell in _CELL.finditer(line)]
            is_services = any(name == "SERVICE" for _, name in heads)
        elif line.strip() and is_services:
            _read_service(line, number, place, source, builder)
        elif line.strip():
            cells = _cells(line, heads)
            cells = [place.node if node else cells[0], *cells[1:]]
            if len(cells) > _TYPE and cells[_TYPE] not in _COLUMNS:
                others.setdefault(cells[_TYPE], number)
            _read_row(cells, given, number, source, builder)
    for kind, number in others.items():
        builder.unread(f"{source}:{number}", f"a table of {kind}, of which the doctor reads nothing")


def read_rows(lines: _Numbered, place: Place, source: str, builder: DumpBuilder) -> None:
    """Read rows without a head."""
    for number, line in lines:
        cells = _split(line)
        if len(cells) >= _FIXED and cells[2] in _COLUMNS:
            _read_row(cells, line, number, source, builder)
        else:
            _read_service(line, number, place, source, builder)


def _cells(line: str, heads: list[tuple[int, str]]) -> list[str]:
    """The cells of a row, by the columns of the head where they fit, since a cell may be empty. That of a mark is left
    out."""
    starts = [start for start, _ in heads]
    if "\t" in line or any(start and start < len(line) and line[start - 1] != " " for start in starts):
        return _split(line)
    ends = [*starts[1:], len(line)]
    return [line[start:end].strip() for (start, name), end in zip(heads, ends, strict=True) if not _MARK.fullmatch(name)]


def _split(line: str) -> list[str]:
    words = line.split(None, _FIXED)
    if len(words) > 1 and _MARK.fullmatch(words[1]):
        words = [words[0], *" ".join(words[2:]).split(None, _FIXED - 1)]
    return [*words[:_FIXED], *(re.split(r"\s{2,}|\t", words[_FIXED].strip()) if len(words) > _FIXED else [])]


def _read_row(cells: list[str], line: str, number: int, source: str, builder: DumpBuilder) -> None:
    if len(cells) < _FIXED or cells[2] not in _COLUMNS:
        return
    kind, names = _COLUMNS[cells[2]]
    spec: dict[str, Any] = dict(zip(names, cells[_FIXED:], strict=False))
    read_spec(kind, cells[3], _with_shape(cells[2], spec), cells[0], f"{source}:{number}", builder, row=" ".join(line.split()))


def _with_shape(name: str, spec: dict[str, Any]) -> Mapping[str, Any]:
    if name == "ExtensionStatus":
        return {"metadata": spec}
    if name == "Member":
        try:
            return {**spec, "addresses": json.loads(spec.get("addresses") or "[]")}
        except ValueError:
            return {**spec, "addresses": []}
    return spec


def _read_service(line: str, number: int, place: Place, source: str, builder: DumpBuilder) -> None:
    found = _SERVICE.match(line)
    if found:
        node = place.node if found["node"] == _NO_NODE.strip() else found["node"]
        machine = builder.machines.machine(node, source)
        machine.known("services")[found["name"]] = Service(
            name=found["name"], state=found["state"], health=found["health"], event=(found["event"] or "").strip(),
            evidence=Evidence(text=" ".join(line.split()), source=f"{source}:{number}"),
        )  # fmt: skip


def read_service_state(lines: _Numbered, place: Place, source: str, builder: DumpBuilder) -> None:
    """Read `talosctl service NAME`: the state of one service, and its events, the newest first."""
    values: dict[str, str] = {}
    events: list[str] = []
    for _, line in lines:
        found = _STATE.match(line)
        if found and found["key"] != "EVENTS":
            values.setdefault(found["key"], found["value"].strip())
        if event := _EVENT.match(line):
            events.append(event["text"])
    name = values.get("ID") or place.service
    if name and "STATE" in values:
        machine = builder.machines.machine(values.get("NODE") or place.node, source)
        last = events[0] if events else ""
        machine.known("services")[name] = Service(
            name=name, state=values["STATE"], health=values.get("HEALTH", "?"), event=last,
            evidence=Evidence(text=f"{name} {values['STATE']} {last}".strip(), source=f"{source}:{lines[0][0]}"),
        )  # fmt: skip
