"""The machines while they are read: talosctl names a node by the address that its user gave, and some outputs name
none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from ...model.live_object import LiveObject
from ...model.node_addresses import addresses_of, other_node, parsed
from ...model.talos_machine import TalosMachine

_EDGE = re.compile(r"[._-]")
_MOST_PARTS = 32
_TOKEN = re.compile(r"[\w.:-]+")


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
