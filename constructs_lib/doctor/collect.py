"""The commands that `talos-gpu doctor --collect` writes into a script, and that `--live` runs."""

from __future__ import annotations

from .commands import NODE, Command, kubernetes_commands, log_commands, talos_commands

__all__ = ["COMMANDS", "Command", "kubernetes_commands", "log_commands", "talos_commands"]

COMMANDS: tuple[Command, ...] = (*kubernetes_commands(), *talos_commands(NODE))
"""The commands of a cluster with one node, whose address is the placeholder NODE."""
