"""Faults from the symptoms that a log, an event, a condition or the state of a container shows, in the symptom's own
words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache

from ..arguments.commands import command
from ..observed.model.evidence import Evidence, Log, LogKind
from ..symptoms.link import Link, Strength, Symptom
from ..symptoms.log_search import LogSearch, Match
from ..symptoms.symptom_table import SYMPTOMS
from .fault import Advice, Fault, Fix

_ORDER = {
    each.name: order for order, each in enumerate(sorted(SYMPTOMS, key=lambda each: (list(Link).index(each.link or Link.SEEN), each.rank)))
}
"""The symptoms from the lowest link up, each before those that follow from it."""


def order_of(symptom: Symptom) -> int:
    """The order of a symptom among those of its link; a rule's own words come last."""
    return _ORDER.get(symptom.name, len(_ORDER))


def symptom_matches(logs: Iterable[Log | None], *links: Link) -> Iterator[tuple[Match, Log]]:
    """The matches of logs that break one of these links, each symptom once. A symptom comes before those that follow
    from it."""
    first: dict[str, tuple[Match, Log]] = {}
    for log in filter(None, logs):
        for match in log.matches:
            if match.symptom.link in links:
                first.setdefault(match.symptom.name, (match, log))
    return (first[name] for name in sorted(first, key=_ORDER.__getitem__))


def symptom_fault(match: Match, log: Log, *, consequence: str = "", fix: Fix | None = None, is_of_pod: bool = False) -> Fault:
    """The fault of a symptom: its cause, remedy, first command and rules, with the line of the log as the evidence. A
    given fix replaces the remedy."""
    symptom = match.symptom
    return Fault(
        name=symptom.name,
        cause=f"{match.title}. {symptom.cause}" if symptom.cause else f"The symptom of a broken rule {symptom.name}: {match.title}",
        evidence=(log.evidence(match),),
        consequence=consequence or (symptom.link.consequence if symptom.link else ""),
        fix=fix or Advice(symptom.remedy),
        verify=symptom.commands[0] if symptom.commands else command("talos-gpu check --explain {rule}", rule=symptom.name),
        source=symptom.source,
        rules=symptom.rules,
        is_of_pod=is_of_pod,
        is_hardware=symptom.is_hardware,
        is_sure=match.strength is Strength.SURE,
    )


@cache
def _search() -> LogSearch:
    return LogSearch(SYMPTOMS)


def message_matches(message: str) -> list[Match]:
    """The symptoms in a message, the best first."""
    return _search().search([(1, message)])


def message_fault(evidence: Evidence, *, consequence: str = "", is_of_pod: bool = False) -> Fault | None:
    """The fault of the best symptom in a message that was read; None where the message has none."""
    matches = message_matches(evidence.text)
    if not matches:
        return None
    log = Log(kind=LogKind.UNKNOWN, source=evidence.source, matches=tuple(matches), lines=1)
    fault = symptom_fault(matches[0], log, consequence=consequence, is_of_pod=is_of_pod)
    return replace(fault, evidence=(evidence,))
