"""Flux's variable substitution: the literal variables that a Kustomization substitutes in its objects.

The rules are those of Flux' envsubst (https://github.com/fluxcd/pkg/tree/main/envsubst, read 2026-11-22): `${var}`,
`${var:=default}`, `${var:-default}`, `${var=default}`, and `$$` for a dollar. The values of ConfigMaps and Secrets
(`substituteFrom`) stay unknown, and so do the functions that cut or replace text. A variable without a value and
without a default stays unknown, too: a feature gate of the controller decides between an error and an empty text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ....yaml.located import Document, Map, Place, Seq, rewritten
from ....yaml.unknown import FILLED_IN, GAP
from ...model import Unknown, UnknownKey, at, equals, is_given, is_open, known_items, known_str
from .. import limits
from ..documents import documents
from ..files import Files
from ..helm.release_values import Text

_DISABLED = "kustomize.toolkit.fluxcd.io/substitute"
_VARIABLE = re.compile(r"\$\$|\$\{(\w+)(?:(:?=|:-)((?:[^{}]|\$\{[^{}]*\})*))?\}")
# YAML quotes a text with one of these patterns, so that its value stays a string.
_QUOTED = re.compile(r"\n|: |:$| #|^[-?] |^\s|\s$")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Variables:
    """The variables of a Kustomization with known values. `complete` is False if there may be others."""

    known: Mapping[str, str]
    complete: bool
    may_write: Callable[[int], bool]
    """Whether so many more characters may be written."""


def variables_of(kustomization: Document, files: Files) -> Variables | None:
    """The variables that a Kustomization substitutes. None if it has no literal variables."""
    build = at(kustomization.value, "spec", "postBuild")
    written = at(build, "substitute")
    known = {name: text.replace("\n", "") for name, value in known_items(written) if (text := known_str(value)) is not None}
    if not known and not equals(at(build, "substituteStrategy"), "Always").is_yes:
        return None
    is_unread = is_given(at(build, "substituteFrom")) or is_open(build) or is_open(written)
    return Variables(
        known=known,
        complete=not is_unread and not any(isinstance(value, Unknown) for _, value in known_items(written)),
        may_write=lambda characters: files.may_spend(limits.WRITTEN * characters, kustomization.place),
    )


def substituted(objects: Iterable[Document], variables: Variables | None) -> list[Document]:
    """The objects with their variables substituted. Each object keeps its original value as `written`."""
    if variables is None:
        return list(objects)
    return [
        each if _is_excluded(each) else Document(_substituted(each.value, variables, each.place), each.place, each.value)
        for each in objects
    ]


def agreed(one: Document, other: Document) -> Document:
    """The one object that two Kustomizations deploy. A value is unknown if their variables make it different."""
    if one.written is None or other.written is None:
        return other
    return Document(_agreed(one.value, other.value, other.written), other.place, other.written)


def parsed(text: str, place: Place) -> Any:
    """The value of a text after substitution, parsed again as YAML: `"${N}"` becomes a number, because YAML does not
    keep its quotes."""
    if FILLED_IN.search(text):
        return Unknown(text)
    if not text:
        return None
    if _QUOTED.search(text) and not text.startswith(("{", "[")):
        return text
    result, _ = documents(text, *place)
    return result[0].value if len(result) == 1 and not isinstance(result[0].value, Unknown) else text


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


def _substituted(body: Any, variables: Variables, place: Place) -> Any:
    def scalar(value: Any, where: Place) -> Any:
        if isinstance(value, Text):
            return Text(_filled(value, variables))
        if not isinstance(value, Unknown) or "${" not in value.text:
            return value
        text = _filled(value.text, variables)
        return text if _QUOTED.search(value.text) and not FILLED_IN.search(text) else parsed(text, where)

    def key(name: Any) -> Any:
        if not isinstance(name, UnknownKey):
            return name
        text = _filled(name.text, variables)
        return UnknownKey(text) if FILLED_IN.search(text) else text

    return rewritten(body, place, scalar, key)


def _filled(text: str, variables: Variables) -> str:
    return _VARIABLE.sub(lambda variable: _value(variable, variables), text)


def _value(variable: re.Match[str], variables: Variables) -> str:
    if variable[0] == "$$":
        return "$"
    name, operator, default = variable.groups()
    value = variables.known.get(name)
    if value is not None and (value or operator is None):
        return value if variables.may_write(len(value)) else variable[0]
    if operator is not None and (value is not None or variables.complete):
        return _filled(default, variables)
    return variable[0]
