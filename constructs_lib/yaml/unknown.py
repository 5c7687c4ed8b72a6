"""Values that another tool fills in before they reach the cluster, and functions that accept known and unknown values.

An `Unknown` is not a string: comparing, testing or searching it raises a TypeError. Facts and rules use the functions
of this module, which answer for known and unknown values. A value that is a `str` or a `Mapping` by `isinstance` is
always known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, NoReturn, TypeGuard

from ..arguments.patterns import pattern

FILLED_IN = pattern(r"\$\{|\{\{|\{%|#\{|#%|ENC\[|op://|<path:")
"""The marks of placeholders: Flux and shells, Helm and Jinja (with makejinja's own marks), SOPS, 1Password, Argo CD's
vault plugin.
"""

GAP = "\0"
"""The character for each unknown part in `Unknown.known`. No YAML has this character."""

_GAPS = pattern(
    r"\$\{(?:[^{}]|\{[^{}]*\})*\}|\{\{.*?\}\}|\{%.*?%\}|#\{.*?\}#|#%.*?%#|<path:[^>]*>|<<(?:(?!<<).)*?>>"  # a part
    r"|ENC\[.*|op://.*|\$\{.*|\{\{.*|\{%.*|#\{.*|#%.*|<path:.*",  # the rest
    re.DOTALL,
)


class Answer(Enum):
    """The answer to a question: yes, no or unknown. It is not a `bool`."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"

    @property
    def is_yes(self) -> bool:
        """Whether the answer is a sure yes."""
        return self is Answer.YES

    @property
    def is_no(self) -> bool:
        """Whether the answer is a sure no."""
        return self is Answer.NO

    @property
    def negated(self) -> Answer:
        """The answer to the opposite question."""
        return {Answer.YES: Answer.NO, Answer.NO: Answer.YES}.get(self, self)

    def __bool__(self) -> NoReturn:
        raise TypeError("an Answer may be unknown; ask .is_yes or .is_no")


def answer(known: bool) -> Answer:
    """The answer for a known `bool`."""
    return Answer.YES if known else Answer.NO


def any_of(answers: Iterable[Answer]) -> Answer:
    """Whether at least one answer is yes."""
    result = Answer.NO
    for each in answers:
        if each is Answer.YES:
            return each
        if each is Answer.UNKNOWN:
            result = each
    return result


def all_of(answers: Iterable[Answer]) -> Answer:
    """Whether every answer is yes."""
    result = Answer.YES
    for each in answers:
        if each is Answer.NO:
            return each
        if each is Answer.UNKNOWN:
            result = each
    return result


def _refused(operation: str, accessor: str) -> Callable[..., NoReturn]:
    def refuse(self: Unknown, *_: object) -> NoReturn:
        raise TypeError(f"{operation} of a value that is not known ({self.text!r}); ask {accessor} of observed.model")

    return refuse


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Unknown:
    """A value that another tool fills in. `text` is the placeholder (`${VAR}`, `{{ … }}`), and is empty when even that
    is unknown.

    An `Unknown` prints as its text. `known` is the text with a `GAP` for each unknown part. It is a single `GAP` if
    nothing is known.
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
        if name.startswith("__"):  # Python itself looks these up
            raise AttributeError(name)
        raise TypeError(f".{name} of a value that is not known ({self.text!r}); ask known_str(), at() or mappings() of observed.model")

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
        """Whether the value may become this text."""
        first, *rest = self.known.split(GAP)
        position = len(first)
        if not text.startswith(first):
            return False
        for part in rest[:-1]:
            if (index := text.find(part, position)) < 0:
                return False
            position = index + len(part)
        return text.endswith(rest[-1]) and len(text) - len(rest[-1]) >= position


class UnknownKey(Unknown):
    """The key of a mapping that another tool fills in. It equals no other key, so no entry is lost and no lookup finds
    it.
    """

    __slots__ = ()
    __hash__ = object.__hash__  # type: ignore[assignment]  # a key needs a hash


def is_unknown(value: object) -> TypeGuard[Unknown]:
    """Whether another tool fills in a value."""
    return isinstance(value, Unknown)


_NOTHING: Any = object()


def at(value: Any, *path: Any) -> Any:
    """The value at a path. None if there is surely no value. `Unknown` below an unknown value, and for a key that a
    mapping may have.
    """
    for key in path:
        if value is None or value.__class__ is Unknown:
            return value
        if isinstance(value, dict) or isinstance(value, Mapping):  # noqa: SIM101  # checks against an abstract class are slow
            if key.__class__ is Unknown:
                return key
            inside, value = value, value.get(key, _NOTHING)
            if value is _NOTHING:  # written out: a function call for each missing key is a part of the time of a check
                value = None
                for each in inside:
                    if each.__class__ is UnknownKey and (not isinstance(key, str) or each.may_be(key)):
                        value = Unknown(each.text, GAP)  # of its value nothing is known
                        break
        elif isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
            value = value[key]
        else:
            return None
    return value


def items_at(value: Any, path: tuple[str, ...]) -> Iterator[Any]:
    """The values at a path with stars, each for the items of a list; the list itself where its items can't be read."""
    if "*" not in path:
        yield at(value, *path)
        return
    star = path.index("*")
    listed = at(value, *path[:star])
    for item in listed if isinstance(listed, list) else [listed]:
        yield from items_at(item, path[star + 1 :])


def has(value: Any, *path: Any) -> Answer:
    """Whether a path exists. Its value may be null."""
    *above, key = path
    inside = at(value, *above)
    if isinstance(inside, Mapping) and key in inside:
        return Answer.YES
    return Answer.UNKNOWN if isinstance(at(inside, key), Unknown) else Answer.NO


def mappings(value: Any) -> list[tuple[int, Mapping[str, Any]]]:
    """The mappings in a list, with their indices. Empty if the value is not a list."""
    if not isinstance(value, list):
        return []
    return [(index, item) for index, item in enumerate(value) if isinstance(item, dict) or isinstance(item, Mapping)]  # noqa: SIM101  # as in `at`


def known_list(value: Any) -> list[Any]:
    """The items of a list; some may be unknown. Empty if the value is not a list."""
    return value if isinstance(value, list) else []


def known_items(value: Any) -> Iterator[tuple[str, Any]]:
    """The entries of a mapping with known keys. Empty if the value is not a mapping."""
    if isinstance(value, dict) or isinstance(value, Mapping):  # noqa: SIM101  # as in `at`
        for key, item in value.items():
            if key.__class__ is str or isinstance(key, str):
                yield key, item


def known_str(value: Any) -> str | None:
    """The text of a known scalar, with numbers and booleans as YAML writes them. None if the value is unknown, missing
    or not a scalar.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else None


def text_of(value: Any) -> str | Unknown | None:
    """The text of a scalar, known or unknown. None if the value is missing or not a scalar."""
    return value if isinstance(value, Unknown) else known_str(value)


def known_text(value: Any) -> str:
    """The known parts of a text, with a `GAP` for each unknown part. A text that is not found in it may still be in the
    value.
    """
    return value if isinstance(value, str) else value.known if isinstance(value, Unknown) else ""


def joined(*parts: Any) -> str | Unknown:
    """The concatenated text of several parts. Unknown if one part is unknown."""
    text = "".join(f"{part}" for part in parts)
    known = "".join(part.known if isinstance(part, Unknown) else f"{part}" for part in parts)
    return Unknown(text, known) if GAP in known else text


def literal(value: Any) -> Any:
    """The value, or the placeholder text of an unknown value: kustomize sees it before another tool fills it in."""
    return value.text if isinstance(value, Unknown) else value


def source_of(value: Any) -> str | None:
    """The text to parse, with placeholders. None if nothing of the text is known."""
    if isinstance(value, Unknown):
        return None if value.known == GAP else value.text
    return value if isinstance(value, str) else None


def is_given(value: Any) -> bool:
    """Whether a value is set: it is unknown, or not null and not empty."""
    return isinstance(value, Unknown) or value not in (None, "", [], {})


def is_open(value: Any) -> bool:
    """Whether a value is unknown, or a list or mapping with unknown items or keys."""
    if value.__class__ is Unknown:
        return True
    if isinstance(value, list | tuple | dict):
        for each in value:
            if isinstance(each, Unknown):
                return True
    return False


def equals(value: Any, other: Any) -> Answer:
    """Whether two values are equal. For two unknown values the answer is unknown, even with the same text."""
    for one, another in ((value, other), (other, value)):
        if one.__class__ is Unknown or one.__class__ is UnknownKey:
            return Answer.NO if isinstance(another, str) and not one.may_be(another) else Answer.UNKNOWN
    return Answer.YES if value == other else Answer.NO


def is_among(value: Any, others: Iterable[Any]) -> Answer:
    """Whether a value equals one of several others."""
    answer = Answer.NO
    for other in others:  # written out, as in `at`
        each = equals(value, other)
        if each is Answer.YES:
            return each
        if each is Answer.UNKNOWN:
            answer = each
    return answer


def contains(value: Any, part: str) -> Answer:
    """Whether a text contains a part."""
    return _in_text(value, part in known_text(value))


def search(pattern: str, value: Any) -> Answer:
    """Whether a regular expression matches in a text."""
    return _in_text(value, re.search(pattern, known_text(value)) is not None)


def starts_with(value: Any, *prefixes: str) -> Answer:
    """Whether a text begins with one of these prefixes."""
    known = known_text(value)
    if known.startswith(prefixes):
        return Answer.YES
    first, gap, _ = known.partition(GAP)
    return Answer.UNKNOWN if gap and any(prefix.startswith(first) for prefix in prefixes) else Answer.NO


def _in_text(value: Any, matches: bool) -> Answer:
    return Answer.YES if matches else Answer.UNKNOWN if isinstance(value, Unknown) else Answer.NO
