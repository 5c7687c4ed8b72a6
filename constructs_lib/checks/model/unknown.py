"""Values that something else fills in before they reach the cluster, and the questions that may be asked of any value.

An `Unknown` is no string: comparing, testing or searching one raises a TypeError. Facts and rules ask by the functions of this module, which
answer for known and unknown values alike. A `str` or a `Mapping` that `isinstance` finds is always a known one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, NoReturn, TypeGuard

FILLED_IN = re.compile(r"\$\{|\{\{|\{%|#\{|#%|ENC\[|op://|<path:")
"""What others fill in: Flux and shells, Helm and Jinja (with makejinja's own marks), SOPS, 1Password, Argo CD's vault plugin."""

GAP = "\0"
"""Stands in `Unknown.known` for each part that is filled in; no YAML has this character."""

_GAPS = re.compile(
    r"\$\{(?:[^{}]|\{[^{}]*\})*\}|\{\{.*?\}\}|\{%.*?%\}|#\{.*?\}#|#%.*?%#|<path:[^>]*>|<<.*?>>"  # a part
    r"|ENC\[.*|op://.*|\$\{.*|\{\{.*|\{%.*|#\{.*|#%.*|<path:.*",  # the rest
    re.DOTALL,
)


class Answer(Enum):
    """What is known of something that may be so or not; no `bool`, for it may be unknown."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"

    @property
    def is_yes(self) -> bool:
        """Whether it is surely so."""
        return self is Answer.YES

    @property
    def is_no(self) -> bool:
        """Whether it is surely not so."""
        return self is Answer.NO

    @property
    def negated(self) -> Answer:
        """The answer to the opposite question."""
        return {Answer.YES: Answer.NO, Answer.NO: Answer.YES}.get(self, self)

    def __bool__(self) -> NoReturn:
        raise TypeError("an Answer may be unknown; ask .is_yes or .is_no")


def answer(known: bool) -> Answer:
    """The answer to a question that could be decided."""
    return Answer.YES if known else Answer.NO


def any_of(answers: Iterable[Answer]) -> Answer:
    """Whether one of several is so."""
    result = Answer.NO
    for each in answers:
        if each is Answer.YES:
            return each
        if each is Answer.UNKNOWN:
            result = each
    return result


def all_of(answers: Iterable[Answer]) -> Answer:
    """Whether each of several is so."""
    result = Answer.YES
    for each in answers:
        if each is Answer.NO:
            return each
        if each is Answer.UNKNOWN:
            result = each
    return result


def _refused(operation: str, accessor: str) -> Callable[..., NoReturn]:
    def refuse(self: Unknown, *_: object) -> NoReturn:
        raise TypeError(f"{operation} of a value that is not known ({self.text!r}); ask {accessor} of checks.model")

    return refuse


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Unknown:
    """A value of which only the text is known that stands in its place: `${VAR}`, `{{ … }}`, a secret; or not even that.

    It prints as that text. `known` has a `GAP` for each part of the text that is filled in, and is one gap where nothing of the value is sure.
    """

    text: str = ""
    known: str = ""

    def __post_init__(self) -> None:
        if not self.known:
            known = _GAPS.sub(GAP, self.text)
            object.__setattr__(self, "known", known if GAP in known else GAP)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return repr(self.text)

    def __format__(self, spec: str) -> str:
        return format(self.text, spec)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # what Python itself looks for
            raise AttributeError(name)
        raise TypeError(f".{name} of a value that is not known ({self.text!r}); ask known_str(), at() or mappings() of checks.model")

    __eq__ = _refused("==", "equals()")
    __ne__ = _refused("!=", "equals()")
    __hash__ = _refused("the hash", "known_str()")
    __bool__ = _refused("the truth", "known_str(), equals() or `is None`")
    __contains__ = _refused("'in'", "contains() or at()")
    __iter__ = _refused("the items", "mappings(), known_list() or known_items()")
    __len__ = _refused("the length", "known_list() or known_str()")
    __lt__ = __le__ = __gt__ = __ge__ = _refused("the order", "known_str()")
    __getitem__ = _refused("an item", "at()")

    def may_be(self, text: str) -> bool:
        """Whether it can become this text."""
        first, *rest = self.known.split(GAP)
        position = len(first)
        if not text.startswith(first):
            return False
        for part in rest[:-1]:
            if (found := text.find(part, position)) < 0:
                return False
            position = found + len(part)
        return text.endswith(rest[-1]) and len(text) - len(rest[-1]) >= position


class UnknownKey(Unknown):
    """The key of a mapping that something else fills in: it is equal to no other key, so that no entry is lost and none is found by it."""

    __slots__ = ()
    __hash__ = object.__hash__  # type: ignore[assignment]  # a key has to have one


def is_unknown(value: object) -> TypeGuard[Unknown]:
    """Whether something else fills in a value."""
    return isinstance(value, Unknown)


_NOTHING: Any = object()


def at(value: Any, *path: Any) -> Any:
    """The value at a path. None where there is certainly none; an `Unknown` below one, and where a mapping may have the key."""
    for key in path:
        if value is None or value.__class__ is Unknown:
            return value
        if isinstance(value, dict) or isinstance(value, Mapping):  # noqa: SIM101  # an abstract class is asked at some cost
            if key.__class__ is Unknown:
                return key
            found = value.get(key, _NOTHING)
            value = _missing(value, key) if found is _NOTHING else found
        elif isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
            value = value[key]
        else:
            return None
    return value


def _missing(value: Mapping[Any, Any], key: object) -> Unknown | None:
    for each in value:
        if each.__class__ is UnknownKey and (not isinstance(key, str) or each.may_be(key)):
            return Unknown(each.text, GAP)  # of its value nothing is known
    return None


def has(value: Any, *path: Any) -> Answer:
    """Whether there is a value at a path, be it null."""
    *above, key = path
    inside = at(value, *above)
    if isinstance(inside, Mapping) and key in inside:
        return Answer.YES
    return Answer.UNKNOWN if isinstance(at(inside, key), Unknown) else Answer.NO


def mappings(value: Any) -> list[tuple[int, Mapping[str, Any]]]:
    """The mappings of a list with their indices; nothing of what is no list, and no item that is no mapping."""
    return [(index, item) for index, item in enumerate(value) if isinstance(item, Mapping)] if isinstance(value, list) else []


def known_list(value: Any) -> list[Any]:
    """The items of a list, of which some may be unknown; nothing of what is no list."""
    return value if isinstance(value, list) else []


def known_items(value: Any) -> Iterator[tuple[str, Any]]:
    """The entries of a mapping whose keys are known; nothing of what is no mapping."""
    if isinstance(value, dict) or isinstance(value, Mapping):  # noqa: SIM101  # likewise
        for key, item in value.items():
            if isinstance(key, str):
                yield key, item


def known_str(value: Any) -> str | None:
    """The text of a scalar, a number or a boolean as YAML writes it; None where it is unknown, missing or no scalar."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else None


def text_of(value: Any) -> str | Unknown | None:
    """The text of a scalar, known or not; None where it is missing or no scalar."""
    return value if isinstance(value, Unknown) else known_str(value)


def known_text(value: Any) -> str:
    """The known parts of a text, with a `GAP` for what is between them: what is found there is there, and what is not may be."""
    return value if isinstance(value, str) else value.known if isinstance(value, Unknown) else ""


def joined(*parts: Any) -> str | Unknown:
    """The text of several parts, unknown where one of them is."""
    text = "".join(f"{part}" for part in parts)
    known = "".join(part.known if isinstance(part, Unknown) else f"{part}" for part in parts)
    return Unknown(text, known) if GAP in known else text


def literal(value: Any) -> Any:
    """A value as it stands, of an unknown one the text: what kustomize sees, before anything is filled in."""
    return value.text if isinstance(value, Unknown) else value


def source_of(value: Any) -> str | None:
    """A text to be parsed, whose gaps are unknown values of what it becomes; None where nothing of it is known."""
    if isinstance(value, Unknown):
        return None if value.known == GAP else value.text
    return value if isinstance(value, str) else None


def is_given(value: Any) -> bool:
    """Whether something is written: an unknown value, or one that is not null and not empty."""
    return isinstance(value, Unknown) or value not in (None, "", [], {})


def is_open(value: Any) -> bool:
    """Whether a value is unknown, or is a list or a mapping that may have more items than are known."""
    if value.__class__ is Unknown:
        return True
    if isinstance(value, list | tuple | dict):
        for each in value:
            if isinstance(each, Unknown):
                return True
    return False


def equals(value: Any, other: Any) -> Answer:
    """Whether two values are the same; two unknown ones may be, whatever their text."""
    for one, another in ((value, other), (other, value)):
        if one.__class__ is Unknown or one.__class__ is UnknownKey:
            return Answer.NO if isinstance(another, str) and not one.may_be(another) else Answer.UNKNOWN
    return Answer.YES if value == other else Answer.NO


def is_among(value: Any, others: Iterable[Any]) -> Answer:
    """Whether a value is one of several."""
    return any_of(equals(value, other) for other in others)


def contains(value: Any, part: str) -> Answer:
    """Whether a text has a part."""
    return _in_text(value, part in known_text(value))


def search(pattern: str, value: Any) -> Answer:
    """Whether a regular expression is found in a text."""
    return _in_text(value, re.search(pattern, known_text(value)) is not None)


def starts_with(value: Any, *prefixes: str) -> Answer:
    """Whether a text begins with one of these."""
    known = known_text(value)
    if known.startswith(prefixes):
        return Answer.YES
    first, gap, _ = known.partition(GAP)
    return Answer.UNKNOWN if gap and any(prefix.startswith(first) for prefix in prefixes) else Answer.NO


def _in_text(value: Any, found: bool) -> Answer:
    return Answer.YES if found else Answer.UNKNOWN if isinstance(value, Unknown) else Answer.NO
