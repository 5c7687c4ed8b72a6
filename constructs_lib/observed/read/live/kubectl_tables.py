"""The tables of `kubectl get`, with any columns: a table is known by its heads.

Events and RuntimeClasses stand in a table whole. The row of a node tells its names, its addresses and its Talos. Any other
row tells a state, and makes no object: what a table lacks would be taken for absent.

Source: kubernetes/kubernetes pkg/printers/internalversion/printers.go, AddHandlers; pkg/apis/node/v1
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ....arguments.patterns import pattern
from ....upstream.kubernetes.table_states import NONE
from ...model.evidence import Evidence, LogKind
from ...model.table_row import OTHER, TableRow
from ...model.talos_machine import Seen
from .bundle_commands import Place
from .dump_builder import DumpBuilder
from .log_reader import read_log

_Numbered = list[tuple[int, str]]
_Row = dict[str, str]
_HEAD = pattern(r"(?:NAMESPACE|NAME|LAST SEEN)(?:\s{2,}|\t|$)")
_CELL = pattern(r"\S+(?: \S+)*")
_SPLIT = pattern(r"\s{2,}|\t")
_TALOS = pattern(r"Talos \(v(?P<version>[^)]+)\)")
_AGE = r"\d+[smhdy]\w*"
_HEADLESS = (
    pattern(
        rf"(?:(?P<namespace>[\w.-]+) +)?(?P<name>[\w.-]+(?:/[\w.-]+)?) +(?P<ready>\d+/\d+) +(?P<status>[A-Z]\S*) +(?P<restarts>\d+(?: \(\w+ ago\))?) +{_AGE}"
        r"(?: +\S+ +(?P<node>\S+) +\S+ +\S+)?\s*$"
    ),
    pattern(rf"(?P<name>[\w.-]+) +(?P<status>(?:Ready|NotReady|Unknown)(?:,SchedulingDisabled)?) +(?P<roles>\S+) +{_AGE} +v\d"),
    pattern(
        rf"(?:(?P<namespace>[\w.-]+) +)?(?P<name>[\w./-]+) +(?P<desired>\d+) +\d+ +(?P<ready>\d+) +(?P<up_to_date>\d+) +\d+ +(?P<node_selector>\S+) +{_AGE}"
    ),
)
"""The rows of Pods, Nodes and DaemonSets. Kind by kind as `printPod`, `printNode` and `printDaemonSet` order the cells."""
_HEAD_OF = {"up_to_date": "UP-TO-DATE", "node_selector": "NODE SELECTOR"}
HEADLESS = pattern("|".join(re.sub(r"\(\?P<\w+>", "(?:", each.pattern) for each in _HEADLESS))
"""The beginning of any of these rows."""
_FULL = pattern(r"(?P<ready>\d+)/(?P<all>\d+)")
_WELL = ("Running", "Completed", "Succeeded", "Ready", "Bound", "Active")
_MOST = 4
_HEADS: Mapping[str, frozenset[str]] = {
    "Pod": frozenset({"NAME", "READY", "STATUS", "RESTARTS"}),
    "Node": frozenset({"NAME", "STATUS", "ROLES"}),
    "DaemonSet": frozenset({"NAME", "DESIRED", "READY", "UP-TO-DATE"}),
    "Deployment": frozenset({"NAME", "READY", "UP-TO-DATE"}),
}
"""The heads by which a table of these kinds is known."""
_LACKS = "a table of kubectl, which lacks most fields"
_PRINT = "print it with: --output yaml"
_KINDS = {
    each.lower(): each
    for each in ("Pod", "Node", "DaemonSet", "Deployment", "StatefulSet", "ReplicaSet", "Job", "CronJob", "ResourceClaim", "PersistentVolumeClaim")
}  # fmt: skip


def read_kubectl_table(lines: _Numbered, place: Place, source: str, builder: DumpBuilder) -> None:
    """Read tables with their heads."""
    _read_rows(_with_heads(lines), place, source, builder)


def read_headless_rows(lines: _Numbered, place: Place, source: str, builder: DumpBuilder) -> None:
    """Read rows of Pods, Nodes and DaemonSets as grep leaves them."""
    found = ((number, line, next(filter(None, (each.match(line) for each in _HEADLESS)), None)) for number, line in lines)
    rows = ((number, line, _cells_of(each)) for number, line, each in found)
    _read_rows(rows, place, source, builder)


def _cells_of(row: re.Match[str] | None) -> _Row:
    return {_HEAD_OF.get(name, name.upper()): cell or "" for name, cell in row.groupdict().items()} if row else {}


def _with_heads(lines: _Numbered) -> Iterator[tuple[int, str, _Row]]:
    heads: list[tuple[int, str]] = []
    for number, line in lines:
        if _HEAD.match(line):
            heads = [(found.start(), found[0]) for found in _CELL.finditer(line)]
        elif line.strip():
            yield number, line, _row(line, heads)


def _read_rows(rows: Iterable[tuple[int, str, _Row]], place: Place, source: str, builder: DumpBuilder) -> None:
    """Read rows. Their words are searched for symptoms, too: an event may be about an object that was not read."""
    others: _Numbered = []
    whole: _Numbered = []
    states: list[str] = []
    for number, line, row in rows:
        builder.dump.rows += _rows(row, line, f"{source}:{number}")
        if _read_row(row, f"{source}:{number}", builder):
            whole.append((number, line))
        else:
            others.append((number, line))
            states += [state] if (state := _state(row)) else []
    if whole:
        read_log(whole, place, source, builder, kind=LogKind.UNKNOWN, unread=None)
    if others:
        shown = f": {', '.join(states[:_MOST])}{' and more' if len(states) > _MOST else ''}" if states else ""
        read_log(others, place, source, builder, kind=LogKind.UNKNOWN, unread=f"{_LACKS}{shown}; {_PRINT}")


def _row(line: str, heads: list[tuple[int, str]]) -> _Row:
    """The cells by their heads: by the places of the heads, since a cell may be empty, or by their order where a cell is
    longer than its column.
    """
    starts = [start for start, _ in heads]
    names = [name for _, name in heads]
    if "\t" in line or any(start and start < len(line) and line[start - 1] != " " for start in starts):
        return dict(zip(names, _SPLIT.split(line.strip(), len(names) - 1), strict=False))
    ends = [*starts[1:], len(line)]
    return {name: line[start:end].strip() for name, start, end in zip(names, starts, ends, strict=True)}


def _read_row(row: _Row, source: str, builder: DumpBuilder) -> bool:
    """Read a row that says all that its object has; False for any other."""
    if {"REASON", "OBJECT", "MESSAGE"} <= row.keys():
        _read_event(row, source, builder)
    elif {"NAME", "HANDLER"} <= row.keys():
        name = row["NAME"].rpartition("/")[2]
        builder.count("RuntimeClass")
        builder.add({"kind": "RuntimeClass", "metadata": {"name": name}, "handler": row["HANDLER"]}, source)
    else:
        if {"NAME", "OS-IMAGE"} <= row.keys():
            _read_node(row, source, builder)
        return False
    return True


def _rows(row: _Row, line: str, source: str) -> Iterator[TableRow]:
    """The row, if its table is one of objects."""
    kind = next((kind for kind, heads in _HEADS.items() if heads <= row.keys()), OTHER if {"NAME", "NAMESPACE"} <= row.keys() else None)
    if kind is not None:
        found = _FULL.match(row.get("READY", ""))
        ready, wanted = (found["ready"], found["all"]) if found else (row.get("READY", ""), row.get("DESIRED", ""))
        yield TableRow(
            kind=kind, name=row["NAME"].rpartition("/")[2], namespace=row.get("NAMESPACE", ""), status=row.get("STATUS", ""),
            ready=int(ready) if ready.isdecimal() else None, wanted=int(wanted) if wanted.isdecimal() else None,
            restarts=row.get("RESTARTS", ""), node=row.get("NODE", "").replace(NONE, ""), selector=row.get("NODE SELECTOR", ""),
            evidence=Evidence(text=" ".join(line.split()), source=source), age=row.get("AGE", ""),
        )  # fmt: skip


def _read_event(row: Mapping[str, str], source: str, builder: DumpBuilder) -> None:
    kind, _, name = row["OBJECT"].partition("/")
    about = {"kind": _KINDS.get(kind, kind), "name": name}
    if row.get("NAMESPACE"):
        about["namespace"] = row["NAMESPACE"]
    builder.count("Event")
    builder.add(
        {"kind": "Event", "type": row.get("TYPE", ""), "reason": row["REASON"], "message": row["MESSAGE"], "involvedObject": about}, source
    )


def _read_node(row: Mapping[str, str], source: str, builder: DumpBuilder) -> None:
    """The names of a node, and the Talos of its machine, if an output of talosctl was read, too."""
    name = row["NAME"].rpartition("/")[2]
    builder.machines.members.append({name, row.get("INTERNAL-IP", "")} - {"", NONE})
    if found := _TALOS.search(row["OS-IMAGE"]):
        builder.machines.machine(name, source).talos_version = Seen(
            value=found["version"], evidence=Evidence(text=f"OS-IMAGE: {row['OS-IMAGE']}", source=source)
        )


def _state(row: _Row) -> str:
    """The name and the state of a row that is not well; empty for any other."""
    name = "/".join(filter(None, (row.get("NAMESPACE", ""), row.get("NAME", ""))))
    status = row.get("STATUS") or row.get("STATE", "")
    if status and status.partition(",")[0] not in _WELL:
        return f"{name} {status}"
    if "DESIRED" in row and row["DESIRED"] != row.get("READY", row["DESIRED"]):
        return f"{name} {row['READY']} of {row['DESIRED']} ready"
    found = _FULL.match(row.get("READY", ""))
    return f"{name} {row['READY']} ready" if found and found["ready"] != found["all"] and status != "Completed" else ""
