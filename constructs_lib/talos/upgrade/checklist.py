"""The short text of an upgrade plan: what to do, the commands, and how to see that a step is done. The reasons and the ways back are in the whole text."""

from __future__ import annotations

from collections.abc import Iterator

from .step import UpgradePhase, UpgradeStep
from .steps import Parts, outages_of, title_of, variables_of

_OTHERS = (
    "Nodes without a GPU follow in the same release, each with its own image: control-plane nodes before these nodes and one at a time, "
    "other workers after them. "
)
"""The order is that of this plan. Talos itself only keeps two control-plane nodes from an upgrade at the same time.

https://docs.siderolabs.com/talos/v1.14/configure-your-talos-cluster/lifecycle-management/upgrading-talos (2026-11-28)
"""


_MORE = "Finish a release before the next one begins. `--verbose` prints the reason and the way back of each step."
_INLINE = 160
"""The length up to which the commands of a step stand in its line."""


def checklist_text(parts: Parts) -> str:
    """The plan as a short Markdown checklist."""
    lines = [title_of(parts), ""]
    lines += [
        f"Steps {outage.first} to {outage.last}: {outage.nodes} without GPUs. {outage.pods}"
        for hop, steps in parts
        for outage in outages_of(hop, steps)
    ]
    tool = parts[0][0].tool
    # Omni upgrades the control plane itself and locks the other workers; Cluster API replaces machines.
    others = _OTHERS if tool.keeps_nodes and not tool.release else ""
    lines += [
        f"{others}{_MORE}",
        "",
        f"    export {' '.join(f'{variable.name}={variable.example}' for variable in variables_of(parts))}",
        "",
    ]
    for hop, steps in parts:
        lines += [f"## {hop.name}", "", *(line for step in steps for line in _item(step)), ""]
    for hop, steps in parts:
        upgrade = next(step for step in steps if step.phase is UpgradePhase.UPGRADE)
        lines.append(f"The way back from {hop.new}: {upgrade.way_back}")
    return "\n".join(lines) + "\n"


def _item(step: UpgradeStep) -> Iterator[str]:
    """A step: one line where its commands are short, and a block of its commands otherwise."""
    done = f" Done when: {step.check}." if step.check else ""
    if step.phase is UpgradePhase.UPGRADE:  # what goes wrong here takes the node
        done = f" {step.reason}{done}"
    commands = [line for text in step.commands for line in text.split("\n")]
    inline = ", ".join(f"`{line}`" for line in commands)
    if len(commands) == 1 or len(inline) < _INLINE:
        yield f"- [ ] **{step.number}. {step.title}** {inline}{done}"
        return
    yield f"- [ ] **{step.number}. {step.title}**{done}"
    if commands:
        yield from ("  ```sh", *(f"  {line}" for line in commands), "  ```")
