"""The dump while it is read: readers add to it, and at its end machines are joined and events chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from ....arguments.patterns import pattern
from ...model.dump import Dump, Unread
from ...model.evidence import Log, LogKind
from ...model.live_object import LiveObject, addresses_of, other_node, parsed
from ...model.talos_machine import TalosMachine
from .redaction import hide

_EDGE = pattern(r"[._-]")
_MOST_PARTS = 32
_TOKEN = pattern(r"[\w.:-]+")


@dataclass(kw_only=True, slots=True)
class MachineBook:
    """Machines by the name under which an output was printed; those of outputs without a name by their place."""

    named: dict[str, TalosMachine] = field(default_factory=dict)
    placed: dict[str, TalosMachine] = field(default_factory=dict)
    nodenames: dict[str, str] = field(default_factory=dict)
    """The name of the node in Kubernetes that a machine answered, by the name or address that talosctl was asked."""
    members: list[set[str]] = field(default_factory=list)
    """The names and addresses of one machine each, as Talos' discovery lists them."""

    def machine(self, node: str, source: str) -> TalosMachine:
        """The machine of a node's name or address; without one, the machine of the place."""
        if node:
            return self.named.setdefault(node, TalosMachine(names={node}))
        return self.placed.setdefault(source, TalosMachine())

    def leave_out_others(self, nodes: Iterable[LiveObject]) -> Iterator[tuple[str, str]]:
        """Forget the machines that answer as another node than the one whose address they were asked by, and yield
        their addresses, each with a sentence.
        """
        owners = {address: each.name for each in nodes for address in addresses_of(each)}
        for address, nodename in self.nodenames.items():
            owner = owners.get(parsed(address), nodename)
            if owner != nodename:
                self.named.pop(address, None)
                self.members[:] = [each for each in self.members if address not in each]
                yield address, other_node(address, nodename, owner)

    def joined(self, nodes: Iterable[LiveObject]) -> list[TalosMachine]:
        """One machine for each node."""
        groups = [*self.members, *(each.names for each in self.named.values())]
        groups += [{each.name, *(str(entry.get("address", "")) for entry in each.mappings("status", "addresses"))} - {""} for each in nodes]
        names = _united(groups)
        machines: dict[int, TalosMachine] = {}
        for machine in self.named.values():
            group = names[next(iter(machine.names))]
            _merge(machines.setdefault(id(group), TalosMachine(names=group)), machine)
        for source, machine in self.placed.items():
            known = self._group_of(source, names, machines) or machine.names
            _merge(machines.setdefault(id(known), TalosMachine(names=known)), machine)
        return [each for each in machines.values() if _has_content(each)]

    def _group_of(self, source: str, names: dict[str, set[str]], machines: dict[int, TalosMachine]) -> set[str] | None:
        """The machine that a place names, or the only one there is."""
        mentioned = {id(names[name]): names[name] for name in names_in(source) if name in names}
        if len(mentioned) == 1:
            return next(iter(mentioned.values()))
        talking = {id(group): group for group in names.values() if id(group) in machines}
        known = talking or {id(group): group for group in names.values()}
        return next(iter(known.values())) if len(known) == 1 and not mentioned else None


def names_in(source: str) -> Iterator[str]:
    """The words of a path, and their parts between dots, hyphens and underscores."""
    for word in _TOKEN.findall(source.replace("/", " ")):
        yield word
        edges = [-1, *(found.start() for found in _EDGE.finditer(word)), len(word)]
        if len(edges) <= _MOST_PARTS:
            yield from (word[first + 1 : last] for number, first in enumerate(edges) for last in edges[number + 1 :])


def _united(groups: Iterable[set[str]]) -> dict[str, set[str]]:
    """Each name with all names of its machine."""
    names: dict[str, set[str]] = {}
    for group in groups:
        known = {id(names[name]): names[name] for name in group if name in names}
        united = max(known.values(), key=len, default=set())
        for name in set(group).union(*(each for each in known.values() if each is not united)):
            united.add(name)
            names[name] = united
    return names


def _has_content(machine: TalosMachine) -> bool:
    return any(getattr(machine, each.name) not in _EMPTY.get(each.name, (None,)) for each in fields(machine) if each.name != "names")


_EMPTY: dict[str, tuple[Any, ...]] = {"service_logs": ({},), "refused": ({},), "extension_numbers": ({},)}


def _merge(into: TalosMachine, machine: TalosMachine) -> None:
    for each in fields(TalosMachine):
        before, after = getattr(into, each.name), getattr(machine, each.name)
        if each.name != "names" and after is not None:
            setattr(into, each.name, _merged(before, after))


def _merged(before: Any, after: Any) -> Any:
    return {**before, **after} if isinstance(before, dict) else before if before is not None else after


_TALOS = "Talos ("
_WORDS = (
    "nvidia", "resourceclaim", "runtimeclassname", "dcgm", "cuda", "node-feature-discovery", "nfd-", "gpu-operator", "gpu-feature-discovery",
    "dra-driver", "vgpu", "mps-control", "hami",
)  # fmt: skip
"""Words of objects that concern GPUs. A bare `gpu` is not among them: every pod on the node gpu-1 has it."""
_ABOUT_ALL = frozenset({"Event"})
KEPT = frozenset({
    "Node", "Namespace", "RuntimeClass", "ResourceSlice", "ResourceClaim", "ResourceClaimTemplate", "DeviceClass", "DeviceTaintRule", "ResourceQuota",
    "LimitRange", "PersistentVolumeClaim", "ClusterPolicy", "NVIDIADriver", "CustomResourceDefinition",
})  # fmt: skip
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
        return kind not in _DROPPED and (kind in KEPT or kind in _ABOUT_ALL or concerns_gpus(text))

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

    def add_part(self, body: Mapping[str, Any], source: str) -> None:
        """Keep an object of which only some fields were printed, unless it is known whole."""
        key = (str(body["kind"]), str(body["metadata"].get("namespace", "")), str(body["metadata"]["name"]))
        if key not in self._seen or key in self.dump.partial:
            self.add(body, source)
            self.dump.partial.add(key)

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
            self.dump.partial.discard(key)

    def _with_namespaces(self) -> Iterator[tuple[str, LiveObject]]:
        """The events by their subjects. A table without namespaces means the only kept object of the name."""
        namespaces: dict[str, set[str]] = {}
        for kind, namespace, name in self._seen:
            namespaces.setdefault(f"{kind}//{name}", set()).add(namespace)
        for subject, event in self._events:
            found = namespaces.get(subject, set())
            if len(found) != 1 or "" in found:
                yield subject, event
                continue
            about = {**event.mapping("involvedObject"), "namespace": next(iter(found))}
            placed = LiveObject({**event.body, "involvedObject": about}, event.source)
            yield _subject(placed), placed

    def finish(self) -> Dump:
        """The dump, with the events about kept objects, and one machine for each node."""
        objects = self.dump.objects
        for read in self._seen.values():
            objects.setdefault(read.kind, []).append(read)
        kept = {f"{each.kind}/{each.namespace}/{each.name}" for each in self._seen.values()}
        uids = set()
        for subject, event in self._with_namespaces():
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


_DIGITS = pattern(r"[0-9]{1,30}")


def _revision(read: LiveObject) -> int:
    version = f"{read.at('metadata', 'resourceVersion') or ''}"
    return int(version) if _DIGITS.fullmatch(version) else 0
