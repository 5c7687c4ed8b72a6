"""The search for the programs that say a line: by the format strings of their sources, with the values pulled out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..arguments.patterns import pattern
from ..upstream.message_catalogue import Message
from .link import GAP
from .log_message import message_of
from .phrase_index import Phrase, PhraseIndex, parts_of, words_of

_VERB = pattern(r"%(?:\[\d+\])?[-+# 0]*[\d.*]*[a-zA-Z]")
_VALUE = pattern(r"[\d/=.@]\w|\d")
"""A token that is a value: a number, a path, a name with dots, a version."""
_LONGEST_LINE = 4096
_LONGEST_GAP = 160
_FEWEST_WORDS = 3
_LEAST_WEIGHT = 14.0
"""How rare the words of a message are that can be told alone: `failed to get device` is said by everybody."""
_LEAST_COVERED = 0.5
"""The part of a line's words that its messages have to hold; values don't count."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Saying:
    """A message in a line: the programs that can say it, the likeliest alone, and the values in its gaps."""

    messages: tuple[Message, ...]
    values: tuple[str, ...]


@dataclass(kw_only=True, slots=True)
class Said:
    """A line that programs say, with its messages from the outermost to the innermost, and how often lines are said so."""

    line: int
    text: str
    sayings: tuple[Saying, ...]
    score: float
    lines: int = 1
    last: int = 0

    @property
    def is_trouble(self) -> bool:
        """Whether the line is more than information."""
        return any(message.severity != "info" for saying in self.sayings for message in saying.messages)


@dataclass(slots=True)
class _Hit:
    phrase: Phrase[tuple[Message, ...]]
    places: list[tuple[int, int]]

    @property
    def start(self) -> int:
        return self.places[0][0]

    @property
    def is_close(self) -> bool:
        """Whether no gap within the message is longer than a value can be."""
        return all(after[0] - before[1] <= _LONGEST_GAP for before, after in pairwise(self.places))


class MessageSearch:
    """The messages of programs by their words."""

    def __init__(self, messages: Iterable[Message]) -> None:
        same: dict[tuple[str, ...], list[Message]] = defaultdict(list)
        for message in messages:
            same[parts_of(_VERB.sub(GAP, message.format))].append(message)
        self._index = PhraseIndex([(tuple(each), parts) for parts, each in same.items()])
        self._said: dict[tuple[str, ...], Said] = {}

    def noting(self, lines: Iterable[tuple[int, str]], source: str = "") -> Iterator[tuple[int, str]]:
        """The lines as they are; what they say is kept. `source` is the name of their log, which may name the program."""
        for number, line in lines:
            self._note(number, line, source)
            yield number, line

    def noted(self) -> list[Said]:
        """The lines that were noted, trouble first, then the rarest words."""
        return sorted(self._said.values(), key=lambda said: (not said.is_trouble, -said.score, said.line))

    def said(self, line: str, source: str = "", number: int = 1) -> Said | None:
        """The messages that make a line; None where they hold too little of its words."""
        if next(self._index.found(words_of(line)), None) is None:
            return None
        line = line[:_LONGEST_LINE]
        text, file = message_of(line)
        words = words_of(text)
        hits = [hit for phrase, places in self._index.found(words) if (hit := _Hit(phrase, places)).is_close]
        chosen = _chosen(hits)
        covered = _covered(chosen, words, text)
        is_told = any(_can_stand(hit) for hit in chosen) and covered >= _LEAST_COVERED
        if not is_told and not any(_is_of_file(hit, file) for hit in chosen):
            return None
        names = f"{source} {line}".lower()
        sayings = tuple(
            Saying(messages=_likeliest(hit, chosen, file, names), values=_values(hit, line, is_last=hit is chosen[-1])) for hit in chosen
        )
        return Said(line=number, text=line.strip(), sayings=sayings, score=covered * max(hit.phrase.weight for hit in chosen), last=number)

    def _note(self, number: int, line: str, source: str) -> None:
        said = self.said(line, source, number)
        if said is None:
            return
        key = tuple(saying.messages[0].format for saying in said.sayings)
        known = self._said.setdefault(key, said)
        known.lines += number != known.last
        known.last = number


def _chosen(hits: Sequence[_Hit]) -> list[_Hit]:
    """The rarest messages of a line that share no words, from the outermost to the innermost."""
    chosen: list[_Hit] = []
    taken: set[int] = set()
    for hit in sorted(hits, key=lambda each: (-each.phrase.weight, each.start, each.phrase.parts)):
        own = {place for start, end in hit.places for place in range(start + 1, end - 1)}
        if not own & taken:
            chosen.append(hit)
            taken |= own
    return sorted(chosen, key=lambda hit: hit.start)


def _can_stand(hit: _Hit) -> bool:
    """Whether a message tells something alone, because it has rare words."""
    return sum(len(part.split()) for part in hit.phrase.parts) >= _FEWEST_WORDS and hit.phrase.weight >= _LEAST_WEIGHT


def _is_of_file(hit: _Hit, file: str) -> bool:
    """Whether a message begins a line that names its file: then nothing else has to be known of the line."""
    return hit.start == 0 and any(_is_in(message, file) for message in hit.phrase.meaning)


def _is_in(message: Message, file: str) -> bool:
    return message.path.rpartition("/")[2] == file


def _covered(hits: Sequence[_Hit], words: Sequence[str], text: str) -> float:
    """The part of the words of a line that its messages hold. A value that is in no message doesn't count."""
    held = {place for hit in hits for start, end in hit.places for place in range(start + 1, end - 1)}
    values = {place for hit in hits for before, after in pairwise(hit.places) for place in range(before[1], after[0])} - held
    position, index, inside, outside = 1, 0, 0, 0
    for token in text.split():
        of_token = words_of(token)
        is_value = _VALUE.search(token) is not None
        for word in of_token:
            inside += position in held
            outside += position not in held and position not in values and not is_value
            position += len(word) + 1
        index += len(of_token)
    return inside / (inside + outside) if inside and index == len(words) else 0.0


def _likeliest(hit: _Hit, chosen: Sequence[_Hit], file: str, names: str) -> tuple[Message, ...]:
    """The messages of the programs that speak here: those of the file that the line names, then of the program that the line or
    its log names, then of the program that says the rest of the line too."""

    def likeliness(message: Message) -> tuple[bool, bool, float]:
        speaker = message.speaker
        rest = sum(
            other.phrase.weight for other in chosen if other is not hit and any(each.speaker == speaker for each in other.phrase.meaning)
        )
        return hit.start == 0 and _is_in(message, file), any(name in names for name in speaker.names), rest

    most = max(map(likeliness, hit.phrase.meaning))
    return tuple(message for message in hit.phrase.meaning if likeliness(message) == most)


_MARKS = " \t\"'`:=()[]{},.\\"
_VALUE_MARKS = " \t\"'`:=,.\\"
_LONGEST_VALUE = 100


def _values(hit: _Hit, line: str, *, is_last: bool) -> tuple[str, ...]:
    """The values in the gaps of a message; at its end only where no other message follows."""
    text, lower = hit.phrase.meaning[0].format, line.lower()
    literals = [literal.strip(_MARKS) for literal in _VERB.split(text)]
    values, end = [], -1
    for literal in filter(None, literals):
        start = lower.find(literal.lower(), max(end, 0))
        if start < 0:
            return ()
        if end >= 0:
            values.append(line[end:start])
        end = start + len(literal)
    if is_last and not literals[-1]:
        values.append(line[end:])
    return tuple(value for each in values if (value := each.strip(_VALUE_MARKS)[:_LONGEST_VALUE]))
