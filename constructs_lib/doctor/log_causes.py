"""Causes that logs alone show: symptoms at links that nothing else that was read shows to hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..observed.model.evidence import Log
from ..symptoms.link import POD_LINKS, Strength
from ..symptoms.log_search import Match
from .cause import Cause, place
from .chain import Chain
from .fault import Healthy
from .gpu_cluster import GpuCluster
from .symptom_faults import order_of, symptom_fault

_STRENGTHS = list(Strength)


def log_causes(cluster: GpuCluster, chains: Sequence[Chain]) -> list[Cause]:
    """The surest symptoms at the lowest link of each subject, the lowest links first. A line about a link that was shown to
    hold is history, and a line of a higher link may follow from that of the lower one."""
    of_subject: dict[str, list[tuple[Match, Log]]] = defaultdict(list)
    for log in cluster.all_logs:
        about = _chains_of(cluster, log, chains)
        past = {each.line for each in log.matches if _is_history(cluster, each, about, chains)}  # a line may have several symptoms
        shown = [(each, log) for each in log.matches if each.line not in past]
        of_subject[about[0].subject if len(about) == 1 else _subject(log)] += shown
    causes: dict[str, Cause] = {}
    for subject, matches in of_subject.items():
        for match, log in _lowest(matches):
            cause = causes.setdefault(match.symptom.name, Cause(link=match.symptom.link, fault=symptom_fault(match, log)))
            cause.subjects += [subject] if subject not in cause.subjects else []
    return sorted(causes.values(), key=lambda each: (place(each.link), -len(each.subjects)))


def _lowest(matches: list[tuple[Match, Log]]) -> Iterator[tuple[Match, Log]]:
    """The surest matches, and of these the ones at the lowest link. What is not sure comes with the other causes that its lines can have."""
    best = min(map(_key, matches), default=None)
    lowest = [each for each in matches if _key(each) == best]
    lines = {(log.source, match.line) for match, log in lowest if match.strength is not Strength.SURE}
    unsure = [each for each in matches if each[0].strength is not Strength.SURE and each not in lowest]
    rivals = [each for each in unsure if (each[1].source, each[0].line) in lines]
    return iter(sorted([*lowest, *rivals], key=lambda each: order_of(each[0].symptom)))


def _key(each: tuple[Match, Log]) -> tuple[int, int]:
    match = each[0]
    return _STRENGTHS.index(match.strength), place(match.symptom.link)


def _is_history(cluster: GpuCluster, match: Match, about: Sequence[Chain], chains: Sequence[Chain]) -> bool:
    """Whether the link of a symptom was shown to hold in every chain of the log that has it, else in those of the same
    nodes. Where all pods were listed, and none of a node wants a GPU, a line about a pod there is history, too."""
    link = match.symptom.link
    nodes = {each.node for each in about}
    having = [each for each in about if link in each.links] or [each for each in chains if each.node in nodes and link in each.links]
    if having:
        return all(any(one is link and isinstance(state, Healthy) for one, state in each.states) for each in having)
    if link in POD_LINKS:
        return bool(about) and "Pod" in cluster.dump.listed
    return bool(about) and all(each.is_whole for each in about)


def _chains_of(cluster: GpuCluster, log: Log, chains: Sequence[Chain]) -> Sequence[Chain]:
    """The chain of the pod or the node that a log is about, else that of its pod's node, else all."""
    pods = [each for each in cluster.live_pods if log.pod and each.about.name == log.pod]
    machines = [each.name for each in cluster.all_nodes if log.node and each.machine is not None and log.node in each.machine.names]
    for names in ({each.title for each in pods}, {log.node, *machines, *(each.node for each in pods)} - {""}):
        if about := [each for each in chains if each.subject in names]:
            return about
    return chains


def _subject(log: Log) -> str:
    """The pod or the machine, as the log names it; else the file."""
    return f"pod {'/'.join(filter(None, (log.namespace, log.pod)))}" if log.pod else log.node or log.source
