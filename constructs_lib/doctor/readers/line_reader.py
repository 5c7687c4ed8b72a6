"""Texts of lines: each section is given to the reader of its form."""

from __future__ import annotations

import re
from collections.abc import Callable

from ...arguments.credentials.texts import hidden_text
from ..evidence import Evidence
from ..log import LogKind
from ..talos_machine import Seen
from .dump_builder import DumpBuilder
from .dump_place import Place
from .line_forms import Form, sections_of
from .log_reader import driver_of, read_containers, read_kernel, read_log
from .smi_reader import read_smi_query
from .table_reader import read_rows, read_service_state, read_table

_NO_KIND = "the server doesn't have a resource type"
_NO_RESOURCE = "is not registered"
_REFUSED = re.compile(r"PermissionDenied|\(Forbidden\)|\(Unauthorized\)|You must be logged in|not authorized", re.IGNORECASE)
_ERROR = re.compile(
    r"error: |error (?:from|getting|reading|listing) |Error from server|rpc error: code = |The connection to the server|Unable to connect to the server"
)
_PROMPT = re.compile(r"\s*(?:[^\s$#%>]*\s?)?[$#%>]\s+(?:sudo\s+)?(?:kubectl|talosctl|k|cat)\s")
"""A command that was pasted with its output."""
_OF_NODE = re.compile(r"(?:error (?:from|getting \w+ from) node |\* )(?P<node>[\w.:-]+?):? ")
_MODULE = re.compile(r"(?:(?P<node>\S+): )?(?P<name>\w+) \d+ -?\d+ \S+ (?P<state>\w+) 0x")
_LONGEST = 400
_TAG = re.compile(r"\s+Tag: +v(?P<tag>\S+)")
_VERSION_NODE = re.compile(r"\s+NODE: +(?P<node>\S+)")


def read_lines(text: str, first: int, place: Place, source: str, builder: DumpBuilder) -> None:
    """Read lines that are no JSON and no YAML. The first of them has this number in its file."""
    if place.is_failed:
        _read_failure(text.strip(), place, source, builder)
        return
    is_log = bool(place.service or place.pod or place.container)
    log = []
    for section in sections_of(text, first):
        if not is_log or section.form is Form.CONTAINER or (section.form is Form.SERVICE_STATE and source.endswith(".state")):
            _READERS.get(section.form, _read_others)(section.lines, place, source, builder)
        else:
            log += section.lines
    if any(line.strip() for _, line in log):
        read_log(log, place, source, builder)


def _read_others(lines: list[tuple[int, str]], place: Place, source: str, builder: DumpBuilder) -> None:
    """Read lines without a form: errors of the commands, or the log of an unknown program."""
    others = []
    for number, line in lines:
        if _PROMPT.match(line):
            continue
        if _ERROR.match(line):
            _read_error(line, place, f"{source}:{number}", builder)
        elif line.strip():
            others.append((number, line))
    if others:
        read_log(others, place, source, builder, kind=LogKind.UNKNOWN)


def _read_modules(lines: list[tuple[int, str]], place: Place, source: str, builder: DumpBuilder) -> None:
    for number, line in lines:
        found = _MODULE.match(line)
        if found:
            machine = builder.machines.machine(found["node"] or place.node, source)
            machine.modules = machine.modules if machine.modules is not None else {}
            machine.has_all_modules = True
            machine.modules[found["name"]] = Seen(value=found["state"], evidence=Evidence(text=line.strip(), source=f"{source}:{number}"))


def _read_version(lines: list[tuple[int, str]], place: Place, source: str, builder: DumpBuilder) -> None:
    node, is_server = place.node, False
    for number, line in lines:
        is_server = line.startswith("Server:") or (is_server and not line.startswith("Client:"))
        if found := _VERSION_NODE.match(line):
            node = found["node"]
        elif is_server and (found := _TAG.match(line)):
            machine = builder.machines.machine(node, source)
            machine.talos_version = Seen(value=found["tag"], evidence=Evidence(text=line.strip(), source=f"{source}:{number}"))


def _read_driver(lines: list[tuple[int, str]], place: Place, source: str, builder: DumpBuilder) -> None:
    for number, line in lines:
        driver_of(line, builder.machines.machine(place.node, source), f"{source}:{number}")


_READERS: dict[Form, Callable[[list[tuple[int, str]], Place, str, DumpBuilder], None]] = {
    Form.TABLE: read_table,
    Form.ROWS: read_rows,
    Form.SERVICE_STATE: read_service_state,
    Form.KERNEL: read_kernel,
    Form.MODULES: _read_modules,
    Form.DRIVER: _read_driver,
    Form.SMI: _read_driver,
    Form.VERSION: _read_version,
    Form.SMI_QUERY: read_smi_query,
    Form.CONTAINER: read_containers,
}


def _read_failure(text: str, place: Place, source: str, builder: DumpBuilder) -> None:
    """Read the words of a command that failed. A kind that the API server doesn't know has no objects."""
    words = " ".join(text.split())
    if place.command is not None and place.command.lists and _NO_KIND in words:
        builder.dump.listed.add(place.command.lists)
    elif _NO_RESOURCE not in words:
        if place.command is not None and not place.command.may_fail:
            builder.dump.failed.setdefault(place.command.argv[0], set()).add(place.node or place.command.lists)
        _read_error(words or "the command failed without a word", place, source, builder)


def _read_error(line: str, place: Place, source: str, builder: DumpBuilder) -> None:
    line = hidden_text(line.strip()[: 2 * _LONGEST])[:_LONGEST]
    found = _OF_NODE.match(line)
    node = place.node or (found["node"] if found else "")
    subject = (place.command.lists or place.command.argv[-1]) if place.command else ""
    if node and _REFUSED.search(line):
        builder.machines.machine(node, source).refused[subject or "a resource"] = Evidence(text=line, source=source)
    else:
        builder.unread(source, line)
