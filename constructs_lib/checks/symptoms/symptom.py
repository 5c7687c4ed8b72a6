"""A symptom: phrases of a log with their cause and remedy."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...arguments.commands import Command
from ..rule_words import RuleWords

GAP = "…"
"""The placeholder of a phrase: any words of the same line, or none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Symptom:
    """A state that people see in a log. Each phrase identifies the symptom; `…` in a phrase stands for any words of the same line.

    `name` is the anchor on docs/symptoms.md, or the id of the rule whose own symptom this is. `commands` verify the cause. `rules` and `alerts` belong to
    the symptom, the likeliest first. A symptom without rules can't be seen in files.
    """

    name: str
    title: str
    phrases: tuple[str, ...]
    cause: str
    remedy: str
    source: str
    commands: tuple[Command, ...] = ()
    rules: tuple[str, ...] = ()
    alerts: tuple[str, ...] = ()


_VARIABLE = re.compile(
    r"""0/\d+\ (?=nodes)|(?<=:\ )\d+\ (?=Insufficient|node|cannot)   # the counts of the scheduler
    |"(?!nvidia)[^"]*"|'(?!nvidia)[^']*'|\([^)]*\)|\[\d+\]|-…        # names that users choose, and details
    |\bv?\d+\.\d+(?:\.\d+)*(?:-[\w.]+)?                              # versions
    |:\ """,
    re.VERBOSE,
)
_COMMENT = re.compile(r", (?:in|for|after|until|repeated|from|one by) .*")
_WORD = re.compile("[A-Za-z]+")
_FEWEST_WORDS = 3


def of_rule(rule: RuleWords) -> Symptom:
    """The symptom in the words of a rule: each clause of the text is a phrase, and its names, versions and counts may be others."""
    clauses = (_COMMENT.sub("", clause) for clause in rule["symptom"].split("; "))
    return Symptom(
        name=rule["id"],
        title=rule["claim"],
        phrases=tuple(phrase for clause in clauses if len(_WORD.findall(phrase := _general(clause))) >= _FEWEST_WORDS),
        cause="",
        remedy=rule["fix"],
        source=rule["source"],
        rules=(rule["id"],),
    )


def _general(clause: str) -> str:
    """The clause with gaps for what differs from cluster to cluster, unless too few words are left to identify the symptom."""
    phrase = _VARIABLE.sub(f" {GAP} ", clause)
    return phrase if len(_WORD.findall(phrase)) > _FEWEST_WORDS else clause
