"""A dump: everything that was read of one cluster, before anything is concluded from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .evidence import Log
from .live_object import LiveObject
from .table_row import TableRow
from .talos_machine import TalosMachine


@dataclass(frozen=True, kw_only=True, slots=True)
class Unread:
    """A place that was given and not read, with the reason."""

    source: str
    reason: str


@dataclass(kw_only=True, slots=True)
class Dump:
    """The objects, machines and logs that were read. Readers add to it; the links only read it."""

    objects: dict[str, list[LiveObject]] = field(default_factory=dict)
    """The objects of Kubernetes by kind. Pods that have nothing to do with GPUs are counted and not kept."""
    counts: dict[str, int] = field(default_factory=dict)
    """The number of objects that were read, by kind."""
    partial: set[tuple[str, str, str]] = field(default_factory=set)
    """The kind, namespace and name of objects of which only some fields were printed, as by `kubectl describe`: what they
    lack may be there.
    """
    listed: set[str] = field(default_factory=set)
    """The kinds of which the whole list was read, so that a missing object does not exist. A kind with an object
    counts; an empty list counts if its kind was named.
    """
    system_nodes: set[str] = field(default_factory=set)
    """The nodes of which a running pod of kube-system was read. A list of pods without one of a node may be filtered:
    nothing is known to be absent there.
    """
    rows: list[TableRow] = field(default_factory=list)
    """The rows of tables of kubectl, whose objects were not read by them."""
    machines: list[TalosMachine] = field(default_factory=list)
    logs: list[Log] = field(default_factory=list)
    """The logs of containers, and those of unknown programs."""
    unknown: list[Log] = field(default_factory=list)
    """Lines without a known form, in which nothing is known: the first ones are kept, to tell who says them."""
    unread: list[Unread] = field(default_factory=list)
    cut: set[str] = field(default_factory=set)
    """The places whose text ends within a list or an object."""
    failed: dict[str, set[str]] = field(default_factory=dict)
    """By program, the kinds that kubectl failed to list, and the nodes on which talosctl failed."""
    is_other_system: LiveObject | None = None
    """A node that runs another system than Talos, if no node runs Talos."""

    def of_kind(self, *kinds: str) -> list[LiveObject]:
        """The objects of these kinds."""
        return [each for kind in kinds for each in self.objects.get(kind, ())]

    def get(self, kind: str, name: str, namespace: str = "") -> LiveObject | None:
        """The object of this kind, name and namespace."""
        return next((each for each in self.of_kind(kind) if each.name == name and each.namespace == namespace), None)

    def machine(self, names: Iterable[str]) -> TalosMachine | None:
        """The machine with one of these names and addresses."""
        wanted = set(names)
        return next((each for each in self.machines if each.names & wanted), None)
