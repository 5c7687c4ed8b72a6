"""The diagnosis: the causes in the order in which they must be mended, with all that follows from each, and what could
not be known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..arguments.commands import Command
from ..symptoms.link import Link
from .card_state import MINOR_SIGNS, card_remarks
from .cause import Cause, place
from .chain import Chain, walk
from .fault import Fault
from .gpu_cluster import GpuCluster
from .log_causes import log_causes
from .table_causes import table_causes

_FEW = 3
"""The most causes that are told each by itself though they differ only in a value."""


@dataclass(kw_only=True, slots=True)
class Unseen:
    """A link that could not be judged for some subjects, and the command whose output would tell."""

    link: Link
    command: Command
    subjects: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnosis:
    """The causes and the unknown links that the chains of a cluster show."""

    cluster: GpuCluster
    chains: tuple[Chain, ...]
    causes: tuple[Cause, ...]
    """The causes, those of the lowest links first."""
    unseen: tuple[Unseen, ...]
    healthy: int
    """The number of links that hold."""


def diagnose(cluster: GpuCluster) -> Diagnosis:
    """Walk the chains of the cluster."""
    chains = walk(cluster)
    return Diagnosis(
        cluster=cluster,
        chains=tuple(chains),
        causes=(*(_causes(chains) or log_causes(cluster, chains) or table_causes(cluster)), *_of_cards(cluster)),
        unseen=tuple(_unseen(chains)),
        healthy=sum(each.healthy for each in chains),
    )


def _of_cards(cluster: GpuCluster) -> Iterator[Cause]:
    """The signs of cards that run programs: slower, with errors, or with less memory than they have."""
    causes: dict[tuple[str, str], Cause] = {}
    for node in cluster.nodes:
        for fault in (each for each in card_remarks(cluster, node) if each.name not in MINOR_SIGNS):
            causes.setdefault((fault.name, fault.cause), Cause(link=None, fault=fault)).subjects.append(node.name)
    return iter(causes.values())


def _causes(chains: list[Chain]) -> list[Cause]:
    causes: dict[tuple[Link, str, str], Cause] = {}
    of_node: dict[str, list[Cause]] = {}
    for chain in chains:
        link, broken = chain.broken or (None, None)
        for fault in broken.faults if link and broken else ():
            cause = causes.setdefault((link, fault.name, fault.cause), Cause(link=link, fault=fault)) if link else None
            if cause is not None:
                cause.subjects.append(chain.subject)
                cause.about.update(dict.fromkeys(fault.about))
                if not chain.is_of_pod:
                    of_node.setdefault(chain.node, []).append(cause)
    for chain in chains:
        nodes = chain.follows.nodes if chain.follows else ()
        for cause in {id(cause): cause for node in nodes for cause in of_node.get(node, ())[:1]}.values():
            cause.followers.append(chain.subject)
    return sorted(_merged(causes.values()), key=lambda each: (place(each.link), -len(each.subjects) - len(each.followers), each.fault.name))


def _merged(causes: Iterable[Cause]) -> Iterator[Cause]:
    """The causes; more than a few with the same general fault are one."""
    groups: dict[tuple[Link | None, str, str], list[Cause]] = {}
    for each in causes:
        told = each.fault.general or each.fault
        groups.setdefault((each.link, told.name, told.cause), []).append(each)
    for group in groups.values():
        general = group[0].fault.general
        yield from group if general is None or len(group) <= _FEW else (_one(general, group),)


def _one(general: Fault, group: list[Cause]) -> Cause:
    return Cause(
        link=group[0].link,
        fault=general,
        subjects=[each for cause in group for each in cause.subjects],
        followers=list(dict.fromkeys(each for cause in group for each in cause.followers)),
        about={each: None for cause in group for each in cause.about},
    )


def _unseen(chains: list[Chain]) -> list[Unseen]:
    unseen: dict[tuple[Link, Command], Unseen] = {}
    for chain in chains:
        for link, state in chain.not_seen:
            unseen.setdefault((link, state.command), Unseen(link=link, command=state.command)).subjects.append(chain.subject)
    return sorted(unseen.values(), key=lambda each: place(each.link))
