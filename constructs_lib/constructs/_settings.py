"""The arguments of constructs, which stand once, on the settings of the construct."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Container
from typing import Any, Concatenate, ParamSpec, TypeVar

from constructs import Construct

from ..arguments.keywords import checked_call
from ..clusters.part import Part
from ._emit import check_place
from ._registry import place_of

_C = TypeVar("_C")
_S = TypeVar("_S")
_P = ParamSpec("_P")
_NODES = "nodes"
_ESCAPE_HATCHES = ("values", "pod_spec")


def takes(part: Part[_P, _S]) -> Callable[[Callable[[_C, Construct, str, _S], None]], Callable[Concatenate[_C, Construct, str, _P], None]]:
    """Give a construct's `__init__(self, scope, id, settings)` the arguments of the part's settings, in place of its
    last parameter.

    Type checkers, editors, `help()` and `inspect.signature` see each argument. A misspelt or missing argument is
    refused before anything is built.
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
        init_with_arguments.__signature__ = inspect.Signature([*own, *_arguments(part.settings)])  # type: ignore[attr-defined]
        owner = init.__qualname__.split(".")[-2]
        named: Callable[Concatenate[_C, Construct, str, _P], None] = checked_call(
            init_with_arguments, owner, 1, part.needs, functools.partial(_passed_on, part)
        )
        return named

    return wrap


def _passed_on(part: Part[..., Any]) -> dict[str, Container[str]]:
    from ..clusters.part_table import passed_on  # deferred: only an error needs every part

    return passed_on(part)


def _arguments(settings: Callable[..., object]) -> list[inspect.Parameter]:
    """The arguments as a reader looks for them: the nodes, what has to be given, the construct's own, those of each
    base class, and the escape hatches."""
    homes = [set(inspect.get_annotations(base)) for base in inspect.getmro(settings)] if isinstance(settings, type) else []

    def place(argument: inspect.Parameter) -> tuple[bool, bool, bool, int]:
        home = next((index for index, names in enumerate(homes) if argument.name in names), len(homes))
        return argument.name != _NODES, argument.default is not inspect.Parameter.empty, argument.name in _ESCAPE_HATCHES, home

    return sorted(inspect.signature(settings).parameters.values(), key=place)
