"""The search for symptoms in a log, line by line and by words; and its text for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..arguments.commands import command
from ..arguments.printable import printable
from .error_words import named_errors
from .link import Strength, Symptom
from .phrase_index import Phrase, PhraseIndex, parts_of, words_of
from .symptom_table import rule_symptoms

_MARGIN = "   "


def matches_text(
    matches: Sequence[Match], most: int, answers: Mapping[str, str] | None = None, origins: Mapping[str, Sequence[str]] | None = None
) -> str:
    """The symptoms that a log shows, the surest first. `answers` say of each rule what the given files show, and `origins` of each text which
    programs say it."""
    said, shown = origins or {}, matches[:most]
    blocks = [
        "\n".join([*_match(number, match, answers, said.get(match.text, ())), *_apart(match, shown)])
        for number, match in enumerate(shown, start=1)
    ]
    if len(matches) > most:
        blocks.append(f"{len(matches) - most} more with --limit {len(matches)}")
    return "\n\n".join(blocks) + "\n"


def one_of(numbers: Sequence[int]) -> str:
    """The sentence about several causes that one line can have."""
    listed = f"{', '.join(map(str, numbers[:-1]))} or {numbers[-1]}"
    return f"the line has cause {listed}: what the commands to verify print, and what the rules find in files, tells which"


def _apart(match: Match, shown: Sequence[Match]) -> Iterator[str]:
    """A row below the first of several causes that one line can have."""
    rivals = [(number, each) for number, each in enumerate(shown, start=1) if each.line == match.line]
    if len(rivals) > 1 and rivals[0][1] is match and match.strength is not Strength.SURE:
        yield f"{_MARGIN}apart: {one_of([number for number, _ in rivals])}"


def symptoms_text(symptoms: Iterable[Symptom]) -> str:
    """Each symptom with its phrases, any of which `talos-gpu why` explains."""
    return "".join(f"{symptom.title}\n" + "".join(f"{_MARGIN}{line}\n" for line in symptom.phrases) for symptom in symptoms)


def _match(number: int, match: Match, answers: Mapping[str, str] | None, origins: Sequence[str]) -> Iterator[str]:
    symptom = match.symptom
    yield f"{number}. {match.title}"
    often = f"line {match.line}" if match.lines == 1 else f"line {match.line} and {match.lines - 1} more"
    rows = [(often, match.text), *(("said by", origin) for origin in origins)]
    rows += [*(("code", sentence) for sentence in named_errors(match.text)), ("cause", symptom.cause), ("fix", symptom.remedy)]
    rows += [("verify", str(command)) for command in symptom.commands]
    claims = ((rule, f"{rule} {rule_symptoms()[rule].title}") for rule in symptom.rules)
    rows += [("rule", claim if answers is None else f"{claim}. {answers[rule]}") for rule, claim in claims]
    if answers is not None and not symptom.rules:
        rows.append(("rule", "none: files do not show this fault"))
    rows += [("alert", alert) for alert in symptom.alerts]
    rows += [("explain", str(command("talos-gpu check --explain {rule}", rule=rule))) for rule in symptom.rules[:1]]
    rows.append(("source", symptom.source))
    yield from (f"{_MARGIN}{printable(f'{name}: {words}')}" for name, words in rows if words)


LONGEST_SHOWN = 240
"""A longer line is cut: what its end says, its innermost message, is not in the text of a match."""
_MOST_OF_A_FRAGMENT = 10


@dataclass(kw_only=True, slots=True)
class Match:
    """A symptom that a log shows, the number of its lines, and the first of them."""

    symptom: Symptom
    line: int
    text: str
    strength: Strength = Strength.SURE
    """The strength of the surest phrase."""
    score: float = 0.0
    lines: int = 0
    last: int = 0

    @property
    def title(self) -> str:
        """The title of the symptom, with a word where the lines do not prove it."""
        return self.symptom.title if self.strength is Strength.SURE else f"{self.symptom.title} ({self.strength})"

    def add(self, strength: Strength, weight: float) -> None:
        """Take a further phrase of the symptom into account."""
        self.strength = min(self.strength, strength, key=_STRENGTHS.index)
        self.score = max(self.score, weight)


_STRENGTHS = list(Strength)


class LogSearch:
    """Symptoms by the words of their phrases. A phrase weighs as much as its words are rare among all phrases."""

    def __init__(self, symptoms: Sequence[Symptom]) -> None:
        self._order = {symptom.name: index for index, symptom in enumerate(symptoms)}
        meanings = (((symptom, symptom.strength(phrase)), parts_of(phrase)) for symptom in symptoms for phrase in symptom.phrases)
        self._index: PhraseIndex[tuple[Symptom, Strength]] = PhraseIndex([*meanings])

    def phrases(self) -> Iterator[Phrase[tuple[Symptom, Strength]]]:
        """Every phrase with its symptom and its weight."""
        return self._index.phrases()

    def search(self, lines: Iterable[tuple[int, str]]) -> list[Match]:
        """The symptoms of a log, the rarest words first. A long line may come in pieces of one number. A general symptom counts only in
        the lines that have no other one."""
        matches: dict[str, Match] = {}
        for number, line in lines:
            found = [phrase for phrase, _ in self._index.found(words_of(line))]
            for phrase in [each for each in found if not each.meaning[0].is_general] or found:
                symptom, strength = phrase.meaning
                first = Match(symptom=symptom, line=number, text=line.strip()[:LONGEST_SHOWN], strength=strength)
                match = matches.setdefault(symptom.name, first)
                match.add(strength, phrase.weight)
                match.lines += number != match.last
                match.last = number
        return self._ranked(matches)

    def fragment(self, words: str) -> list[Match]:
        """The symptoms with a phrase that contains these words, those first of whose phrase the words are the most; none where too
        many have them."""
        text = f" {' '.join(words_of(words))} "
        matches: dict[str, Match] = {}
        for phrase in (phrase for phrase in self._index.phrases() if any(text in part for part in phrase.parts)):
            symptom, strength = phrase.meaning
            first = Match(symptom=symptom, line=1, text=words.strip()[:LONGEST_SHOWN], lines=1, strength=strength)
            matches.setdefault(symptom.name, first).add(strength, len(text) / sum(map(len, phrase.parts)))
        ranked = self._ranked(matches)
        return ranked if len(ranked) <= _MOST_OF_A_FRAGMENT else []

    def _ranked(self, matches: dict[str, Match]) -> list[Match]:
        """The matches, the best first. A rule's own words are one with a symptom that names the rule."""
        last_first = sorted(matches.values(), key=lambda match: -self._order[match.symptom.name])
        named = {rule: match for match in last_first for rule in match.symptom.rules if match.symptom.name != rule}
        for name in named.keys() & matches.keys():
            own = matches.pop(name)
            named[name].add(own.strength, own.score)
        return sorted(
            matches.values(),
            key=lambda match: (_STRENGTHS.index(match.strength), -match.score, -match.lines, self._order[match.symptom.name]),
        )
