"""Phrases by their rarest words, so that the phrases of a line are found in one look at each of its words."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..arguments.patterns import pattern
from .link import GAP

Meaning = TypeVar("Meaning")

_ESCAPE = pattern(
    r"""(?:\x1b|\\+u001b|\\+x1b|\\+033|\^\[)\[[0-9;?]*[a-z]   # colours of a terminal, also escaped
    |\\+(?:u[0-9a-f]{4}|x[0-9a-f]{2}|[nrtbfv])?""",  # escapes of JSON, Go and dmesg
    re.VERBOSE,
)
_CARD = pattern(r"pci:[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-7])?")
_WORD = pattern(r"[a-z_]+|[0-9]+")


def words_of(line: str) -> list[str]:
    """The words and numbers of a line in lower case. A mark, a letter beside a digit, and an escape end a word."""
    text = _CARD.sub("pci ", line.lower())
    if "\\" in text or "\x1b" in text or "^[" in text:  # most lines have no escape, and the search for one is slow
        text = _ESCAPE.sub(" ", text)
    return _WORD.findall(text)


def parts_of(phrase: str) -> tuple[str, ...]:
    """The words of a phrase between its gaps."""
    words = (words_of(part) for part in phrase.split(GAP))
    return tuple(f" {' '.join(part)} " for part in words if part)


@dataclass(frozen=True, kw_only=True, slots=True)
class Phrase(Generic[Meaning]):
    """Words with gaps between them, and what they mean. `weight` is how rare the words are among all phrases."""

    meaning: Meaning
    parts: tuple[str, ...]
    weight: float

    def places(self, text: str) -> list[tuple[int, int]] | None:
        """Where the parts stand in the text, in order; None if one does not. Each part is looked for once, so the time is linear."""
        places, start = [], 0
        for part in self.parts:
            start = text.find(part, start)
            if start < 0:
                return None
            places.append((start, start + len(part)))
            start += len(part) - 1
        return places


class PhraseIndex(Generic[Meaning]):
    """Phrases with their meanings. A phrase weighs as much as its words are rare among all phrases."""

    def __init__(self, meanings: Sequence[tuple[Meaning, tuple[str, ...]]]) -> None:
        counts = Counter(word for _, parts in meanings for word in set(" ".join(parts).split()))
        self._phrases: dict[str, list[Phrase[Meaning]]] = defaultdict(list)
        for meaning, parts in meanings:
            words = sorted(set(" ".join(parts).split()))
            rarest = min(words, key=lambda word: (counts[word], -len(word), word))
            weight = round(sum(math.log2(len(meanings) / counts[word]) for word in words), 3)
            self._phrases[rarest].append(Phrase(meaning=meaning, parts=parts, weight=weight))

    def phrases(self) -> Iterator[Phrase[Meaning]]:
        """Every phrase."""
        return (phrase for phrases in self._phrases.values() for phrase in phrases)

    def found(self, words: Sequence[str]) -> Iterator[tuple[Phrase[Meaning], list[tuple[int, int]]]]:
        """The phrases of a line, each with the places of its parts in the text of the words."""
        rare = self._phrases.keys() & set(words)
        if not rare:
            return
        text = f" {' '.join(words)} "
        for word in rare:
            for phrase in self._phrases[word]:
                if places := phrase.places(text):
                    yield phrase, places
