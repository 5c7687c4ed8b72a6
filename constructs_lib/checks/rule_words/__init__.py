"""The words of all rules, by id."""

from __future__ import annotations

from .agent_words import AGENT_WORDS
from .capacity_words import CAPACITY_WORDS
from .chart_words import CHART_WORDS
from .node_words import NODE_WORDS
from .operator_words import OPERATOR_WORDS
from .talos_words import TALOS_WORDS
from .words import RuleWords
from .workload_words import WORKLOAD_WORDS

__all__ = ["WORDS", "RuleWords"]

WORDS: dict[str, RuleWords] = {
    words["id"]: words
    for words in (*AGENT_WORDS, *CAPACITY_WORDS, *CHART_WORDS, *NODE_WORDS, *OPERATOR_WORDS, *TALOS_WORDS, *WORKLOAD_WORDS)
}
