"""A symptom: phrases of a log with their cause and remedy, and the link of the chain that the cause breaks."""

from __future__ import annotations

from dataclasses import dataclass

from ..arguments.commands import Command
from .link import Link

GAP = "…"
"""The placeholder of a phrase: any words of the same line, or none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Symptom:
    """A state that people see in a log. Each phrase identifies the symptom; `…` in a phrase stands for any words of the
    same line.

    `name` is the anchor on docs/symptoms.md, or the id of the rule whose own symptom this is. `commands` verify the
    cause. `rules` and `alerts` belong to the symptom, the likeliest first. A symptom without rules can't be seen in
    files.
    """

    name: str
    title: str
    phrases: tuple[str, ...]
    cause: str
    remedy: str
    source: str
    link: Link | None = None
    """The link that the cause breaks. None: card and driver work on, or the symptom is that of a rule."""
    rank: int = 0
    """The order of the symptoms of one link in one log: the lowest explains the others."""
    is_hardware: bool = False
    """Whether the cause is the card or the machine, not configuration."""
    is_of_node: bool = False
    """Whether a broken node explains what a program says of itself; else the program or its image is at fault."""
    commands: tuple[Command, ...] = ()
    rules: tuple[str, ...] = ()
    alerts: tuple[str, ...] = ()
