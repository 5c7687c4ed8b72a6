"""Errors for misspelt and missing arguments, in the form of this library, before an object is built."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, TypeVar

from .errors import NOTHING, Argument, InPython, Phrase, wrong_kind
from .spelling import did_you_mean

_T = TypeVar("_T")


def named_arguments(**hints: str) -> Callable[[_T], _T]:
    """A decorator of a class or a function: it checks the names of the arguments before the call.

    `hints` holds, for a required argument, the reason why it has no default.
    """

    def wrap(owner: Any) -> Any:
        if not isinstance(owner, type):
            return checked_call(owner, owner.__name__, 0, hints)
        owner.__init__ = checked_call(owner.__init__, owner.__name__, 1, hints)  # type: ignore[misc]  # a decorator is an assignment
        return owner

    return wrap


def checked_call(call: Any, owner: str, first: int, hints: Mapping[str, str]) -> Any:
    """A call that checks the names of its arguments; the `first` ones, as `self`, are no arguments of users."""

    @functools.cache
    def arguments() -> tuple[list[str], list[str], list[str]]:
        """The names of the positional arguments, of the keyword-only arguments, and of the required arguments."""
        every = list(inspect.signature(call).parameters.values())[first:]
        by_name = [each.name for each in every if each.kind is each.KEYWORD_ONLY]
        required = [each.name for each in every if each.default is each.empty]
        return [each.name for each in every if each.name not in by_name], by_name, required

    @functools.wraps(call)
    def checked(*args: Any, **given: Any) -> Any:
        __tracebackhide__ = True  # pytest shows the caller's line, not this one
        positional, by_name, required = arguments()
        count = len(args) - first
        if count > len(positional):
            surplus = args[first + len(positional)]
            if not by_name:
                raise TypeError(f"{owner} must be given at most {len(positional)} values (got {surplus!r} as well)")
            name = next((each for each in by_name if each in required), by_name[0])
            raise wrong_kind(name, "given by its name", surplus, f"such as {owner}(…, {name}=…)")
        check_keywords(owner, (*positional, *by_name), given)
        check_required(owner, required, {*given, *positional[: max(count, 0)]}, hints)
        # For type checkers the scope and id of a construct are positional-only; at run time both may be given by name as well.
        named = list(itertools.takewhile(given.__contains__, positional[max(count, 0) :]))
        return call(*args, *(given.pop(name) for name in named), **given)

    return checked


def check_required(owner: str, required: Iterable[str], given: Container[str], hints: Mapping[str, str]) -> None:
    """Refuse a call without an argument that has no default."""
    for name in required:
        if name not in given:
            raise wrong_kind(name, Phrase("given", InPython(f" to {owner}")), NOTHING, hints.get(name, ""))


def check_keywords(owner: str, known: Iterable[str], given: Mapping[str, object]) -> None:
    """Refuse a keyword that `owner` does not have; the hint names a similar one."""
    names = list(known)
    for name, value in given.items():
        if name not in names:
            from .elsewhere import answer  # deferred: only this error reads the tables

            hint = (
                answer(owner, name)
                or did_you_mean(name, names)
                or f"the arguments of {owner} are "
                + ", ".join(f"'{known_name}'" for known_name in names if known_name not in ("scope", "id"))
            )
            raise wrong_kind(name, f"an argument of {owner}", Argument(name, value), hint)
