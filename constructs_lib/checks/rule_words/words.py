"""The words of one rule. They stand apart from its check, so that `talos-gpu why` searches the symptoms of all rules without loading a rule."""

from __future__ import annotations

from typing import TypedDict


class RuleWords(TypedDict):
    """The words of a rule; `Rule` says what each is."""

    id: str
    claim: str
    symptom: str
    fix: str
    source: str
