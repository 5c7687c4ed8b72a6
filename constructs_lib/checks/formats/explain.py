"""What a rule says of itself, for people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from ..rule import Example, Rule


def explained(rule: Rule) -> str:
    """Everything that a rule says of itself, with both examples."""
    return f"""\
{rule.id} ({rule.severity}): {rule.claim}

symptom: {rule.symptom}
applies to: {applies_to(rule)}
fix: {rule.fix}
source: {rule.source}

What it finds{_circumstances(rule.failing)}:

{_indented(rule.failing)}
What it leaves alone{_circumstances(rule.passing)}:

{_indented(rule.passing)}"""


def listed(rules: Iterable[Rule]) -> str:
    """A line for each rule."""
    return "".join(f"{rule.id}  {rule.severity:<7}  {rule.claim}\n" for rule in rules)


def applies_to(rule: Rule) -> str:
    """The Talos that a rule is about."""
    return str(rule.talos)


def flags(example: Example) -> str:
    """The flags with which an example is judged."""
    given: list[tuple[str, object]] = [("--talos", example.talos), ("--chart", example.chart)]
    for nodes in example.nodes:
        given += [("--talos", nodes.talos_version), ("--count", nodes.count), ("--gpus-per-node", nodes.gpus_per_node)]
        given += [("--memory-per-gpu", nodes.memory_per_gpu), ("--time-slicing", nodes.sharing and nodes.sharing.replicas)]
    return " ".join(f"{flag} {value}" for flag, value in given if value)


def _circumstances(example: Example) -> str:
    given = flags(example)
    return f" ({given})" if given else ""


def _indented(example: Example) -> str:
    return textwrap.indent(example.yaml.strip("\n") + "\n", "    ")
