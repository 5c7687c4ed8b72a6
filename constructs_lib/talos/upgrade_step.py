"""`UpgradeStep`: one step of an upgrade plan, with its phase, action, reason, commands and check."""

from __future__ import annotations

from dataclasses import dataclass

from ..upstream.choice import Choice


class UpgradePhase(Choice):
    """The phase of a step. All nodes of a class go through a phase before the next phase begins."""

    BEFORE = "before"
    UPGRADE = "upgrade"
    AFTER = "after"


class UpgradeAction(Choice):
    """The action of a step."""

    CHECK = "check"
    REMOVE = "remove"
    CHANGE = "change"
    APPLY = "apply"


class UpgradeRoute(Choice):
    """The component that advertises the GPUs of a cluster."""

    STANDALONE = "standalone"
    """The device plugin alone."""
    OPERATOR = "operator"
    """NVIDIA's GPU operator."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UpgradeStep:
    """One step of an `UpgradePlan`. A command with $NODE or $ADDRESS runs once for each node, every other command once for the cluster.

    Example:
        >>> step = UpgradePlan(nodes=GpuNodes(talos_version="1.13.8"), to="1.13.9").steps[-1]
        >>> step.phase, step.action, step.title
        ('after', 'check', 'Check that the node advertises its GPUs.')
    """

    hop: str
    """The Talos before and the Talos after, as "1.12 → 1.13"."""
    phase: UpgradePhase
    action: UpgradeAction
    title: str
    reason: str
    commands: tuple[str, ...]
    check: str = ""
    """The sign that the step is done."""

    @property
    def markdown(self) -> str:
        """The step as an item of a Markdown checklist."""
        lines = [f"- [ ] **{self.title}** {self.reason}"]
        if self.commands:
            lines += ["", "  ```sh", *(f"  {line}" for command in self.commands for line in command.split("\n")), "  ```"]
        if self.check:
            lines += ["", f"  Done when: {self.check}."]
        return "\n".join(lines)
