"""Flux: the variables that a Kustomization substitutes in what it deploys, as far as they are literal.

The rules are those of Flux' envsubst (https://github.com/fluxcd/pkg/tree/main/envsubst, read 2026-11-22): `${var}`, `${var:=default}`,
`${var:-default}`, `${var=default}`, and `$$` for a dollar. What ConfigMaps and Secrets give (`substituteFrom`) stays unknown, and so do the
functions that cut or replace text. A variable that nothing defines, and that has no default, stays unknown too: Flux refuses it, or takes it
for empty, by a feature gate of the controller.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..model import Unknown, UnknownKey, at, equals, is_given, is_open, known_items, known_str
from ..model.unknown import FILLED_IN, GAP
from .located_yaml import Document, Map, Place, Seq, documents
from .release_values import Text

_DISABLED = "kustomize.toolkit.fluxcd.io/substitute"
_EXPRESSION = re.compile(r"\$\$|\$\{(\w+)(?:(:?=|:-)((?:[^{}]|\$\{[^{}]*\})*))?\}|\$\{[^{}]*(?:\}|$)")
# What makes a string of a text that has it, whatever else is in it: the serialiser quotes such a text.
_QUOTED = re.compile(r"\n|: |:$| #|^[-?] |^\s|\s$|^$")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Variables:
    """The variables of a Kustomization whose values are known; `complete` is False where there may be others."""

    known: Mapping[str, str]
    complete: bool


def variables_of(kustomization: Document) -> Variables | None:
    """The variables that a Kustomization substitutes; None where it substitutes nothing."""
    build = at(kustomization.value, "spec", "postBuild")
    written, others = at(build, "substitute"), at(build, "substituteFrom")
    known = {name: text.replace("\n", "") for name, value in known_items(written) if (text := known_str(value)) is not None}
    if not known and not equals(at(build, "substituteStrategy"), "Always").is_yes:
        return None
    unread = is_open(build) or is_open(written) or is_given(others) or any(isinstance(value, Unknown) for _, value in known_items(written))
    return Variables(known=known, complete=not unread)


def substituted(found: Iterable[Document], variables: Variables | None) -> list[Document]:
    """The objects with the values of variables in place of them; each keeps what was written."""
    if variables is None:
        return list(found)
    return [
        each if _is_excluded(each) else Document(_substituted(each.value, variables, each.place), each.place, each.value) for each in found
    ]


def agreed(one: Document, other: Document) -> Document:
    """One object that two Kustomizations make: what their variables differ in is unknown, as it was written."""
    if one.written is None or other.written is None:
        return other
    return Document(_agreed(one.value, other.value, other.written), other.place, other.written)


def _agreed(one: Any, other: Any, written: Any) -> Any:
    if repr(one) == repr(other):
        return other
    if isinstance(one, Map) and isinstance(other, Map) and isinstance(written, Map) and one.keys() == other.keys() == written.keys():
        return Map({key: _agreed(one[key], item, written[key]) for key, item in other.items()}, other.places)
    if isinstance(one, Seq) and isinstance(other, Seq) and isinstance(written, Seq) and len(one) == len(other) == len(written):
        return Seq(map(_agreed, one, other, written), other.places)
    return written if isinstance(written, Unknown) else Unknown(f"{written}", GAP)


def _is_excluded(each: Document) -> bool:
    return any(equals(at(each.value, "metadata", key, _DISABLED), "disabled").is_yes for key in ("labels", "annotations"))


def _substituted(value: Any, variables: Variables, place: Place) -> Any:
    if isinstance(value, Map):
        keys = {key: _key(key, variables) for key in value}
        items = {keys[key]: _substituted(item, variables, value.places.get(key, place)) for key, item in value.items()}
        return Map(items, {keys.get(key, key): where for key, where in value.places.items()})
    if isinstance(value, Seq):
        return Seq([_substituted(item, variables, where) for item, where in zip(value, value.places, strict=True)], value.places)
    if isinstance(value, Text):
        return Text(_filled(value, variables).text)
    return _scalar(value, variables, place) if isinstance(value, Unknown) else value


def _key(key: Any, variables: Variables) -> Any:
    if not isinstance(key, UnknownKey):
        return key
    filled = _filled(key.text, variables)
    return UnknownKey(filled.text, filled.known) if GAP in filled.known else filled.text


def _scalar(value: Unknown, variables: Variables, place: Place) -> Any:
    if value.known == GAP and not value.text.startswith("${"):  # no text to substitute in: a tag, or what may not be there
        return value
    filled = _filled(value.text, variables)
    if GAP in filled.known:
        return Unknown(filled.text, filled.known)
    return filled.text if _QUOTED.search(value.text) else typed(filled.text, place)


def typed(text: str, place: Place) -> Any:
    """The value of a text that was filled in before YAML is read again: `"${N}"` becomes a number, for its quotes are not kept."""
    if _QUOTED.search(text) and not text.startswith(("{", "[")):
        return text
    found, _ = documents(text, *place)
    return found[0].value if len(found) == 1 and not isinstance(found[0].value, Unknown) else text


@dataclass(frozen=True, slots=True)
class _Filled:
    text: str
    known: str


def _filled(text: str, variables: Variables) -> _Filled:
    """A text with its variables filled in, and with a `GAP` for each that is not known."""
    parts: list[_Filled] = []
    end = 0
    for found in _EXPRESSION.finditer(text):
        before = text[end : found.start()]
        parts += [_Filled(before, before), _value(found, variables)]
        end = found.end()
    rest = text[end:]
    parts.append(_Filled(rest, GAP if FILLED_IN.search(rest) else rest))
    return _Filled("".join(each.text for each in parts), "".join(each.known for each in parts))


def _value(found: re.Match[str], variables: Variables) -> _Filled:
    if found[0] == "$$":
        return _Filled("$", "$")
    name, operator, default = found.groups()
    value = variables.known.get(name) if name else None
    if value is not None and (value or operator is None):
        return _Filled(value, value)
    if operator is not None and (value is not None or variables.complete):
        return _filled(default, variables)
    return _Filled(found[0], GAP)
