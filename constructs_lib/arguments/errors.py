"""The two errors for wrong input, the one form of their message, and the warning.

The form is `'<argument>' must be <rule> (got <repr>); <hint>`. `ArgumentTypeError` is for a value of the wrong type,
`ArgumentError` for a wrong value of the right type. Both errors keep the four parts as attributes, so that a command or
an editor can word the message itself.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Self


class _Nothing:
    """The value of an argument that was not given."""

    def __repr__(self) -> str:
        return "nothing"

    def __reduce__(self) -> str:
        """A copy, also in another process, is this value: the code asks for it by identity."""
        return "NOTHING"


NOTHING = _Nothing()


class Argument(NamedTuple):
    """An argument that a rule or a hint names: `'taints'`, or `kernel_modules='open'` with a value.

    The argument prints as in a Python call. The command prints the flag in its place.
    """

    name: str
    value: object = NOTHING
    written: str = ""
    """The argument in the Python message, where that is not its name."""

    def __str__(self) -> str:
        return self.written or (f"'{self.name}'" if self.value is NOTHING else f"{self.name}={self.value!r}")


class Value(NamedTuple):
    """A value of the refused argument. The command prints "left out" for False, and prints a list without brackets."""

    value: object

    def __str__(self) -> str:
        return _written(self.value)


class InPython(NamedTuple):
    """Words that only the Python message has, such as the name of a class."""

    text: str

    def __str__(self) -> str:
        return self.text


class Phrase:
    """The words of a rule or a hint. An argument in them is an `Argument`, not text."""

    def __init__(self, *parts: str | Argument | Value | InPython) -> None:
        self.parts = parts

    def written(self, part: Callable[[Argument | Value | InPython], str]) -> str:
        """The words as one string. `part` writes every argument and value."""
        return "".join(word if isinstance(word, str) else part(word) for word in self.parts)

    def __str__(self) -> str:
        return self.written(str)

    def __repr__(self) -> str:
        return repr(str(self))


class Refusal(Exception):  # noqa: N818  # only the two subclasses are raised
    """The base of both errors, with the parts of the message: `argument`, `rule`, `got` and `hint`."""

    def __init__(self, argument: str, rule: str | Phrase, got: object, hint: str | Phrase = "", part: str = "") -> None:
        super().__init__(argument, rule, got, hint, part)
        self.argument = argument
        self.rule = rule
        self.got = got
        self.hint = hint
        self.part = part

    def noting(self, words: str) -> Self:
        """A copy of the error with more words at the end of the hint."""
        hint = self.hint if isinstance(self.hint, Phrase) else Phrase(self.hint)
        return type(self)(self.argument, self.rule, self.got, Phrase(*hint.parts, "; " if str(hint) else "", words), self.part)

    @property
    def got_text(self) -> str:
        """The refused value as the message prints it, without credentials: errors stand in logs."""
        return self.got_in(_written)

    def got_in(self, written: Callable[[object], str]) -> str:
        """The refused value in another notation, without credentials."""
        from .credentials.names import HIDDEN
        from .credentials.texts import hidden_text  # deferred: only an error needs the shapes

        if self._is_credential:
            return f"{self.got.name}={HIDDEN!r}" if isinstance(self.got, Argument) else repr(HIDDEN)
        return hidden_text(written(self.got))

    @property
    def shown_hint(self) -> str | Phrase:
        """The hint as messages print it: no hint repeats a value of a credential, or a text that looks like one."""
        from .credentials.texts import hidden_text  # deferred: see `got_in`

        has_value = isinstance(self.hint, Phrase) and any(isinstance(part, Value) for part in self.hint.parts)
        return "" if has_value and (self._is_credential or hidden_text(str(self.hint)) != str(self.hint)) else self.hint

    @property
    def _is_credential(self) -> bool:
        """Whether the argument is a credential, and its value no object of a class, such as a `ConfigMapKey`."""
        from .credentials.names import is_credential, names_a_secret

        name, value = (self.got.name, self.got.value) if isinstance(self.got, Argument) else (self.argument, self.got)
        name = name.rstrip("]").rpartition("[")[2]
        is_literal = isinstance(value, str | bytes | int | float | Mapping | list | tuple | set) and not isinstance(value, bool | Argument)
        return is_literal and is_credential(name) and not names_a_secret(name)

    def __str__(self) -> str:
        hint = str(self.shown_hint)
        return f"'{self.argument}' must be {self.rule} (got {self.got_text})" + (f"; {hint}" if hint else "")


class ArgumentError(Refusal, ValueError):
    """A value that an argument can't have: `'gpus' must be a whole number of at least 1 (got 0)`.

    `argument` is the name of the argument. `rule` says what its value must be. `got` is the refused value. `hint` is
    the cause or the fix; an error without a hint has an empty one. `rule` and `hint` print as text. When the refused
    value is a value of this library, such as a `GpuNodes`, `part` names the argument of that value that decides.
    `ArgumentTypeError` is the same error for a value of the wrong type.

    Example:
        >>> try:
        ...     TimeSlicing(replicas=1)
        ... except ArgumentError as error:
        ...     print(error.argument, error.got, error.hint, sep=" | ")
        replicas | 1 | one pod for each GPU needs no 'sharing'
    """


class ArgumentTypeError(Refusal, TypeError):
    """A value of a type that an argument can't have: `'gpus' must be a whole number of at least 1 (got '1')`.

    The error has the same parts as `ArgumentError`.

    Example:
        >>> try:
        ...     TimeSlicing(replicas="5")
        ... except ArgumentTypeError as error:
        ...     print(error)
        'replicas' must be a whole number of at least 2 (got '5'); did you mean 5?
    """


class AbsentError(ArgumentError, AttributeError):
    """The error of a property without a value, because of an argument. It is an `AttributeError`, so that `hasattr`
    answers False."""


def wrong(argument: str, rule: str | Phrase, got: object, hint: str | Phrase = "", *, part: str = "") -> ArgumentError:
    """The error for a wrong value."""
    return ArgumentError(argument, rule, got, hint, part)


def wrong_kind(argument: str, rule: str | Phrase, got: object, hint: str | Phrase = "") -> ArgumentTypeError:
    """The error for a value of the wrong type."""
    return ArgumentTypeError(argument, rule, got, hint)


def in_file(path: str, error: Refusal) -> ValueError:
    """The error about a key of a file, in the words of the file. No value is quoted: it may be another file, with
    secrets."""
    import re  # only an error needs re

    from .credentials.texts import hidden_text

    hint = hidden_text(str(error.hint))
    if any(word in hint for word in re.findall(r"\w{4,}", str(error.got))):
        hint = ""
    return ValueError(f"{path}: '{error.argument}' must be {error.rule}{f'; {hint}' if hint else ''}")


def _written(value: object) -> str:
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, MappingProxyType):
        return repr(dict(value))
    if isinstance(value, list) and any(map(_has_address, value)):
        return f"[{', '.join(map(_written, value))}]"
    if _has_address(value):
        name = type(value).__name__
        return f"{'an' if name[:1] in 'AEIO' else 'a'} {name}"
    try:
        return str(value) if isinstance(value, Argument) else repr(value)
    except ValueError:  # Python writes no number of more than 4300 digits
        return "a number of thousands of digits"


def _has_address(value: object) -> bool:
    """Whether Python shows the value by its address in memory, as the objects of cdk8s."""
    kind: Any = type(value)
    return kind.__repr__ is object.__repr__


class TalosGpuWarning(UserWarning):
    """A configuration that Kubernetes accepts, and that does not do on Talos with an NVIDIA GPU what its author
    expects.

    The configuration is valid, so this library warns and raises no error. `warnings.simplefilter("error",
    TalosGpuWarning)` turns the warning into an error, for example in CI.
    """

    def __str__(self) -> str:
        return str(self.args[0])


def warn(message: str | Phrase) -> None:
    """Issue a warning at the line of the user's code: the frames of this library, jsii, cdk8s and attrs are skipped."""
    level, frame = 2, sys._getframe(1)  # noqa: SLF001  # the only way to the caller's frame
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in {"constructs_lib", "jsii", "cdk8s", "attr"}:
        level, frame = level + 1, frame.f_back
    warnings.warn(TalosGpuWarning(message), stacklevel=level)
