"""The text of an upgrade plan: the time without GPUs, the order and the way back at its top, then the steps of each release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..upstream.talos import releases as talos_releases
from ..upstream.talos.features import CDI_LAYOUT, OMNI_REFUSES
from .upgrade_hops import Hop
from .upgrade_step import UpgradePhase, UpgradeRoute, UpgradeStep, UpgradeTool
from .upgrade_talosctl import Variable

if TYPE_CHECKING:
    from .upgrade import UpgradePlan

_OF_A_NODE = ("NODE", "ADDRESS", "MACHINE")

Parts = Sequence[tuple[Hop, list[UpgradeStep]]]

_HELM = " RELEASE, KIND, NAME and NAMESPACE are those of the Helm release or object in the command."
_MANIFESTS = Variable("MANIFESTS", "dist", "the folder of your manifests")


def plan_text(plan: UpgradePlan, parts: Parts) -> str:
    """The plan as a Markdown checklist."""
    named = f" of the class '{plan.nodes.name}'" if plan.nodes.name else ""
    lines = [f"# From Talos {plan.nodes.talos_version} to {plan.to}, GPU nodes{named}", ""]
    lines += ["## When these nodes offer no GPU", "", *_outages(plan), ""]
    order = _order(plan, parts)
    lines += ["## Why this order", "", *order, ""] if order else []
    lines += ["## The way back", "", *_ways_back(parts), "", "## Before you begin", "", *_introduction(plan, parts), ""]
    for hop, steps in parts:
        lines += [f"## {hop.name}", ""]
        for phase, heading in _headings(hop).items():
            items = [step.markdown for step in steps if step.phase is phase]
            if items:
                lines += [f"### {heading}", "", "\n\n".join(items), ""]
    return "\n".join(lines).rstrip() + "\n"


def _headings(hop: Hop) -> dict[UpgradePhase, str]:
    return {
        UpgradePhase.BEFORE: "Before",
        UpgradePhase.UPGRADE: "One node first",
        UpgradePhase.AFTER: "After its upgrade, on this node",
        UpgradePhase.REST: "The other nodes",
        UpgradePhase.CLUSTER: f"When all nodes of the class run Talos {hop.after.talos_version}",
    }


def _outages(plan: UpgradePlan) -> list[str]:
    lines = [f"- Steps {outage.first} to {outage.last} ({outage.hop}): {outage.nodes}. {outage.pods}" for outage in plan.outages]
    return [
        *lines,
        "",
        "The steps for the other nodes repeat this for each of them. At all other steps every node of the class offers its GPUs.",
    ]


def _order(plan: UpgradePlan, parts: Parts) -> list[str]:
    lines: list[str] = []
    if plan.route is not plan.new_route:
        hop = next(hop for hop, _ in parts if hop.changes_route)
        if plan.nodes.dra:
            lines.append(_order_with_dra(hop))
        elif plan.route is UpgradeRoute.OPERATOR:
            lines.append(
                "The device plugin replaces the operator before the first upgrade: its manifests are the same for every Talos up to 1.14, so no later "
                "step waits for manifests."
            )
        elif hop.moves_first:
            lines.append(
                f"The operator replaces the device plugin on Talos {hop.before.talos_version}, before the last upgrade: both work there, and only the "
                f"operator works on Talos {hop.after.talos_version.minor_version}."
            )
        else:
            lines.append("The operator replaces the device plugin after the last upgrade, within minutes.")
    crossing = next((hop for hop, _ in parts if hop.leaves_legacy_root), None)
    if crossing is not None and crossing.route_of_nodes is UpgradeRoute.STANDALONE:
        lines.append(
            f"Sidero's page on the upgrade to Talos {CDI_LAYOUT.first} uninstalls the device plugin and deletes the RuntimeClass before the upgrade, "
            "because it then installs the operator. This plan keeps both during the upgrade: they work on Talos 1.13 and 1.14 without a change, and "
            "without them no node offers a GPU until the last node is upgraded."
        )
    if crossing is not None and crossing.changes_manifests:
        lines.append(
            "The operator's values for Talos 1.12 and for 1.13 exclude each other, so the nodes lack GPUs while the class is upgraded to Talos "
            f"{crossing.after.talos_version}. With many nodes, go by the device plugin instead: a plan with --new-route standalone to "
            f"{crossing.after.talos_version} changes the route in minutes before the upgrade, and a second plan from there with --route standalone "
            "--new-route operator changes it back in minutes."
        )
    release = plan.nodes.talos_version.release
    if (
        plan.nodes.talos_version.patch is not None
        and str(plan.nodes.talos_version) != release.newest
        and len(parts) > 0
        and parts[0][0].is_minor
    ):
        lines.append(
            f"Sidero's page begins with the newest patch of the present release, {release.newest}. This plan leaves it out, because that is one more "
            f"reboot of each node. To follow the page, run a plan to {release.newest} first."
        )
    return [line for paragraph in lines for line in (paragraph, "")][:-1]


def _order_with_dra(hop: Hop) -> str:
    if hop.route is UpgradeRoute.OPERATOR:
        return "The operator is removed before the first upgrade. The DRA driver stays and advertises the GPUs, so no later step waits for manifests."
    return "The operator is installed after the last upgrade. The DRA driver stays and advertises the GPUs."


def _ways_back(parts: Parts) -> list[str]:
    lines = []
    for hop, steps in parts:
        upgrade = next(step for step in steps if step.phase is UpgradePhase.UPGRADE)
        old, new = hop.before.talos_version, hop.after.talos_version
        if hop.changes_manifests:
            belongs = f"The manifests before step {_applied(steps)} belong with Talos {old}, those after it with {new}: apply the older ones again first."
        else:
            belongs = f"The same manifests belong with Talos {old} and {new}."
        if hop.changes_route:
            where = "before" if hop.moves_first else "after"
            belongs += f" The change of the route in steps {_moves(steps)} comes {where} the upgrade, and each of these steps has a way back of its own."
        lines.append(f"- {hop.name}: step {upgrade.number} says how a node returns to Talos {old}. {belongs}")
    lines += [
        "",
        (
            "A node returns by one release only, so finish the nodes of a release, and watch them for as long as you want, before the next release. Keep "
            "the output of cdk8s synth for each Talos in a commit of its own."
        ),
        "",
        (
            "A cluster with one node: kubectl does not answer while the node reboots, a drained pod waits until the node is back, and etcd has no second "
            "member. The snapshot must be on another machine before the upgrade."
        ),
    ]
    return lines


def _applied(steps: list[UpgradeStep]) -> int:
    return next(step.number for step in steps if step.phase is UpgradePhase.CLUSTER and step.title.startswith("Apply the manifests"))


def _moves(steps: list[UpgradeStep]) -> str:
    from .upgrade_hops import OPERATOR, PLUGIN

    first = next(step.number for step in steps if step.title in (PLUGIN, OPERATOR) or step.title.startswith("Delete the RuntimeClass"))
    last = next(step.number for step in steps if step.number > first and step.title.startswith("Apply the manifests"))
    return f"{first} to {last}"


def _introduction(plan: UpgradePlan, parts: Parts) -> list[str]:
    tool = parts[0][0].tool
    text = "\n".join(command for _, steps in parts for step in steps for command in step.commands)
    used = [variable for variable in (*tool.variables, _MANIFESTS) if f"${variable.name}" in text]
    exports = " ".join(f"{variable.name}={variable.example}" for variable in used)
    meanings = "; ".join(f"{variable.name} is {variable.meaning}" for variable in used)
    names = [f"${variable.name}" for variable in used if variable.name in _OF_A_NODE]
    of_nodes = " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    lines = [
        tool.introduction, "", "Set these variables in the shell first, with your own values:", "", f"    export {exports}", "",
        f"{meanings}.{_HELM if plan.route is not plan.new_route else ''}",
        "",
        (f"One node goes through the steps of a release first, then the others. A command with {of_nodes} runs once for each node. "
        "Every other command runs once for the cluster."),
        "",
        (f"For a Talos without its patch the plan uses the newest patch that this library knows (tables of {talos_releases.READ_ON}). Remove objects of "
        "a GitOps tool from its repository, or the tool creates the objects again."),
    ]  # fmt: skip
    if plan.tool is UpgradeTool.TALOSCTL:
        refused = ", ".join(OMNI_REFUSES)
        lines += [
            "",
            f"Omni refuses these subcommands of talosctl: {refused}, rollback, and get machineconfig. For a cluster of Omni print the plan with --for omni.",
        ]
    return lines
