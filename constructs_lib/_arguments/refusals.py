"""How wrong input is refused: one message form for the whole library, and the checks that more than one room needs.

`'<argument>' must be <rule> (got <repr>); <cause, did-you-mean or fix>`: a `TypeError` for the wrong kind of thing, a `ValueError` for
the wrong value of the right kind. Every check returns the value it accepted, so that it can be used where the value is.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ..upstream.choice import Choice

_T = TypeVar("_T")
_C = TypeVar("_C", bound=Choice)


class TalosGpuWarning(UserWarning):
    """What Kubernetes accepts and Talos, with an NVIDIA GPU, makes something else of than its author meant.

    Nothing is raised, because the manifest is legal; `warnings.simplefilter("error", TalosGpuWarning)` makes it an error in CI.
    """


def warn(message: str) -> None:
    """Warn from the line of the user's own code: past our frames, jsii's and `dataclasses.replace`'s when something is made, and cdk8s' when a
    synth asks us.
    """
    level, frame = 2, sys._getframe(1)  # noqa: SLF001  # the only way to the caller's frame
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in {"constructs_lib", "jsii", "cdk8s", "dataclasses"}:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, TalosGpuWarning, stacklevel=level)


def wrong(argument: str, rule: str, got: object, then: str = "") -> ValueError:
    """The error for a wrong value."""
    return ValueError(_message(argument, rule, got, then))


def wrong_kind(argument: str, rule: str, got: object, then: str = "") -> TypeError:
    """The error for the wrong kind of thing."""
    return TypeError(_message(argument, rule, got, then))


def _message(argument: str, rule: str, got: object, then: str) -> str:
    said = f"the class {got.__name__}" if isinstance(got, type) else repr(got)
    return f"'{argument}' must be {rule} (got {said})" + (f"; {then}" if then else "")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`did you mean 'envvar'?`, or nothing when nothing comes close."""
    import difflib  # what goes well never needs it

    spelled = {each.lower(): each for each in known}
    close = difflib.get_close_matches(word.lower(), spelled, n=1)
    return f"did you mean '{spelled[close[0]]}'?" if close else ""


def choice(argument: str, value: object, kind: type[_C]) -> _C:
    """A member of `kind`, from the member or its string."""
    if isinstance(value, kind):
        return value
    values = [str(member) for member in kind]
    rule = "one of " + ", ".join(f"'{known}'" for known in values)
    if not isinstance(value, str):
        raise wrong_kind(argument, rule, value)
    try:
        return kind(value)
    except ValueError:
        raise wrong(argument, rule, str(value), did_you_mean(str(value), values)) from None


def instance(argument: str, value: _T, kind: Any, rule: str, then: str = "") -> _T:
    """A value of a class of ours."""
    if not isinstance(value, kind):
        raise wrong_kind(argument, rule, value, then)
    return value


def whole_number(argument: str, value: object, minimum: int = 1, maximum: int | None = None, then: str = "") -> int:
    """An `int` in range; a bool is no number, and a fraction is never rounded."""
    rule = f"a whole number of at least {minimum}" if maximum is None else f"a whole number from {minimum} to {maximum}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_kind(argument, rule, value, then)
    if isinstance(value, float) or value < minimum or (maximum is not None and value > maximum):
        raise wrong(argument, rule, value, then)
    return value


def flag(argument: str, value: object) -> bool:
    """True or False; not the string "false", which Python would take for true."""
    if not isinstance(value, bool):
        raise wrong_kind(argument, "True or False", value)
    return value


def text(argument: str, value: object, rule: str = "a string that is not empty", then: str = "") -> str:
    """A string with something in it."""
    if not isinstance(value, str):
        raise wrong_kind(argument, rule, value, then)
    if not value.strip():
        raise wrong(argument, rule, value, then)
    return value


def texts(argument: str, value: object) -> list[str]:
    """A list of strings, as Kubernetes wants `command` and `args`; a bare string would become a list of its letters."""
    if isinstance(value, str):
        raise wrong_kind(argument, "a list of strings", value, f"did you mean {_words(value)!r}?")
    if not isinstance(value, list | tuple):
        raise wrong_kind(argument, "a list of strings", value)
    for item in value:
        if not isinstance(item, str):
            raise wrong_kind(argument, "a list of strings", value, f"{item!r} is not a string")
    return list(value)


def _words(line: str) -> list[str]:
    import shlex  # what goes well never needs it

    try:
        return shlex.split(line)
    except ValueError:  # a quote without its other half
        return [line]


def mapping(argument: str, value: object, rule: str = "a mapping") -> dict[str, Any]:
    """A mapping with strings for keys, as a dict of our own."""
    if not isinstance(value, Mapping):
        raise wrong_kind(argument, rule, value)
    for key in value:
        if not isinstance(key, str):
            raise wrong_kind(argument, rule, value, f"the key {key!r} is not a string")
    return dict(value)


def plain_mapping(argument: str, value: object, rule: str = "a mapping") -> dict[str, Any]:
    """A mapping of what JSON has, however deep: jsii stops in the middle of an object at anything else, and its kernel dies of a NaN."""
    found = mapping(argument, value, rule)
    for key, item in found.items():
        _check_plain(argument, key, item)
    return found


def _check_plain(argument: str, path: str, value: object) -> None:
    name = f"{argument}[{path}]"
    if isinstance(value, Mapping):
        for key, item in mapping(name, value).items():
            _check_plain(argument, f"{path}.{key}", item)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _check_plain(argument, f"{path}.{index}", item)
    elif isinstance(value, float) and (value != value or abs(value) == float("inf")):  # noqa: PLR0124  # what NaN is known by
        raise wrong(name, "a number that JSON has", value)
    elif not isinstance(value, str | int | float | None):
        # What YAML makes of an unquoted date.
        then = f"did you mean '{value}'?" if hasattr(value, "isoformat") else ""
        raise wrong_kind(name, "a string, a number, True, False, None, a list or a mapping", value, then)


def given(value: Mapping[str, _T] | None) -> Mapping[str, _T]:
    """A mapping that may be left out; anything else is passed on to be checked, an empty list too."""
    return {} if value is None else value


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
    code = call.__code__
    positional = code.co_varnames[first : code.co_argcount]
    subjects = positional[: len(positional) - len(call.__defaults__ or ())]
    keywords = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    required = [name for name in keywords if name not in (call.__kwdefaults__ or {})]

    @functools.wraps(call)
    def checked(*args: Any, **given: Any) -> Any:
        count = len(args) - first
        if count > len(positional):
            surplus = args[first + len(positional)]
            if not keywords:
                raise TypeError(f"{owner} must be given at most {len(positional)} values (got {surplus!r} as well)")
            name = required[0] if required else keywords[0]
            raise TypeError(f"'{name}' must be given by its name (got {surplus!r}); such as {owner}(…, {name}=…)")
        check_keywords(owner, (*positional, *keywords), given)
        for name in (*subjects[max(count, 0) :], *required):
            if name not in given:
                hint = hints.get(name, "")
                raise TypeError(f"'{name}' must be given to {owner} (got nothing)" + (f"; {hint}" if hint else ""))
        return call(*args, **given)

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
            then = (
                _ELSEWHERE.get(name.replace("_", "").lower())
                or did_you_mean(name, names)
                or "its arguments are " + ", ".join(f"'{known_name}'" for known_name in names if known_name not in ("scope", "id"))
            )
            raise TypeError(f"'{name}' must be an argument of {owner} (got {name}={value!r}); {then}")
