"""The rows of symptoms/rules.json: what a log says where a rule is violated, in the words of the rule."""

from __future__ import annotations

import json
import re

from ..arguments.patterns import pattern
from ..symptoms.link import GAP
from .rule import Rule
from .rules import RULES

_VARIABLE = pattern(
    r"""0/\d+\ (?=nodes)|(?<=:\ )\d+\ (?=Insufficient|node|cannot)   # the counts of the scheduler
    |"(?!nvidia)[^"]*"|'(?!nvidia)[^']*'|\([^)]*\)|\[\d+\]|-…        # names that users choose, and details
    |\bv?\d+\.\d+(?:\.\d+)*(?:-[\w.]+)?                              # versions
    |:\ """,
    re.VERBOSE,
)
_COMMENT = pattern(r", (?:in|for|after|until|repeated|from|one by) .*")
_WORD = pattern("[A-Za-z]+")
_FEWEST_WORDS = 3


def table_text() -> str:
    """The table as JSON."""
    rows = {rule.id: {"title": rule.claim, "phrases": phrases(rule), "remedy": rule.fix, "source": rule.source} for rule in RULES.values()}
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def phrases(rule: Rule) -> list[str]:
    """The clauses of a rule's symptom as phrases: their names, versions and counts may be others."""
    clauses = (_COMMENT.sub("", clause) for clause in rule.symptom.split("; "))
    return [phrase for clause in clauses if len(_WORD.findall(phrase := _general(clause))) >= _FEWEST_WORDS]


def _general(clause: str) -> str:
    """The clause with gaps for what differs from cluster to cluster, unless too few words are left to identify the
    symptom."""
    phrase = _VARIABLE.sub(f" {GAP} ", clause)
    return phrase if len(_WORD.findall(phrase)) > _FEWEST_WORDS else clause
