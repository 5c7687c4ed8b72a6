"""`UpgradeStep`: one step of an upgrade plan, with its phase, action, reason, commands, check and way back."""

from __future__ import annotations

from dataclasses import dataclass

from ...upstream.choice import Choice


class UpgradePhase(Choice):
    """The phase of a step. The phases `upgrade` and `after` are for one node, which goes through both before the others
    begin.
    """

    BEFORE = "before"
    UPGRADE = "upgrade"
    AFTER = "after"
    REST = "rest"
    """The other nodes of the class, one at a time."""
    CLUSTER = "cluster"
    """Once for the cluster, when all nodes of the class run the new Talos."""


class UpgradeAction(Choice):
    """The action of a step."""

    CHECK = "check"
    REMOVE = "remove"
    CHANGE = "change"
    APPLY = "apply"


CHECK, REMOVE, CHANGE, APPLY = UpgradeAction


class UpgradeRoute(Choice):
    """The component that advertises the GPUs of a cluster."""

    STANDALONE = "standalone"
    """The device plugin alone."""
    OPERATOR = "operator"
    """NVIDIA's GPU operator."""


class UpgradeTool(Choice):
    """The tool that manages the nodes, and whose commands the plan has."""

    TALOSCTL = "talosctl"
    OMNI = "omni"
    TALHELPER = "talhelper"
    TERRAFORM = "terraform"
    CAPI = "capi"
    """Cluster API, which replaces machines."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UpgradeStep:
    """One step of an `UpgradePlan`. A command with $NODE, $ADDRESS or $MACHINE runs once for each node, every other
    command once for the cluster.

    Example:
        >>> step = UpgradePlan(nodes=GpuNodes(talos_version="1.13.8"), to="1.13.9").steps[-2]
        >>> step.number, step.phase, step.action, step.title
        (8, 'after', 'check', 'Check that the node advertises its GPUs.')
    """

    number: int = 0
    """The place of the step in its plan, from 1 on."""
    hop: str
    """The Talos before and the Talos after, as "1.12 → 1.13"."""
    phase: UpgradePhase
    action: UpgradeAction
    title: str
    reason: str
    commands: tuple[str, ...]
    check: str = ""
    """The sign that the step is done."""
    way_back: str = ""
    """What undoes the step. Empty if the step changes nothing, or if repeating an earlier command undoes it."""

    @property
    def markdown(self) -> str:
        """The step as an item of a Markdown checklist."""
        number = f"{self.number}. " if self.number else ""
        lines = [f"- [ ] **{number}{self.title}** {self.reason}"]
        if self.commands:
            lines += ["", "  ```sh", *(f"  {line}" for command in self.commands for line in command.split("\n")), "  ```"]
        if self.check:
            lines += ["", f"  Done when: {self.check}."]
        if self.way_back:
            lines += ["", f"  The way back: {self.way_back}"]
        return "\n".join(lines)


@dataclass(frozen=True, kw_only=True, slots=True)
class Outage:
    """The steps between which nodes of the class offer no GPU, and who is affected.

    Example:
        >>> outage = UpgradePlan(nodes=GpuNodes(talos_version="1.13.8"), to="1.13.9").outages[0]
        >>> outage.first, outage.last, outage.nodes
        (5, 8, 'one node at a time')
    """

    hop: str
    first: int
    """The number of the step from which on no GPU is offered."""
    last: int
    """The number of the step that checks that the GPUs are offered again."""
    nodes: str
    pods: str
    """The pods that are affected, as a sentence."""
