"""`--explain` and `--list`: a rule in words, for people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from ...arguments.commands import command
from ..fixes.fixability import flags_of_fix
from ..rule import Example, Rule


def explained(rule: Rule) -> str:
    """A rule with its symptom, fix and source, and both examples."""
    return f"""\
{rule.id} ({rule.severity}): {rule.claim}

symptom: {rule.symptom}
applies to: {applies_to(rule)}
fix: {rule.fix}
{_fixable(rule)}source: {rule.source}

Failing example{_circumstances(rule.failing)}:

{_indented(rule.failing)}
Passing example{_circumstances(rule.passing)}:

{_indented(rule.passing)}"""


def _fixable(rule: Rule) -> str:
    given = flags_of_fix(rule)
    return f"fixable: {command('talos-gpu check {*flags}', flags=given.split())}\n" if given else ""


def listed(rules: Iterable[Rule]) -> str:
    """One line per rule."""
    return "".join(f"{rule.id}  {rule.severity:<7}  {rule.claim}\n" for rule in rules)


def applies_to(rule: Rule) -> str:
    """The Talos releases that a rule applies to."""
    return str(rule.talos)


def flags(example: Example) -> str:
    """The flags of `talos-gpu check` for an example."""
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
