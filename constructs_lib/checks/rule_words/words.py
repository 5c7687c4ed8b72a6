"""The words of a rule, apart from its check: `talos-gpu why` looks for a symptom in all of them, and loads no rule."""

from __future__ import annotations

from typing import TypedDict


class RuleWords(TypedDict):
    """The words of a rule; `Rule` says what each is."""

    id: str
    claim: str
    symptom: str
    fix: str
    source: str
