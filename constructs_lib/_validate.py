"""How wrong input is refused: one message form for the whole library, and the checks that more than one room needs.

`'<argument>' must be <rule> (got <repr>); <cause, did-you-mean or fix>`: a `TypeError` for the wrong kind of thing, a `ValueError` for
the wrong value of the right kind. Every check returns the value it accepted, so that it can be used where the value is.
"""

from __future__ import annotations

import functools
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Any, TypeVar

_T = TypeVar("_T")
_C = TypeVar("_C", bound="Choice")


class TalosGpuWarning(UserWarning):
    """What Kubernetes accepts and Talos, with an NVIDIA GPU, makes something else of than its author meant.

    Nothing is raised, because the manifest is legal; `warnings.simplefilter("error", TalosGpuWarning)` makes it an error in CI.
    """


def warn(message: str) -> None:
    """Warn from the line of the user's own code: past our frames, and jsii's when a construct is made."""
    level, frame = 2, sys._getframe(1)  # noqa: SLF001  # the only way to the caller's frame
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in {__package__, "jsii"}:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, TalosGpuWarning, stacklevel=level)


class Choice(StrEnum):
    """A closed set of upstream's own words: the member and its string are the same value, and print alike."""

    def __repr__(self) -> str:
        return repr(str(self))


def wrong(argument: str, rule: str, got: object, then: str = "") -> ValueError:
    """The error for a wrong value."""
    return ValueError(_message(argument, rule, got, then))


def wrong_kind(argument: str, rule: str, got: object, then: str = "") -> TypeError:
    """The error for the wrong kind of thing."""
    return TypeError(_message(argument, rule, got, then))


