"""Placements: pod templates and parts of charts, with their node selection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..agents.agents import Agent, agents
from ..model import Inputs, Path, Read, question
from ..pods.workloads import workloads


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Placement:
    """Pods with their node selection and its path. `agent` is set for the pods of a chart's part."""

    about: Read
    base: Path
    spec: Mapping[str, Any]
    agent: Agent | None = None
    is_nvidia: bool = True
    is_daemon_set: bool = False


@question
def placements(inputs: Inputs) -> list[Placement]:
    """Every placement with a node selection; a rendered DaemonSet counts as a pod template."""
    result = [
        Placement(about=each.about, base=each.path, spec=each.spec, is_nvidia=each.is_nvidia, is_daemon_set=each.kind == "DaemonSet")
        for each in workloads(inputs)
        if "nodeSelector" in each.spec or "affinity" in each.spec
    ]
    for agent in agents(inputs):
        if agent.release is not None:
            known = {key: agent.value(key) for key in ("nodeSelector", "affinity")}
            result.append(Placement(about=agent.about, base=agent.base, spec=known, agent=agent, is_daemon_set=True))
    return result
