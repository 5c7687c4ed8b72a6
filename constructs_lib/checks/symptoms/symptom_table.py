"""All symptoms: those with pages of their own, and those of the rules."""

from __future__ import annotations

from ..rule_words import WORDS
from .agent_symptoms import AGENT_SYMPTOMS
from .driver_symptoms import DRIVER_SYMPTOMS
from .node_symptoms import NODE_SYMPTOMS
from .pod_symptoms import POD_SYMPTOMS
from .symptom import Symptom, of_rule
from .xid_symptoms import XID_SYMPTOMS

SYMPTOMS: tuple[Symptom, ...] = (*DRIVER_SYMPTOMS, *XID_SYMPTOMS, *NODE_SYMPTOMS, *AGENT_SYMPTOMS, *POD_SYMPTOMS)


def all_symptoms() -> tuple[Symptom, ...]:
    """The symptoms with pages of their own, then those of the rules."""
    return (*SYMPTOMS, *(of_rule(WORDS[name]) for name in sorted(WORDS)))
