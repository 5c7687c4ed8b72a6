"""`takes`: a decorator that gives a construct the fields of its settings class as arguments, with their types and defaults."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from constructs import Construct

from ._emit import check_place

_C = TypeVar("_C")
_S = TypeVar("_S")
_P = ParamSpec("_P")


def takes(
    settings: Callable[_P, _S], **defaults: Callable[[Construct, str], object]
) -> Callable[[Callable[[_C, Construct, str, _S], None]], Callable[Concatenate[_C, Construct, str, _P], None]]:
    """Give a construct's `__init__(self, scope, id, settings)` the arguments of a settings class, in place of its last parameter.

    Type checkers, editors, `help()` and `inspect.signature` see each argument. `defaults` holds, by argument, a function that computes the default
    from the scope and the id.
    """

    def wrap(init: Callable[[_C, Construct, str, _S], None]) -> Callable[Concatenate[_C, Construct, str, _P], None]:
        @functools.wraps(init)
        def init_with_arguments(self: _C, scope: Construct, id: str, /, *args: _P.args, **kwargs: _P.kwargs) -> None:
            check_place(scope, id)
            for name, default in defaults.items():
                if kwargs.get(name) is None:
                    kwargs[name] = default(scope, id)
            init(self, scope, id, settings(*args, **kwargs))

        own = list(inspect.signature(init).parameters.values())[:-1]
        init_with_arguments.__signature__ = inspect.Signature([*own, *inspect.signature(settings).parameters.values()])  # type: ignore[attr-defined]
        return init_with_arguments

    return wrap
