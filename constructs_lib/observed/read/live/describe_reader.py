"""The outputs of `kubectl describe` as objects: pods, nodes, workloads, and what the generic describer prints.

An object has the fields that describe prints. It prints no affinity, no message of a container that waits, and no
RuntimeClass of a pod template.

Source: k8s.io/kubectl pkg/describe/describe.go at v0.34.0 and v0.36.3: describePod, describeNode, describeDaemonSet,
DescribePodTemplate, describeContainers, DescribeEvents, GenericDescriber (2026-11-28)
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

from ....arguments.patterns import pattern
from ....upstream.kubernetes.api import HOSTNAME_LABEL
from ....yaml.unknown import Unknown
from ...model.evidence import LogKind
from .bundle_commands import Place
from .dump_builder import DumpBuilder
from .log_reader import read_log

_Numbered = list[tuple[int, str]]
_KEY = pattern(r"(?P<key>\S[^:=]*?):(?:\s+(?P<value>.*))?$")
_NONE = ("<none>", "<unset>", "")
_NEXT = pattern(r"Name: ")
_UNPRINTED = Unknown()
_OF_NODE = {"Capacity", "Allocatable", "System Info", "Allocated resources"}
_WHOLE_NODE = ("Labels", "Taints", "Capacity", "Allocatable", "System Info")
"""What a node's description needs to be one: what is absent would be said not to be there."""


@dataclass(slots=True)
class Entry:
    """A line with the lines that are indented below it."""

    text: str
    key: str = ""
    value: str = ""
    below: list[Entry] = field(default_factory=list)

    def get(self, *keys: str) -> Entry:
        """The entry below with one of these keys; an empty one where there is none."""
        return next((each for each in self.below if each.key in keys), Entry(""))

    @property
    def keys(self) -> set[str]:
        """The keys below."""
        return {each.key for each in self.below}

    @property
    def lines(self) -> list[str]:
        """The values of a key that has several: its own, and the lines below."""
        return [each for each in (self.value, *(entry.text for entry in self.below)) if each not in _NONE]

    @property
    def pairs(self) -> dict[str, str]:
        """The keys below with their values."""
        return {each.key: each.value for each in self.below if each.key}

    @property
    def labels(self) -> dict[str, str]:
        """The lines `key=value`."""
        return dict(each.split("=", 1) for each in self.lines if "=" in each)


def read_description(lines: _Numbered, place: Place, source: str, builder: DumpBuilder) -> None:
    """Read the descriptions of objects. The words of one that is not kept are searched for symptoms."""
    starts = sorted({0, *(index for index, (_, line) in enumerate(lines) if _NEXT.match(line))})
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        part = lines[start:end]
        root = _tree([line for _, line in part])
        body = _body(root)
        is_part = body is None and bool(root.keys & _OF_NODE)
        if is_part:
            missing = ", ".join(each for each in _WHOLE_NODE if each not in root.keys)
            builder.unread(f"{source}:{part[0][0]}", f"a part of kubectl describe node, without {missing}. Give the whole output")
        if body is None or not builder.is_wanted(body["kind"], json.dumps(body, default=str)):
            read_log(part, place, source, builder, kind=LogKind.UNKNOWN, unread=None if is_part else "")
            continue
        events = body.pop("events")
        builder.count(body["kind"])
        builder.add_part(body, source)
        about = {"kind": body["kind"], **{key: body["metadata"][key] for key in ("name", "namespace") if key in body["metadata"]}}
        for each in reversed(events):  # the newest stands last, and of events without times the first is taken
            builder.add({**each, "kind": "Event", "involvedObject": about}, source)


def _tree(lines: list[str]) -> Entry:
    root = Entry("")
    path: list[tuple[int, Entry]] = [(-1, root)]
    for line in lines:
        text = line.strip()
        if not text:
            continue
        indent = len(line) - len(line.lstrip())
        while path[-1][0] >= indent:
            path.pop()
        found = _KEY.match(text)
        entry = Entry(text, key=found["key"], value=(found["value"] or "").strip()) if found else Entry(text)
        path[-1][1].below.append(entry)
        path.append((indent, entry))
    return root


def _body(root: Entry) -> dict[str, Any] | None:
    """The object of a description; None for one of another kind."""
    keys = root.keys
    if "Kind" in keys and "API Version" in keys:
        return _generic(root)
    if keys.issuperset(_WHOLE_NODE) or ("Roles" in keys and keys & {"Taints", "Capacity", "System Info"}):
        return _with_metadata(root, "Node", _node(root))
    if "Pod Template" in keys:
        workload = "DaemonSet" if "Desired Number of Nodes Scheduled" in keys else "Deployment" if "StrategyType" in keys else ""
        return _with_metadata(root, workload, _workload(root)) if workload else None
    return _with_metadata(root, "Pod", _pod(root)) if "Containers" in keys and keys & {"Node", "QoS Class", "Status"} else None