def _message(argument: str, rule: str, got: object, then: str) -> str:
    return f"'{argument}' must be {rule} (got {got!r})" + (f"; {then}" if then else "")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`did you mean 'envvar'?`, or nothing when nothing comes close."""
    import difflib  # what goes well never needs it

    close = difflib.get_close_matches(word, list(known), n=1)
    return f"did you mean '{close[0]}'?" if close else ""


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
    if isinstance(value, str) or not isinstance(value, list | tuple):
        raise wrong_kind(argument, "a list of strings", value, f"did you mean [{value!r}]?" if isinstance(value, str) else "")
    for item in value:
        if not isinstance(item, str):
            raise wrong_kind(argument, "a list of strings", value, f"{item!r} is not a string")
    return list(value)


def mapping(argument: str, value: object, rule: str = "a mapping") -> dict[str, Any]:
    """A mapping with strings for keys, as a dict of our own."""
    if not isinstance(value, Mapping):
        raise wrong_kind(argument, rule, value)
    for key in value:
        if not isinstance(key, str):
            raise wrong_kind(argument, rule, value, f"the key {key!r} is not a string")
    return dict(value)


# Strings, which re compiles when they are first used: an import compiles none.
_LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_LABEL_VALUE = r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?"
_LONGEST_NAME = 253
_ENV_NAME = r"[-._a-zA-Z][-._a-zA-Z0-9]*"


def dns_label(argument: str, value: object, longest: int = 63) -> str:
    """A name that is right for pods, containers and Services alike (RFC 1035: Services may not start with a digit)."""
    rule = f"a DNS label (lower-case letters, digits and '-', starting with a letter, at most {longest} characters)"
    name = text(argument, value, rule)
    if not re.fullmatch(_LABEL, name) or name[0].isdigit() or len(name) > longest:
        suggestion = re.sub(r"[^a-z0-9-]+", "-", name.lower()).strip("-0123456789")[:longest].rstrip("-")
        raise wrong(argument, rule, name, f"did you mean '{suggestion}'?" if suggestion and suggestion != name else "")
    return name


def dns_subdomain(argument: str, value: object) -> str:
    """The name of most Kubernetes objects: DNS labels with dots between them."""
    rule = f"a DNS name (lower-case letters, digits, '-' and '.', at most {_LONGEST_NAME} characters)"
    name = text(argument, value, rule)
    if len(name) > _LONGEST_NAME or not all(re.fullmatch(_LABEL, part) for part in name.split(".")):
        raise wrong(argument, rule, name)
    return name


def label_key(argument: str, value: object) -> str:
    """The key of a label, a taint or an annotation: `name` or `prefix/name`."""
    rule = "a label key ('name' or 'prefix/name', the name of at most 63 letters, digits, '-', '_' and '.')"
    key = text(argument, value, rule)
    prefix, slash, name = key.rpartition("/")
    if not name or not re.fullmatch(_LABEL_VALUE, name) or (slash and not all(re.fullmatch(_LABEL, part) for part in prefix.split("."))):
        raise wrong(argument, rule, key)
    return key


def label_value(argument: str, value: object) -> str:
    """The value of a label or a taint: a string, also where YAML would read a bool."""
    rule = "a label value (at most 63 letters, digits, '-', '_' and '.', as a string)"
    if not isinstance(value, str):
        raise wrong_kind(argument, rule, value, f"did you mean '{str(value).lower()}'?" if isinstance(value, bool | int) else "")
    if not re.fullmatch(_LABEL_VALUE, value):
        raise wrong(argument, rule, value)
    return value


def given(value: Mapping[str, _T] | None) -> Mapping[str, _T]:
    """A mapping that may be left out; anything else is passed on to be checked, an empty list too."""
    return {} if value is None else value


def label_map(argument: str, value: object) -> dict[str, str]:
    """Labels, or a node selector."""
    pairs = mapping(argument, value, "a mapping of label keys to label values")
    return {label_key(argument, key): label_value(f"{argument}[{key}]", item) for key, item in pairs.items()}


def annotation_map(argument: str, value: object) -> dict[str, str]:
    """Annotations: any string is a value, the empty one too."""
    pairs = mapping(argument, value, "a mapping of annotation keys to strings")
    for key, item in pairs.items():
        label_key(argument, key)
        if not isinstance(item, str):
            raise wrong_kind(f"{argument}[{key}]", "a string", item)
    return pairs


def env_name(argument: str, value: object) -> str:
    """The name of an environment variable, as Kubernetes accepts it."""
    name = text(argument, value, "the name of an environment variable")
    if not re.fullmatch(_ENV_NAME, name):
        raise wrong(argument, "the name of an environment variable (letters, digits, '_', '-' and '.')", name)
    return name


_QUANTITY = r"([0-9]+(?:\.[0-9]+)?|\.[0-9]+)((?:[numkMGTPE]|[KMGTPE]i)?|[eE][+-]?[0-9]+)"
_FACTORS = {"n": Decimal("1e-9"), "u": Decimal("1e-6"), "m": Decimal("1e-3"), "": Decimal(1)}
_FACTORS |= {letter: Decimal(1000) ** power for power, letter in enumerate("kMGTPE", 1)}
_FACTORS |= {f"{letter}i": Decimal(1024) ** power for power, letter in enumerate("KMGTPE", 1)}


def quantity(argument: str, value: object, example: str = "16Gi") -> str:
    """A Kubernetes quantity above zero, kept as it was written."""
    rule = f"a Kubernetes quantity above zero such as '{example}'"
    if isinstance(value, int) and not isinstance(value, bool):
        raise wrong_kind(argument, rule, value, f"did you mean '{value}Gi'?")
    written = text(argument, value, rule)
    amount = _amount(written)
    if amount is None:
        repaired = re.sub(r"\s*([kmgtpe])i?b?$", lambda found: f"{found[1].upper()}i", written.strip(), flags=re.IGNORECASE)
        then = f"did you mean '{repaired}'?" if repaired != written and _amount(repaired) else ""
        raise wrong(argument, rule, written, then)
    if amount <= 0:
        raise wrong(argument, rule, written)
    return written


def cpu_quantity(argument: str, value: object) -> str:
    """CPUs, as '500m', '2' or a number of whole or fractional CPUs."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return quantity(argument, value, "500m")
    if value <= 0:
        raise wrong(argument, "a number of CPUs above zero, or a Kubernetes quantity such as '500m'", value)
    return f"{value:g}"


