"""Regular expressions of Go in linear time. Python's own backtrack: a pattern in a file could run without end.

A pattern becomes a nondeterministic automaton, and a match follows all of its states at once. Anything unusual is not supported: then the
answer is unknown.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable

from ..model import Answer, answer

_LONGEST_PATTERN = 300
_LONGEST_TEXT = 1000
_MOST_STATES = 1000
_MOST_STEPS = 100_000
_DEEPEST = 20
_SPECIAL = re.compile(r"[\\.^$*+?()\[\]{}|]")
_CLASS = re.compile(r"\[\^?\]?(?:\\[dDwWsS\W_]|[^\\\]])*\]")
_KIND = re.compile(r"\\[dDwWsS]")
_AMBIGUOUS = re.compile(r".\[|--|&&|~~|\|\|")
"""Parts of a class that Python reads otherwise, or may read otherwise later."""
_COUNT = re.compile(r"\{(\d{1,3})(?:(,)(\d{1,3})?)?\}")

_Test = Callable[[str], object]
_Part = Callable[[int], int]
"""A part of a pattern: from the state after it to its own first state."""


class _UnsupportedError(Exception):
    pass


class Pattern:
    """A regular expression for a whole text. `is_supported` is False for a pattern without an automaton."""

    def __init__(self, written: str) -> None:
        self.written = written
        self.steps = 0
        self._tests: list[tuple[_Test, int] | None] = [None]
        self._splits: dict[int, tuple[int, ...]] = {}
        self._next: dict[tuple[frozenset[int], str], frozenset[int]] = {}
        self._start: frozenset[int] | None = None
        if _SPECIAL.search(written):
            try:
                self._start = self._reached([_Parser(written, self).whole()(0)])
            except _UnsupportedError:
                self._start = frozenset()
        self.is_supported = self._start != frozenset()

    def matches(self, text: str) -> Answer:
        """Whether the pattern matches the whole text. Unknown for an unsupported pattern, or after too many steps."""
        if self._start is None:
            return answer(text == self.written)
        if not self.is_supported or len(text) > _LONGEST_TEXT:
            return Answer.UNKNOWN
        states = self._start
        for character in text:
            key = (states, character)
            if key not in self._next:
                if self.steps > _MOST_STEPS:
                    return Answer.UNKNOWN
                self._next[key] = self._step(states, character)
            states = self._next[key]
            if not states:
                return Answer.NO
        return answer(0 in states)

    def _step(self, states: frozenset[int], character: str) -> frozenset[int]:
        self.steps += len(states)
        tests = [test for state in states if (test := self._tests[state]) is not None]
        return self._reached([after for test, after in tests if test(character)])

    def _reached(self, pending: list[int]) -> frozenset[int]:
        """The states and all that follow without a character."""
        reached = set[int]()
        while pending:
            state = pending.pop()
            if state not in reached:
                reached.add(state)
                self.steps += 1
                pending += self._splits.get(state, ())
        return frozenset(reached)

    def state(self, test: _Test, after: int) -> int:
        """A new state that goes on to the state `after` with a character that passes the test."""
        return self._added((test, after))

    def split(self, after: Iterable[int] = ()) -> int:
        """A new state that goes on to other states without a character."""
        state = self._added(None)
        self._splits[state] = tuple(after)
        return state

    def join(self, state: int, after: Iterable[int]) -> None:
        """Set the states after a split."""
        self._splits[state] = tuple(after)

    def _added(self, test: tuple[_Test, int] | None) -> int:
        if len(self._tests) > _MOST_STATES:
            raise _UnsupportedError
        self._tests.append(test)
        return len(self._tests) - 1


class _Parser:
    def __init__(self, text: str, target: Pattern) -> None:
        if len(text) > _LONGEST_PATTERN:
            raise _UnsupportedError
        self.text, self.target, self.index, self.depth, self.copied = text, target, 0, 0, 0

    def whole(self) -> _Part:
        part = self.alternatives()
        if self.index < len(self.text):
            raise _UnsupportedError
        return part

    def takes(self, word: str) -> bool:
        if self.text.startswith(word, self.index):
            self.index += len(word)
            return True
        return False

    def ends(self) -> bool:
        return self.index >= len(self.text) or self.text[self.index] in "|)"

    def alternatives(self) -> _Part:
        parts = [self.sequence()]
        while self.takes("|"):
            parts.append(self.sequence())
        return parts[0] if len(parts) == 1 else lambda after: self.target.split([part(after) for part in parts])

    def sequence(self) -> _Part:
        parts: list[_Part] = []
        if not self.depth:
            self.takes("^")
        while not self.ends():
            if not self.depth and self.takes("$"):
                if not self.ends():
                    raise _UnsupportedError
                break
            parts.append(self.repeated(self.atom()))
        return lambda after: functools.reduce(lambda state, part: part(state), reversed(parts), after)

    def atom(self) -> _Part:
        if self.takes("("):
            return self.group()
        if (match := _CLASS.match(self.text, self.index)) is not None:
            if _AMBIGUOUS.search(match[0]):
                raise _UnsupportedError
            return self.tested(match)
        if (match := _KIND.match(self.text, self.index)) is not None:
            return self.tested(match)
        if self.takes("."):
            return lambda after: self.target.state(lambda character: character != "\n", after)
        if self.takes("\\") and self.text[self.index : self.index + 1].isalnum():
            raise _UnsupportedError
        character = self.text[self.index : self.index + 1]
        if not character or (character in "^$*+?[](){}" and self.text[self.index - 1 : self.index] != "\\"):
            raise _UnsupportedError
        self.index += 1
        return lambda after: self.target.state(character.__eq__, after)

    def group(self) -> _Part:
        if not self.takes("?:") and self.text.startswith("?", self.index):
            raise _UnsupportedError
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _UnsupportedError
        part = self.alternatives()
        if not self.takes(")"):
            raise _UnsupportedError
        self.depth -= 1
        return part

    def tested(self, match: re.Match[str]) -> _Part:
        self.index = match.end()
        try:
            test = re.compile(match[0], re.ASCII).fullmatch
        except re.error:
            raise _UnsupportedError from None
        return lambda after: self.target.state(test, after)

    def repeated(self, part: _Part) -> _Part:
        if (match := _COUNT.match(self.text, self.index)) is not None:
            self.index = match.end()
            least = int(match[1])
            most = int(match[3]) if match[3] else None if match[2] else least
        else:
            sign = next((each for each in "*+?" if self.takes(each)), None)
            if sign is None:
                return part
            least, most = int(sign == "+"), 1 if sign == "?" else None
        self.takes("?")
        if self.index < len(self.text) and self.text[self.index] in "*+?{":
            raise _UnsupportedError
        return lambda after: self.copies(part, least, most, after)

    def copies(self, part: _Part, least: int, most: int | None, after: int) -> int:
        """The first state of a part that is repeated: from `least` to `most` times, or without an end."""
        self.copied += max(least, most or 0)  # copies of an empty part have no states
        if self.copied > _MOST_STATES:
            raise _UnsupportedError
        if most is None:
            loop = self.target.split()
            self.target.join(loop, [part(loop), after])
            after = loop
        else:
            for _ in range(most - least):
                after = self.target.split([part(after), after])
        for _ in range(least):
            after = part(after)
        return after
