"""The steps of one hop in order, the time in which its nodes offer no GPU, and the text of a plan: that time, the order
and the way back, then the steps of each release.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...arguments.commands import command
from ...upstream.talos import releases as talos_releases
from ...upstream.talos.features import OMNI_REFUSES
from ...upstream.talos.generations import CDI_LAYOUT, CLASS_HANDLER
from .node_steps import AFTER, BEFORE, READY, REST, UPGRADE
from .route_steps import MANIFESTS, MOVE, OFFERED, PROVEN, REMOVE_OPERATOR, REMOVE_PLUGIN, REMOVE_RUNTIME_CLASS
from .step import Hop, Outage, Row, UpgradePhase, UpgradeRoute, UpgradeStep, Variable
from .tools import TALOSCTL
from .words import commands, say

_OF_A_NODE = ("NODE", "ADDRESS", "MACHINE")
_REPEATED = "The steps for the other nodes repeat this for each of them. At all other steps every node of the class offers its GPUs."
_HELM = " RELEASE, KIND, NAME and NAMESPACE are those of the Helm release or object in the command."
_MANIFESTS = Variable("MANIFESTS", "dist", "the folder of your manifests")
_HEADINGS = {
    UpgradePhase.BEFORE: "Before",
    UpgradePhase.UPGRADE: "One node first",
    UpgradePhase.AFTER: "After its upgrade, on this node",
    UpgradePhase.REST: "The other nodes",
    UpgradePhase.CLUSTER: "When all nodes of the class run Talos {new}",
}

Parts = Sequence[tuple[Hop, list[UpgradeStep]]]
"""The hops of a plan with their steps."""


def steps_of(hop: Hop, first: int) -> list[UpgradeStep]:
    """All steps of a hop, in order, numbered from `first` on."""
    changes, moves = (MANIFESTS, OFFERED, PROVEN) * hop.changes_manifests, MOVE * hop.changes_route
    before = _steps(hop.at(UpgradePhase.BEFORE), (*BEFORE, *moves * hop.moves_first, *READY))
    one = _steps(hop.at(UpgradePhase.UPGRADE), UPGRADE)
    one += _steps(hop.at(UpgradePhase.AFTER), (*AFTER, *(OFFERED, PROVEN) * (not changes)))
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
    removals = () if hop.before.dra else (REMOVE_PLUGIN.title, REMOVE_OPERATOR.title)
    for step in steps:
        if begin is None and (step.phase is UpgradePhase.UPGRADE or step.title in removals):
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


def plan_text(parts: Parts) -> str:
    """The plan as a Markdown checklist."""
    lines = [title_of(parts), ""]
    lines += ["## When these nodes offer no GPU", ""]
    for outage in (outage for hop, steps in parts for outage in outages_of(hop, steps)):
        lines.append(f"- Steps {outage.first} to {outage.last} ({outage.hop}): {outage.nodes}. {outage.pods}")
    lines += ["", _REPEATED, ""]
    if order := "\n\n".join(_order(parts)):
        lines += ["## Why this order", "", order, ""]
    lines += ["## The way back", "", *_ways_back(parts), "", "## Before you begin", "", "\n\n".join(_introduction(parts)), ""]
    for hop, steps in parts:
        lines += [f"## {hop.name}", ""]
        for phase, heading in _HEADINGS.items():
            if items := [step.markdown for step in steps if step.phase is phase]:
                lines += [f"### {say(hop, heading)}", "", "\n\n".join(items), ""]
    return "\n".join(lines).rstrip() + "\n"


def title_of(parts: Parts) -> str:
    """The title of a plan."""
    nodes, talos = parts[0][0].before, parts[-1][0].new
    named = f" of the class '{nodes.name}'" if nodes.name else ""
    return f"# From Talos {nodes.talos_version} to {talos}, GPU nodes{named}"


def variables_of(parts: Parts) -> list[Variable]:
    """The shell variables that the commands of a plan name, with the values that are known in place of examples."""
    text = "\n".join(command for _, steps in parts for step in steps for command in step.commands)
    hop = parts[0][0]
    named = [variable for variable in (*hop.tool.variables, _MANIFESTS) if f"${variable.name}" in text]
    return [each._replace(example=_first(hop, each)) for each in named]


def _first(hop: Hop, variable: Variable) -> str:
    known = hop.export(variable.name, 0)
    value = variable.example if known is None else known or f"FIRST_{variable.name}"
    return str(command("{name}", name=value))


def _order(parts: Parts) -> Iterator[str]:
    first = parts[0][0]
    if moving := next((hop for hop, _ in parts if hop.changes_route), None):
        yield say(moving, _order_of_routes(moving))
    crossing = next((hop for hop, _ in parts if hop.leaves_legacy_root), None)
    if crossing is not None and crossing.route_of_nodes is UpgradeRoute.STANDALONE:
        yield (
            f"Sidero's page on the upgrade to Talos {CDI_LAYOUT.first} uninstalls the device plugin and deletes the "
            f"RuntimeClass before the upgrade, because it then installs the operator. This plan keeps both during the "
            f"upgrade: they work {CLASS_HANDLER.when} without a change, and without them no node offers a GPU until "
            f"the last node is upgraded."
        )
    if crossing is not None and crossing.changes_manifests:
        yield (
            f"The operator's values for Talos 1.12 and for 1.13 exclude each other, so the nodes lack GPUs while the "
            f"class is upgraded to Talos {crossing.new}. With many nodes, go by the device plugin instead: a plan with "
            f"--new-route standalone to {crossing.new} changes the route in minutes before the upgrade, and a second "
            f"plan from there with --route standalone --new-route operator changes it back in minutes."
        )
    newest = first.old.release.newest
    if first.is_minor and first.old.patch is not None and str(first.old) != newest:
        yield (
            f"Sidero's page begins with the newest patch of the present release, {newest}. This plan leaves it out, "
            f"because that is one more reboot of each node. To follow the page, run a plan to {newest} first."
        )


def _order_of_routes(hop: Hop) -> str:
    is_from_operator = hop.route is UpgradeRoute.OPERATOR
    if hop.before.dra:
        stays = "The DRA driver stays and advertises the GPUs"
        if is_from_operator:
            return f"The operator is removed before the first upgrade. {stays}, so no later step waits for manifests."
        return f"The operator is installed after the last upgrade. {stays}."
    if is_from_operator:
        return (
            "The device plugin replaces the operator before the first upgrade: its manifests are the same "
            f"{CLASS_HANDLER.when}, so no later step waits for manifests."
        )
    if hop.moves_first:
        return (
            "The operator replaces the device plugin on Talos {old}, before the last upgrade: both work there, and "
            "only the operator works on Talos {new_minor}."
        )
    return "The operator replaces the device plugin after the last upgrade, within minutes."


def _ways_back(parts: Parts) -> Iterator[str]:
    for hop, steps in parts:
        upgrade = next(step for step in steps if step.phase is UpgradePhase.UPGRADE)
        belongs = f"The same manifests belong with Talos {hop.old} and {hop.new}."
        if hop.changes_manifests:
            applied = _manifests(hop, UpgradePhase.CLUSTER, steps)
            belongs = (
                f"The manifests before step {applied} belong with Talos {hop.old}, those after it with {hop.new}: "
                f"apply the older ones again first."
            )
        if hop.changes_route:
            phase, where = (UpgradePhase.BEFORE, "before") if hop.moves_first else (UpgradePhase.CLUSTER, "after")
            rows = (REMOVE_PLUGIN, REMOVE_RUNTIME_CLASS, REMOVE_OPERATOR)
            first = next(step.number for step in steps if step.title in [row.title for row in rows])
            belongs += (
                f" The change of the route in steps {first} to {_manifests(hop, phase, steps)} comes {where} the "
                f"upgrade, and each of these steps has a way back of its own."
            )
        yield f"- {hop.name}: step {upgrade.number} says how a node returns to Talos {hop.old}. {belongs}"
    yield from (
        "",
        "A node returns by one release only, so finish the nodes of a release, and watch them for as long as you want, "
        "before the next release. Keep the output of cdk8s synth for each Talos in a commit of its own.",
        "",
        "A cluster with one node: kubectl does not answer while the node reboots, a drained pod waits until the node "
        "is back, and etcd has no second member. The snapshot must be on another machine before the upgrade.",
    )


def _manifests(hop: Hop, phase: UpgradePhase, steps: Sequence[UpgradeStep]) -> int:
    """The number of the step that applies the manifests in a phase."""
    title = say(hop.at(phase), MANIFESTS.title)
    return next(step.number for step in steps if (step.phase, step.title) == (phase, title))


def _introduction(parts: Parts) -> Iterator[str]:
    tool = parts[0][0].tool
    used = variables_of(parts)
    names = [f"${variable.name}" for variable in used if variable.name in _OF_A_NODE]
    of_nodes = " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    yield tool.introduction
    yield "Set these variables in the shell first, with your own values:"
    yield f"    export {' '.join(f'{variable.name}={variable.example}' for variable in used)}"
    meanings = "; ".join(f"{variable.name} is {variable.meaning}" for variable in used)
    yield f"{meanings}.{_HELM if any(hop.changes_route for hop, _ in parts) else ''}"
    yield (
        f"One node goes through the steps of a release first, then the others. A command with {of_nodes} runs once for "
        f"each node. Every other command runs once for the cluster."
    )
    yield (
        f"For a Talos without its patch the plan uses the newest patch that this library knows (tables of "
        f"{talos_releases.READ_ON}). Remove objects of a GitOps tool from its repository, or the tool creates the "
        f"objects again."
    )
    if tool is TALOSCTL:
        yield (
            f"Omni refuses these subcommands of talosctl: {', '.join(OMNI_REFUSES)}, rollback, and get machineconfig. "
            f"For a cluster of Omni print the plan with --for omni."
        )
