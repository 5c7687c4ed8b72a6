"""Misspelt and missing arguments, answered in this library's words before anything is built."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from .errors import NOTHING, Argument, InPython, Phrase, wrong_kind
from .spelling import did_you_mean

_T = TypeVar("_T")


def named_arguments(**hints: str) -> Callable[[_T], _T]:
    """Let a class or a function answer a misspelt or missing argument in our words, before anything is built.

    `hints` says of a required argument why it has no default.
    """

    def wrap(made: Any) -> Any:
        if not isinstance(made, type):
            return _checked(made, made.__name__, 0, hints)
        made.__init__ = _checked(made.__init__, made.__name__, 1, hints)  # type: ignore[misc]  # a decorator is an assignment
        return made

    return wrap


def _checked(call: Any, owner: str, first: int, hints: Mapping[str, str]) -> Any:
    @functools.cache
    def arguments() -> tuple[list[str], list[str], list[str]]:
        """The arguments that may be given by their place, those by name alone, and the required ones."""
        every = list(inspect.signature(call).parameters.values())[first:]
        by_name = [each.name for each in every if each.kind is each.KEYWORD_ONLY]
        required = [each.name for each in every if each.default is each.empty]
        return [each.name for each in every if each.name not in by_name], by_name, required

    @functools.wraps(call)
    def checked(*args: Any, **given: Any) -> Any:
        positional, by_name, required = arguments()
        count = len(args) - first
        if count > len(positional):
            surplus = args[first + len(positional)]
            if not by_name:
                raise TypeError(f"{owner} must be given at most {len(positional)} values (got {surplus!r} as well)")
            name = next((each for each in by_name if each in required), by_name[0])
            raise wrong_kind(name, "given by its name", surplus, f"such as {owner}(…, {name}=…)")
        check_keywords(owner, (*positional, *by_name), given)
        for name in required:
            if name not in given and name not in positional[:count]:
                raise wrong_kind(name, Phrase("given", InPython(f" to {owner}")), NOTHING, hints.get(name, ""))
        # A construct's scope and id are positional alone for type checkers, and may be given by name all the same.
        named = list(itertools.takewhile(given.__contains__, positional[max(count, 0) :]))
        return call(*args, *(given.pop(name) for name in named), **given)

    return checked


# What people look for on a construct, and where it is.
_ELSEWHERE = {
    "tolerations": "give the 'taints' to GpuNodes: everything for these nodes tolerates them",
    "nodeselector": "give the 'labels' to GpuNodes: they become the selector",
    "affinity": "give the 'labels' to GpuNodes, or use 'pod_spec'",
    "runtimeclass": "it follows from the 'talos_version' of GpuNodes",
    "runtimeclassname": "it follows from the 'talos_version' of GpuNodes",
    "migstrategy": "it is an argument of GpuNodes",
    "sharing": "it is an argument of GpuNodes",
    "dra": "it is an argument of GpuNodes",
    "resourceclaims": "give dra=Dra(…) to GpuNodes",
    "featuregates": "give them in 'values': {'featureGates': …}",
    "timeslicing": "give sharing=TimeSlicing(…) to GpuNodes",
    "strategy": "it is 'update_strategy'",
    "resources": "they are 'cpu', 'memory' and 'gpus'",
    "limits": "they are 'cpu', 'memory' and 'gpus'",
    "gfd": "it is 'feature_discovery'",
    "config": "the plugin's config follows from 'sharing' and 'mig_strategy' of GpuNodes",
    "handler": "it is 'nvidia' on every Talos, whatever the name",
    "migprofile": "a pod asks for it by 'profile', and 'mig_devices' of GpuNodes says what the cards are cut into",
    "gpusperpod": "it is 'gpus'",
    "hostnetwork": "give it in 'pod_spec': {'hostNetwork': True}",
}


def check_keywords(owner: str, known: Iterable[str], given: Mapping[str, object]) -> None:
    """Refuse a keyword that `owner` does not have, naming the one that was probably meant."""
    names = list(known)
    for name, value in given.items():
        if name not in names:
            hint = (
                _ELSEWHERE.get(name.replace("_", "").lower())
                or did_you_mean(name, names)
                or "its arguments are " + ", ".join(f"'{known_name}'" for known_name in names if known_name not in ("scope", "id"))
            )
            raise wrong_kind(name, f"an argument of {owner}", Argument(name, value), hint)