def _with_metadata(root: Entry, kind: str, parts: dict[str, Any]) -> dict[str, Any]:
    labels = root.get("Labels").labels
    name = root.get("Name").value or labels.get(HOSTNAME_LABEL) or kind.upper()  # at last the placeholder of commands
    metadata: dict[str, Any] = {"name": name, "labels": labels, **parts.pop("metadata", {})}
    if root.get("Namespace").value:
        metadata["namespace"] = root.get("Namespace").value
    return {"kind": kind, "metadata": metadata, **parts, "events": list(_events(root.get("Events")))}


_COLUMNS = pattern(r"\s{2,}|\t")
_FEWEST = 3
"""The cells of an event: type, reason, and its message. Its age and its source may be empty."""
_PATH = pattern(r"^[\w.]+\{[^}]*\}: ")


def _events(events: Entry) -> Iterator[dict[str, Any]]:
    for each in events.below:
        cells = _COLUMNS.split(each.text, 4)
        if cells[0] in ("Normal", "Warning") and len(cells) >= _FEWEST:
            below = " ".join(entry.text for entry in each.below)
            message = _PATH.sub("", cells[-1])
            yield {"type": cells[0], "reason": cells[1], "message": f"{message} {below}".strip()}


def _table(entry: Entry) -> Iterator[dict[str, str]]:
    """The rows of a table by their heads."""
    heads = _COLUMNS.split(entry.below[0].text) if entry.below else []
    for each in entry.below[1:]:
        if not each.text.startswith("--"):
            yield dict(zip(heads, _COLUMNS.split(each.text, len(heads) - 1), strict=False))


def _conditions(entry: Entry) -> list[dict[str, str]]:
    names = {"Type": "type", "Status": "status", "Reason": "reason", "Message": "message"}
    return [{names[head]: cell.strip() for head, cell in row.items() if head in names} for row in _table(entry)]


_TAINT = pattern(r"(?P<key>[^=:]+)(?:=(?P<value>[^:]*))?:(?P<effect>\w+)")


def _node(root: Entry) -> dict[str, Any]:
    taints = [found.groupdict(default="") for each in root.get("Taints").lines if (found := _TAINT.match(each))]
    info = root.get("System Info").pairs
    return {
        "spec": {"taints": taints, **({"unschedulable": True} if root.get("Unschedulable").value == "true" else {})},
        "status": {
            "conditions": _conditions(root.get("Conditions")),
            "addresses": [{"type": kind, "address": address} for kind, address in root.get("Addresses").pairs.items()],
            "capacity": root.get("Capacity").pairs,
            "allocatable": root.get("Allocatable").pairs,
            "nodeInfo": {f"{key[0].lower()}{key[1:]}".replace(" ", "").replace("oSImage", "osImage"): value for key, value in info.items()},
        },
    }


_TOLERATION = pattern(
    r"(?P<key>[^=:\s]+)?(?:=(?P<value>[^:\s]*))?(?::(?P<effect>\w+))?(?: ?op=(?P<operator>\w+))?(?: for (?P<seconds>\d+)s)?$"
)


def _toleration(text: str) -> dict[str, Any]:
    found = _TOLERATION.match(text)
    return {key: value for key, value in found.groupdict().items() if value and key != "seconds"} if found else {}


def _pod_spec(entry: Entry) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "nodeSelector": entry.get("Node-Selectors").labels,
        "tolerations": [_toleration(each) for each in entry.get("Tolerations").lines],
        "affinity": _UNPRINTED,
    }
    for key, label in (("initContainers", "Init Containers"), ("containers", "Containers")):
        if below := entry.get(label).below:
            spec[key] = [_container(each) for each in below]
    return spec


def _container(entry: Entry) -> dict[str, Any]:
    resources = {key.lower(): found for key in ("Limits", "Requests") if (found := entry.get(key).pairs)}
    return {
        "name": entry.key,
        "image": entry.get("Image").value,
        "resources": resources,
        "env": [_variable(each) for each in entry.get("Environment").below if each.key],
    }


def _variable(entry: Entry) -> dict[str, Any]:
    is_elsewhere = entry.value.startswith("<set to the key") or re.search(r" \([\w.:]+\)$", entry.value)
    return {"name": entry.key, **({"valueFrom": {}} if is_elsewhere else {"value": entry.value})}


