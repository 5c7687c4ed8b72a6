"""The steps of one hop in order, numbered, and the time in which its nodes offer no GPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .hop import Hop, Row
from .node_steps import AFTER, BEFORE, READY, REST, UPGRADE
from .route_steps import MANIFESTS, MOVE, OFFERED, REMOVE_OPERATOR, REMOVE_PLUGIN
from .step import Outage, UpgradePhase, UpgradeStep
from .words import commands, say


def steps_of(hop: Hop, first: int) -> list[UpgradeStep]:
    """All steps of a hop, in order, numbered from `first` on."""
    changes, moves = (MANIFESTS, OFFERED) * hop.changes_manifests, MOVE * hop.changes_route
    before = _steps(hop.at(UpgradePhase.BEFORE), (*BEFORE, *moves * hop.moves_first, *READY))
    one = _steps(hop.at(UpgradePhase.UPGRADE), UPGRADE)
    one += _steps(hop.at(UpgradePhase.AFTER), (*AFTER, *(OFFERED,) * (not changes)))
    start = first + len(before)
    rest = _steps(hop.at(UpgradePhase.REST, first=start, last=start + len(one) - 1), REST)
    last = _steps(hop.at(UpgradePhase.CLUSTER), (*changes, *moves * (not hop.moves_first)))
    return [replace(step, number=number) for number, step in enumerate([*before, *one, *rest, *last], first)]


def _steps(hop: Hop, rows: Sequence[Row]) -> list[UpgradeStep]:
    """The steps of a table that a hop has in its phase."""
    return [
        UpgradeStep(
            hop=hop.name,
            phase=hop.phase,
            action=row.action,
            title=say(hop, row.title),
            reason=say(hop, row.reason),
            commands=tuple(map(str, commands(hop, row.commands))),
            check=say(hop, row.check),
            way_back=say(hop, row.way_back),
        )
        for row in rows
        if row.when(hop)
    ]


def outages_of(hop: Hop, steps: Sequence[UpgradeStep]) -> list[Outage]:
    """The steps of a hop between which GPUs are not offered."""
    outages, begin = [], None
    for step in steps:
        removes = not hop.before.dra and step.title in (REMOVE_PLUGIN.title, REMOVE_OPERATOR.title)
        if begin is None and (step.phase is UpgradePhase.UPGRADE or removes):
            begin = step
        elif begin is not None and step.title == OFFERED.title:
            nodes, pods = _affected(hop, begin, step)
            outages.append(Outage(hop=hop.name, first=begin.number, last=step.number, nodes=nodes, pods=pods))
            begin = None
    return outages


def _affected(hop: Hop, begin: UpgradeStep, end: UpgradeStep) -> tuple[str, str]:
    """The nodes without GPUs between two steps, and the pods that notice it."""
    if begin.phase is not UpgradePhase.UPGRADE:
        return "all GPU nodes of the cluster", (
            "GPU pods that start in this time stay Pending. Running pods keep their GPUs. Nodes of other classes are "
            "affected if the same component advertises their GPUs."
        )
    if end.phase is UpgradePhase.CLUSTER:
        return "each node from its own upgrade on", (
            "The GPU pods of an upgraded node stay Pending, or start on a node that is not upgraded yet. The chart's "
            "values are for the whole cluster and for one generation of Talos, so no node can go through all steps "
            "first."
        )
    if hop.after.count == 1:
        return "the only node of the class", "Its pods are evicted, and its GPU pods stay Pending."
    return "one node at a time", (
        "Its pods are evicted, and start on other nodes of the class with free GPUs; without such a node they stay Pending."
    )
