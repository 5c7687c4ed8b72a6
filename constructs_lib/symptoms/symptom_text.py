"""Symptoms for people: the answer to a line of a log, and the list of all symptoms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..arguments.commands import command
from ..arguments.printable import printable
from .log_search import Match
from .symptom import Symptom
from .symptom_table import rule_symptoms

_MARGIN = "   "


def matches_text(matches: Sequence[Match], most: int, answers: Mapping[str, str] | None = None) -> str:
    """The symptoms that a log shows, the best first. `answers` say of each rule what the given files show."""
    blocks = ["\n".join(_match(number, match, answers)) for number, match in enumerate(matches[:most], start=1)]
    if len(matches) > most:
        blocks.append(f"{len(matches) - most} more with --limit {len(matches)}")
    return "\n\n".join(blocks) + "\n"


def symptoms_text(symptoms: Iterable[Symptom]) -> str:
    """Each symptom with its phrases, any of which `talos-gpu why` explains."""
    return "".join(f"{symptom.title}\n" + "".join(f"{_MARGIN}{line}\n" for line in symptom.phrases) for symptom in symptoms)


def _match(number: int, match: Match, answers: Mapping[str, str] | None) -> Iterator[str]:
    symptom = match.symptom
    yield f"{number}. {symptom.title}"
    often = f"line {match.line}" if match.lines == 1 else f"line {match.line} and {match.lines - 1} more"
    rows = [(often, match.text), ("cause", symptom.cause), ("fix", symptom.remedy)]
    rows += [("verify", str(command)) for command in symptom.commands]
    rows += [("rule", _rule(rule, answers)) for rule in symptom.rules]
    if answers is not None and not symptom.rules:
        rows.append(("rule", "none: files do not show this fault"))
    rows += [("alert", alert) for alert in symptom.alerts]
    rows += [("explain", str(command("talos-gpu check --explain {rule}", rule=rule))) for rule in symptom.rules[:1]]
    rows.append(("source", symptom.source))
    yield from (f"{_MARGIN}{printable(f'{name}: {words}')}" for name, words in rows if words)


def _rule(rule: str, answers: Mapping[str, str] | None) -> str:
    claim = f"{rule} {rule_symptoms()[rule].title}"
    return claim if answers is None else f"{claim}. {answers[rule]}"
