"""`takes`: a decorator that gives a construct the fields of its settings class as arguments, with their types and defaults."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from constructs import Construct

from ..clusters.part import Part
from ._emit import check_place
from ._registry import place_of

_C = TypeVar("_C")
_S = TypeVar("_S")
_P = ParamSpec("_P")


def takes(
    part: Part[_P, _S],
) -> Callable[[Callable[[_C, Construct, str, _S], None]], Callable[Concatenate[_C, Construct, str, _P], None]]:
    """Give a construct's `__init__(self, scope, id, settings)` the arguments of the part's settings, in place of its last parameter.

    Type checkers, editors, `help()` and `inspect.signature` see each argument.
    """

    def wrap(init: Callable[[_C, Construct, str, _S], None]) -> Callable[Concatenate[_C, Construct, str, _P], None]:
        @functools.wraps(init)
        def init_with_arguments(self: _C, scope: Construct, id: str, /, *args: _P.args, **kwargs: _P.kwargs) -> None:  # noqa: A002
            check_place(scope, id)
            for name, default in part.defaults.items():
                if kwargs.get(name) is None:
                    kwargs[name] = default(place_of(scope), id)
            init(self, scope, id, part.settings(*args, **kwargs))

        own = list(inspect.signature(init).parameters.values())[:-1]
        arguments = inspect.signature(part.settings).parameters.values()
        init_with_arguments.__signature__ = inspect.Signature([*own, *arguments])  # type: ignore[attr-defined]
        return init_with_arguments

    return wrap
