"""Placements: pods with their node selection, and whether they can run on a node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..agents.agents import Agent, agents
from ..model import Answer, Inputs, Path, Read, Unknown, all_of, at, question
from ..nodes.node import Node
from ..pods.workloads import workloads
from .selection import selection_of, tolerates


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Placement:
    """Pods with their node selection and its path. `agent` is set for the pods of a chart's part."""

    about: Read
    base: Path
    spec: Mapping[str, Any]
    agent: Agent | None = None
    is_nvidia: bool = True


@question
def placements(inputs: Inputs) -> list[Placement]:
    """Every placement with a node selection; a rendered DaemonSet counts as a pod template."""
    result = [
        Placement(about=each.about, base=each.path, spec=each.spec, is_nvidia=each.is_nvidia)
        for each in workloads(inputs)
        if "nodeSelector" in each.spec or "affinity" in each.spec
    ]
    for agent in agents(inputs):
        if agent.release is not None:
            known = {key: agent.value(key) for key in ("nodeSelector", "affinity")}
            result.append(Placement(about=agent.about, base=agent.base, spec=known, agent=agent))
    return result


def runs_on(spec: Mapping[str, Any], node: Node, *, is_whole: bool = True) -> Answer:
    """Whether selector, affinity and tolerations let pods onto a node.

    A spec that is not whole may have further tolerations.
    """
    listed = at(spec, "tolerations")
    tolerated = all_of(tolerates(listed if is_whole else Unknown(), each) for each in node.keeping_off)
    return all_of([selection_of(spec).selects(node), tolerated])
