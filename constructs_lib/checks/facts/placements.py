"""What wants something of its node: pod templates, and the parts of charts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..model import Inputs, Path, Read, question
from .agents import Agent, agents
from .workloads import workloads


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Placement:
    """Pods that want something of their node, and where that stands. `agent` is the part of a chart that they are."""

    about: Read
    base: Path
    spec: Mapping[str, Any]
    agent: Agent | None = None
    is_nvidia: bool = True
    is_daemon_set: bool = False


@question
def placements(inputs: Inputs) -> list[Placement]:
    """All of them; a DaemonSet that was rendered is a pod template."""
    found = [
        Placement(about=each.about, base=each.path, spec=each.spec, is_nvidia=each.is_nvidia, is_daemon_set=each.kind == "DaemonSet")
        for each in workloads(inputs)
    ]
    for agent in agents(inputs):
        if agent.release is not None:
            known = {key: agent.value(key) for key in ("nodeSelector", "affinity")}
            found.append(Placement(about=agent.about, base=agent.base, spec=known, agent=agent, is_daemon_set=True))
    return found