def amount_of(written: str) -> Decimal:
    """How much a checked quantity is, to compare two of them."""
    return _amount(written) or Decimal(0)


def _amount(written: str) -> Decimal | None:
    found = re.fullmatch(_QUANTITY, written)
    if not found:
        return None
    number, unit = found.groups()
    return Decimal(number) * _FACTORS[unit] if unit in _FACTORS else Decimal(number + unit)


_DURATION = r"([0-9]+(\.[0-9]+)?(ms|s|m|h))+"


def duration(argument: str, value: object, example: str = "1h") -> str:
    """A duration as Go and the GitOps tools write it."""
    rule = f"a duration such as '{example}' or '30s'"
    written = text(argument, value, rule)
    if not re.fullmatch(_DURATION, written):
        raise wrong(argument, rule, written)
    return written


def named_arguments(**hints: str) -> Callable[[type[_T]], type[_T]]:
    """Let a class answer a misspelt or missing keyword in our words, before anything is built.

    `hints` says of a required argument why it has no default.
    """

    def wrap(cls: type[_T]) -> type[_T]:
        init = cls.__init__
        code = init.__code__
        positional = code.co_varnames[1 : code.co_argcount]
        subjects = positional[: len(positional) - len(init.__defaults__ or ())]
        keywords = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        required = [name for name in keywords if name not in (init.__kwdefaults__ or {})]

        @functools.wraps(init)
        def checked(self: Any, *args: Any, **given: Any) -> None:
            if len(args) > len(positional) and keywords:
                surplus = args[len(positional)]
                name = required[0] if required else keywords[0]
                raise TypeError(f"'{name}' must be given by its name (got {surplus!r}); such as {cls.__name__}(…, {name}=…)")
            check_keywords(cls.__name__, (*positional, *keywords), given)
            for name in (*subjects[len(args) :], *required):
                if name not in given:
                    hint = hints.get(name, "")
                    raise TypeError(f"'{name}' must be given to {cls.__name__} (got nothing)" + (f"; {hint}" if hint else ""))
            init(self, *args, **given)

        cls.__init__ = checked  # type: ignore[method-assign]  # mypy wants no assignment to a method; a decorator is one
        return cls

    return wrap


# What people look for on a construct, and where it is.
_ELSEWHERE = {
    "tolerations": "give the 'taints' to GpuNodes: everything for these nodes tolerates them",
    "nodeselector": "give the 'labels' to GpuNodes: they become the selector",
    "affinity": "give the 'labels' to GpuNodes, or use 'pod_spec'",
    "runtimeclass": "it follows from the 'talos_version' of GpuNodes",
    "runtimeclassname": "it follows from the 'talos_version' of GpuNodes",
    "migstrategy": "it is an argument of GpuNodes",
    "sharing": "it is an argument of GpuNodes",
    "timeslicing": "give sharing=TimeSlicing(…) to GpuNodes",
    "strategy": "it is 'update_strategy'",
}


def check_keywords(owner: str, known: Iterable[str], given: Mapping[str, object]) -> None:
    """Refuse a keyword that `owner` does not have, naming the one that was probably meant."""
    names = list(known)
    for name, value in given.items():
        if name not in names:
            then = (
                _ELSEWHERE.get(name.replace("_", "").lower())
                or did_you_mean(name, names)
                or "its arguments are " + ", ".join(f"'{known_name}'" for known_name in names)
            )
            raise TypeError(f"'{name}' must be an argument of {owner} (got {name}={value!r}); {then}")