def _workload(root: Entry) -> dict[str, Any]:
    template = root.get("Pod Template")
    status = {
        "desiredNumberScheduled": _integer(root.get("Desired Number of Nodes Scheduled").value),
        "currentNumberScheduled": _integer(root.get("Current Number of Nodes Scheduled").value),
        "numberAvailable": _integer(root.get("Number of Nodes Scheduled with Available Pods").value),
    }
    labels = {"labels": template.get("Labels").labels}
    return {
        "spec": {"template": {"metadata": labels, "spec": {"runtimeClassName": _UNPRINTED, **_pod_spec(template)}}},
        "status": {key: value for key, value in status.items() if value is not None},
    }


def _integer(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


_MESSAGE = "Error: "
"""The beginning of an event whose message is that of the waiting container, which describe does not print.

Source: kubernetes/kubernetes pkg/kubelet/kuberuntime/kuberuntime_container.go, recordContainerEvent
"""


def _pod(root: Entry) -> dict[str, Any]:
    spec = _pod_spec(root)
    phase, node = root.get("Status").value, root.get("Node").value
    is_ending = phase.startswith("Terminating")
    owner, _, name = root.get("Controlled By").value.partition("/")
    metadata: dict[str, Any] = {"ownerReferences": [{"kind": owner, "name": name, "controller": True}]} if name else {}
    if is_ending:
        metadata["deletionTimestamp"] = phase
    if node not in _NONE:
        spec["nodeName"] = node.partition("/")[0]
    if name := root.get("Runtime Class Name").value:
        spec["runtimeClassName"] = name
    failures = [each["message"] for each in _events(root.get("Events")) if each["message"].startswith(_MESSAGE)]
    message = failures[-1].removeprefix(_MESSAGE) if failures else ""
    status: dict[str, Any] = {
        "phase": "Running" if is_ending else phase,
        "conditions": _conditions(root.get("Conditions")),
        **{key.lower(): value for key in ("Reason", "Message") if (value := root.get(key).value)},
    }
    for key, label in (("initContainerStatuses", "Init Containers"), ("containerStatuses", "Containers")):
        if read := [_status(each, message) for each in root.get(label).below if each.get("State").value]:
            status[key] = read
    return {"metadata": metadata, "spec": spec, "status": status}


def _status(entry: Entry, message: str) -> dict[str, Any]:
    last = entry.get("Last State")
    return {
        "name": entry.key,
        "image": entry.get("Image").value,
        "ready": entry.get("Ready").value == "True",
        "restartCount": _integer(entry.get("Restart Count").value) or 0,
        "state": _state(entry.get("State"), message),
        **({"lastState": _state(last)} if last.value else {}),
    }


_STATE_FIELDS = {"Reason": "reason", "Message": "message", "Exit Code": "exitCode", "Started": "startedAt", "Finished": "finishedAt"}


def _state(entry: Entry, message: str = "") -> dict[str, Any]:
    """The state of a container. One that can't be created waits with the words of its event."""
    read: dict[str, Any] = {}
    for each in entry.below:
        name = _STATE_FIELDS.get(each.key)
        if name is not None:
            text = " ".join([each.value, *(line.text for line in each.below)]).strip()
            read[name] = (_integer(text) or 0) if name == "exitCode" else _time(text) if name.endswith("At") else text
    if entry.value == "Waiting" and str(read.get("reason", "")).startswith(("CreateContainer", "RunContainer")) and message:
        read["message"] = message
    return {entry.value.lower(): read}


def _time(text: str) -> str:
    try:
        return parsedate_to_datetime(text).strftime("%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        return text


_LISTS = frozenset({
    "requests", "results", "reservedFor", "conditions", "config", "firstAvailable", "ownerReferences", "selectors", "devices",
    "taints", "tolerations",
})  # fmt: skip
"""The fields of the resource API that are lists: describe prints the fields of their items one after another."""


def _generic(root: Entry) -> dict[str, Any]:
    """An object without a describer of its own, such as a ResourceClaim: its fields have their own names, in words."""
    body = {_camel(each.key): _value(each) for each in root.below if each.key in ("Spec", "Status")}
    return {"apiVersion": root.get("API Version").value, **_with_metadata(root, root.get("Kind").value, body)}


def _value(entry: Entry) -> Any:
    key = _camel(entry.key)
    if not entry.below:
        return _integer(entry.value) if entry.value.isdecimal() else {"true": True, "false": False}.get(entry.value, entry.value)
    if not all(each.key for each in entry.below):
        return entry.lines
    items: list[dict[str, Any]] = [{}]
    for each in entry.below:
        name = _camel(each.key)
        if name in items[-1]:
            items.append({})
        items[-1][name] = _value(each)
    return items if key in _LISTS and not set(items[0]) & {"requests", "results"} else items[0]


def _camel(words: str) -> str:
    first, *others = words.split(" ")
    return "".join([first.lower() if first.isupper() else f"{first[:1].lower()}{first[1:]}", *others])
