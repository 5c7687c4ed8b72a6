"""One step of an upgrade: what is done when, why, by which commands, and how to see that it is done; and the words for it."""

from __future__ import annotations

from dataclasses import dataclass

from ..upstream.choice import Choice


class UpgradePhase(Choice):
    """When a step is done: the nodes of a class go through an upgrade together."""

    BEFORE = "before"
    UPGRADE = "upgrade"
    AFTER = "after"


class UpgradeAction(Choice):
    """What a step does."""

    CHECK = "check"
    REMOVE = "remove"
    CHANGE = "change"
    APPLY = "apply"


class UpgradeRoute(Choice):
    """What advertises the GPUs of a cluster."""

    STANDALONE = "standalone"
    """The device plugin alone."""
    OPERATOR = "operator"
    """NVIDIA's GPU operator."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UpgradeStep:
    """One step of an `UpgradePlan`; in its commands NODE is the name, and ADDRESS the address, of one node after the other.

    Example:
        >>> step = UpgradePlan(nodes=GpuNodes(talos_version="1.13.8"), to="1.13.9").steps[-1]
        >>> step.phase, step.action, step.title
        ('after', 'check', 'See that the node offers its GPUs.')
    """

    hop: str
    """From which Talos to which, as "1.12 → 1.13"."""
    phase: UpgradePhase
    action: UpgradeAction
    title: str
    reason: str
    commands: tuple[str, ...]
    check: str = ""
    """What shows that it is done."""

    @property
    def markdown(self) -> str:
        """The step as an item of a list to tick off."""
        lines = [f"- [ ] **{self.title}** {self.reason}"]
        if self.commands:
            lines += ["", "  ```sh", *(f"  {line}" for command in self.commands for line in command.split("\n")), "  ```"]
        if self.check:
            lines += ["", f"  Done when: {self.check}."]
        return "\n".join(lines)
