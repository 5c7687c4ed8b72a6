"""Whether a query of PromQL has one element as its answer, by its form alone."""

from __future__ import annotations

import re

# Each step replaces what it knows by one of these characters, from the innermost call to the outermost.
_ONE, _BUCKETS, _MANY = "\x01", "\x02", "\x03"

_TEXTS = re.compile(r"""#[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`""", re.DOTALL)
_LABELS = re.compile(r"\{[^{}]*\}")
_BY_LE = re.compile(r"\bby\s*\(\s*le\s*\)")
_CALL = re.compile(r"(?:\b(?P<name>[a-z_][a-z0-9_]*)\s*(?P<le>\x02\s*)?)?\((?P<given>[^()]*)\)", re.IGNORECASE)
_AFTER_LE = re.compile(rf"{_ONE}\s*{_BUCKETS}")
_AGGREGATIONS = {"sum", "avg", "min", "max", "count", "group", "quantile", "stddev", "stdvar", "vector"}
_FUNCTIONS = {"abs", "ceil", "floor", "round", "sqrt", "ln", "log2", "log10", "exp", "clamp", "clamp_min", "clamp_max"}
_NUMBER = r"\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_TERM = rf"-?\s*(?:{_ONE}|{_NUMBER})"
_WHOLE = re.compile(rf"\s*{_TERM}(?:\s*(?:[-+*/%^]|[<>]=?|[!=]=|or\b|and\b|unless\b)\s*{_TERM})*\s*", re.IGNORECASE)


def has_one_element(query: str) -> bool:
    """Whether the answer is a vector with one element at most: aggregations without `by` and `without`, and arithmetic
    with them and numbers."""
    text = _BY_LE.sub(_BUCKETS, _LABELS.sub(" ", _TEXTS.sub(" ", query)))
    while (shorter := _AFTER_LE.sub(f" {_BUCKETS} ", _CALL.sub(_reduced, text, count=1))) != text:
        text = shorter
    return _is_one(text)


def _is_one(text: str) -> bool:
    return _ONE in text and _WHOLE.fullmatch(text) is not None


def _reduced(call: re.Match[str]) -> str:
    """The character of the innermost call."""
    name, given = (call["name"] or "").lower(), call["given"]
    first, _, rest = given.partition(",")
    if name in _AGGREGATIONS:
        return f" {_BUCKETS if call['le'] else _ONE} "
    if name == "scalar":
        return " 1 "
    if name == "histogram_quantile" and rest.strip() == _BUCKETS:
        return f" {_ONE} "
    if name in ("or", "and", "unless"):
        return f" {name} {_ONE if _is_one(given) else _MANY} "
    return f" {_ONE} " if (not name or name in _FUNCTIONS) and _is_one(first if name else given) else f" {_MANY} "
