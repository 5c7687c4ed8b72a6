"""The two errors for wrong input, and the one form of their message.

`'<argument>' must be <rule> (got <repr>); <hint>`: an `ArgumentTypeError` for the wrong kind of thing, an `ArgumentError` for the wrong value
of the right kind. Both keep these four parts, so that a command or an editor can write them in words of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import NamedTuple, Self


class _Nothing:
    """What was got where nothing was given."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING = _Nothing()


class Argument(NamedTuple):
    """An argument that a rule or a hint names: `'taints'`, or `kernel_modules='open'` with a value.

    It prints as in a Python call; the command prints its flag.
    """

    name: str
    value: object = NOTHING
    written: str = ""
    """How Python's words name it, where they are others."""

    def __str__(self) -> str:
        return self.written or (f"'{self.name}'" if self.value is NOTHING else f"{self.name}={self.value!r}")


class Value(NamedTuple):
    """A value of the refused argument itself. The command prints "left out" for a False, and a list without its brackets."""

    value: object

    def __str__(self) -> str:
        return _written(self.value)


class InPython(NamedTuple):
    """Words that the message has in Python alone, such as the name of a class."""

    text: str

    def __str__(self) -> str:
        return self.text


class Phrase:
    """The words of a rule or a hint, in which arguments stand as `Argument` and not as text."""

    def __init__(self, *parts: str | Argument | Value | InPython) -> None:
        self.parts = parts

    def written(self, part: Callable[[Argument | Value | InPython], str]) -> str:
        """The words, with each argument and value as `part` writes it."""
        return "".join(each if isinstance(each, str) else part(each) for each in self.parts)

    def __str__(self) -> str:
        return self.written(str)


class Refusal(Exception):  # noqa: N818  # the base of two errors, which nobody raises
    """What both errors have: `argument`, `rule`, `got` and `hint`, of which the message is made."""

    def __init__(self, argument: str, rule: str | Phrase, got: object, hint: str | Phrase = "", part: str = "") -> None:
        super().__init__(argument, rule, got, hint, part)
        self.argument = argument
        self.rule = rule
        self.got = got
        self.hint = hint
        self.part = part

    def noting(self, words: str) -> Self:
        """The same error with more said at its end."""
        hint = self.hint if isinstance(self.hint, Phrase) else Phrase(self.hint)
        return type(self)(self.argument, self.rule, self.got, Phrase(*hint.parts, "; " if str(hint) else "", words), self.part)

    @property
    def got_text(self) -> str:
        """The value as the message has it."""
        return _written(self.got)

    def __str__(self) -> str:
        hint = str(self.hint)
        return f"'{self.argument}' must be {self.rule} (got {self.got_text})" + (f"; {hint}" if hint else "")


class ArgumentError(Refusal, ValueError):
    """A value that an argument can't have: `'gpus' must be a whole number of at least 1 (got 0)`.

    `argument` is the argument's name, `rule` what its value must be, `got` the value, and `hint` the cause or the fix, empty where there is
    none. `rule` and `hint` print as text. `part` is the argument of that value that decides, where the value is one of ours, such as a class
    of nodes. `ArgumentTypeError` is its twin for a value of the wrong kind.

    Example:
        >>> try:
        ...     TimeSlicing(replicas=1)
        ... except ArgumentError as error:
        ...     print(error.argument, error.got, error.hint, sep=" | ")
        replicas | 1 | one pod a GPU needs no 'sharing'
    """


class ArgumentTypeError(Refusal, TypeError):
    """A value of a kind that an argument can't have: `'gpus' must be a whole number of at least 1 (got '1')`. Its parts are `ArgumentError`'s.

    Example:
        >>> try:
        ...     TimeSlicing(replicas="5")
        ... except ArgumentTypeError as error:
        ...     print(error)
        'replicas' must be a whole number of at least 2 (got '5'); one pod a GPU needs no 'sharing'
    """


def wrong(argument: str, rule: str | Phrase, got: object, hint: str | Phrase = "", *, part: str = "") -> ArgumentError:
    """The error for a wrong value."""
    return ArgumentError(argument, rule, got, hint, part)


def wrong_kind(argument: str, rule: str | Phrase, got: object, hint: str | Phrase = "") -> ArgumentTypeError:
    """The error for the wrong kind of thing."""
    return ArgumentTypeError(argument, rule, got, hint)


def _written(value: object) -> str:
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, MappingProxyType):
        return repr(dict(value))
    return str(value) if isinstance(value, Argument) else repr(value)
