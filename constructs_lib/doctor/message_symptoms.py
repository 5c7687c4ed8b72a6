"""Symptoms in a message: of an event, a condition or the state of a container."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from ..checks.symptoms.log_search import LogSearch, Match
from ..checks.symptoms.symptom_table import SYMPTOMS
from ..observed.model.evidence import Evidence
from ..observed.model.log import Log, LogKind
from .fault import Fault
from .symptom_faults import symptom_fault


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
