"""The dump while it is read: readers add to it, and at its end machines are joined and events chosen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...model.dump import Dump, Unread
from ...model.live_object import LiveObject
from ...model.log import Log, LogKind
from .machine_book import MachineBook, names_in
from .redaction import hide

_TALOS = "Talos ("
_WORDS = (
    "nvidia", "resourceclaim", "runtimeclassname", "dcgm", "cuda", "node-feature-discovery", "nfd-", "gpu-operator", "gpu-feature-discovery",
    "dra-driver", "vgpu", "mps-control", "hami",
)  # fmt: skip
"""Words of objects that concern GPUs. A bare `gpu` is not among them: every pod on the node gpu-1 has it."""
_ABOUT_ALL = frozenset({"Event"})
_KEPT = frozenset(
    [
        "Node",
        "Namespace",
        "RuntimeClass",
        "ResourceSlice",
        "ResourceClaim",
        "ResourceClaimTemplate",
        "DeviceClass",
        "ResourceQuota",
        "LimitRange",
        "PersistentVolumeClaim",
        "ClusterPolicy",
        "NVIDIADriver",
        "CustomResourceDefinition",
    ]
)
"""Kinds of which every object is kept."""
_DROPPED = frozenset({"Secret"})


def concerns_gpus(text: str) -> bool:
    """Whether the text of an object names a part of the GPU stack."""
    lowered = text.lower()
    return any(word in lowered for word in _WORDS)


Search = Callable[[Iterable[tuple[int, str]]], list[Any]]
"""The search for symptoms in the lines of a log, each with its number."""


@dataclass(kw_only=True, slots=True)
class DumpBuilder:
    """A dump that is being read."""

    search: Search = lambda _: []

    dump: Dump = field(default_factory=Dump)
    machines: MachineBook = field(default_factory=MachineBook)
    _events: list[tuple[str, LiveObject]] = field(default_factory=list)
    _unread: set[Unread] = field(default_factory=set)
    _seen: dict[tuple[str, str, str], LiveObject] = field(default_factory=dict)

    def is_wanted(self, kind: str, text: str) -> bool:
        """Whether an object of this text is kept. A Secret never is."""
        return kind not in _DROPPED and (kind in _KEPT or kind in _ABOUT_ALL or concerns_gpus(text))

    def count(self, kind: str) -> None:
        """Count an object that was read."""
        self.dump.counts[kind] = self.dump.counts.get(kind, 0) + 1

    def unread(self, source: str, reason: str) -> None:
        """Note what was not read."""
        entry = Unread(source=source, reason=reason)
        if entry not in self._unread:
            self._unread.add(entry)
            self.dump.unread.append(entry)

    def cut(self, source: str, reason: str) -> None:
        """Note a text that ends within a list or an object."""
        self.dump.cut.add(source)
        self.unread(source, reason)

    def add(self, body: Mapping[str, Any], source: str) -> None:
        """Keep an object, without its credentials."""
        self.add_hidden(hide(body), source)

    def add_hidden(self, body: Mapping[str, Any], source: str) -> None:
        """Keep an object that has no credentials any more. An object that was read twice is kept once, in its newer
        form.
        """
        read = LiveObject(body, source)
        if read.kind == "Event":
            self._events.append((_subject(read), read))
            return
        key = (read.kind, read.namespace, read.name)
        before = self._seen.get(key)
        if before is None or _revision(read) >= _revision(before):
            self._seen[key] = read

    def finish(self) -> Dump:
        """The dump, with the events about kept objects, and one machine for each node."""
        objects = self.dump.objects
        for read in self._seen.values():
            objects.setdefault(read.kind, []).append(read)
        kept = {f"{each.kind}/{each.namespace}/{each.name}" for each in self._seen.values()}
        uids = set()
        for subject, event in self._events:
            uid = event.at("metadata", "uid") or id(event)
            if uid not in uids and (subject in kept or subject.startswith("Node/") or concerns_gpus(str(event.body))):
                uids.add(uid)
                objects.setdefault("Event", []).append(event)
        nodes = objects.get("Node", [])
        others = [each for each in nodes if not str(each.at("status", "nodeInfo", "osImage") or _TALOS).startswith(_TALOS)]
        if others and len(others) == len(nodes):
            self.dump.is_other_system = others[0]
        for address, sentence in self.machines.leave_out_others(nodes):
            self.unread(address, sentence)
        self.dump.machines += self.machines.joined(nodes)
        pods: dict[str, list[LiveObject]] = {}
        for each in objects.get("Pod", []):
            pods.setdefault(each.name, []).append(each)
        self.dump.logs[:] = [_of_pod(each, pods) for each in self.dump.logs]
        return self.dump


def _of_pod(log: Log, pods: Mapping[str, list[LiveObject]]) -> Log:
    """The log; one of an unknown program whose file has the name of a single pod is that of the pod."""
    if log.kind is not LogKind.UNKNOWN:
        return log
    words = dict.fromkeys(names_in(log.source.rpartition("/")[2]))
    named = [each for word in words if word for each in pods.get(word, ())]
    return replace(log, kind=LogKind.CONTAINER, namespace=named[0].namespace, pod=named[0].name) if len(named) == 1 else log


def _subject(event: LiveObject) -> str:
    about = event.mapping("involvedObject") or event.mapping("regarding")
    return f"{about.get('kind', '')}/{about.get('namespace') or ''}/{about.get('name', '')}"


_DIGITS = re.compile(r"[0-9]{1,30}")


def _revision(read: LiveObject) -> int:
    version = f"{read.at('metadata', 'resourceVersion') or ''}"
    return int(version) if _DIGITS.fullmatch(version) else 0
