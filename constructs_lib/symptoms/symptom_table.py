"""All symptoms: those with pages of their own, and those of the rules."""

from __future__ import annotations

import json
from functools import cache
from pkgutil import get_data

from .agent_symptoms import AGENT_SYMPTOMS
from .application_symptoms import APPLICATION_SYMPTOMS
from .card_symptoms import CARD_SYMPTOMS
from .cuda_symptoms import CUDA_SYMPTOMS
from .dra_symptoms import DRA_SYMPTOMS
from .driver_symptoms import DRIVER_SYMPTOMS
from .exporter_symptoms import EXPORTER_SYMPTOMS
from .fabric_symptoms import FABRIC_SYMPTOMS
from .link import Symptom
from .mig_symptoms import MIG_SYMPTOMS
from .mps_symptoms import MPS_SYMPTOMS
from .nccl_symptoms import NCCL_SYMPTOMS
from .node_symptoms import NODE_SYMPTOMS
from .operator_symptoms import OPERATOR_SYMPTOMS
from .pod_symptoms import POD_SYMPTOMS
from .queue_symptoms import QUEUE_SYMPTOMS
from .service_symptoms import SERVICE_SYMPTOMS
from .toolkit_symptoms import TOOLKIT_SYMPTOMS
from .xid_symptoms import XID_SYMPTOMS

SYMPTOMS: tuple[Symptom, ...] = (
    *DRIVER_SYMPTOMS,
    *XID_SYMPTOMS,
    *CARD_SYMPTOMS,
    *SERVICE_SYMPTOMS,
    *NODE_SYMPTOMS,
    *FABRIC_SYMPTOMS,
    *TOOLKIT_SYMPTOMS,
    *AGENT_SYMPTOMS,
    *MIG_SYMPTOMS,
    *MPS_SYMPTOMS,
    *DRA_SYMPTOMS,
    *EXPORTER_SYMPTOMS,
    *OPERATOR_SYMPTOMS,
    *POD_SYMPTOMS,
    *QUEUE_SYMPTOMS,
    *APPLICATION_SYMPTOMS,
    *CUDA_SYMPTOMS,
    *NCCL_SYMPTOMS,
)


@cache
def rule_symptoms() -> dict[str, Symptom]:
    """The symptom of each rule by the rule's id.

    `make docs` writes the table from the rules, so that `talos-gpu why` loads the words of the rules and none of their
    checks.
    """
    rows = json.loads(get_data(__package__, "rules.json") or b"")
    return {name: Symptom(name, None, cause="", rules=(name,), possible=tuple(row.pop("phrases")), **row) for name, row in rows.items()}


def all_symptoms() -> tuple[Symptom, ...]:
    """The symptoms with pages of their own, then those of the rules."""
    return (*SYMPTOMS, *rule_symptoms().values())
