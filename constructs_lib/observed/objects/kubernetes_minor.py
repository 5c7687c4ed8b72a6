"""Kubernetes versions, and the feature gate of DRA."""

from __future__ import annotations

import re
from typing import Any

from ..model import Inputs, question


def minor_of(version: Any) -> int | None:
    """The minor of a version such as v1.35.4; None for an unreadable version."""
    match = re.match(r"v?1\.(\d+)", version) if isinstance(version, str) else None
    return int(match[1]) if match else None


@question
def has_dra_gate(inputs: Inputs) -> bool:
    """Whether a node configuration names the feature gate DynamicResourceAllocation, which old Kubernetes has off by
    default."""
    return any("DynamicResourceAllocation" in str(config.body) for config in inputs.node_configs)
