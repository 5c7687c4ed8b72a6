"""Kustomize's replacements: the value of a field of one object is copied into fields of others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ....yaml.limits import DEEPEST
from ...model import Unknown, at, known_list, known_str, literal, mappings, source_of
from ...model.unknown import FILLED_IN
from ..kubernetes.located_yaml import Document, Map, Place, Seq, may_be_copied
from .patch_targets import labels_fit
from .resources import Identity, identities
from .sharing import settled

_NAME = "metadata.name"
_LONGEST = 1000
"""The longest path of a field. A longer one has no parts, and leads to no field."""


def replaced(documents: Iterable[Document], replacement: Mapping[str, Any], place: Place) -> list[Document]:
    """The objects with the source value of a replacement in each target field. The value is unknown if the source is not found."""
    result = list(documents)
    value = _source(result, replacement)
    value = value if may_be_copied(value) else Unknown()
    for _, target in mappings(at(replacement, "targets")):
        paths = [literal(each) for each in known_list(at(target, "fieldPaths"))] or [_NAME]
        options = at(target, "options")
        change = _setter(value, options)
        for written in paths:
            parts = _split(str(written))
            if not parts:
                continue
            create = at(options, "create") is True
            result = [
                settled(each, replace(each, value=_set(each.value, parts, change, place, create=create)))
                if _is_target(each, target)
                else each
                for each in result
            ]
    return result


def _source(documents: list[Document], replacement: Mapping[str, Any]) -> Any:
    """The source value. Unknown if the source is not found."""
    source_value = literal(at(replacement, "sourceValue"))
    if source_value is not None:
        return _read(source_value)
    source = at(replacement, "source")
    sources = [each for each in documents if any(_means(source, known, each) for known in identities(each))]
    if len(sources) != 1:
        return Unknown()
    value: Any = sources[0].value
    parts = _split(str(literal(at(source, "fieldPath")) or _NAME))
    for part in parts:
        value = _item(value, part)
    delimiter, index = literal(at(source, "options", "delimiter")), literal(at(source, "options", "index")) or 0
    if value is None or not parts or not delimiter:
        return Unknown() if value is None or not parts else value
    parts = (_text(value) or "").split(delimiter)
    return _read(parts[index]) if isinstance(index, int) and 0 <= index < len(parts) else Unknown()


def _text(value: Any) -> str | None:
    """The text of a scalar. None if nothing of it is known."""
    return source_of(value) if isinstance(value, Unknown) else known_str(value)


def _read(text: Any) -> Any:
    return Unknown(text) if isinstance(text, str) and FILLED_IN.search(text) else text


def _means(selector: Any, known: Identity, each: Document) -> bool:
    """Whether a selector matches an object by one of its identities. Its words are compared as they are, not as regular expressions."""
    group, _, version = str(literal(at(each.value, "apiVersion")) or "").rpartition("/")
    own = {"kind": known.kind, "name": known.name, "namespace": known.namespace, "group": group, "version": version}
    return all(literal(at(selector, key)) in (None, "", word) for key, word in own.items())


def _is_target(each: Document, target: Mapping[str, Any]) -> bool:
    select, rejects = at(target, "select"), [reject for _, reject in mappings(at(target, "reject"))]
    return (
        any(_means(select, known, each) for known in identities(each))
        and labels_fit(select, each)
        and not any(_rejects(reject, each) for reject in rejects)
    )


def _rejects(reject: Any, each: Document) -> bool:
    names_labels = any(at(reject, key) for key in ("labelSelector", "annotationSelector"))
    names_identity = any(at(reject, key) for key in ("kind", "name", "namespace", "group", "version"))
    return (names_labels and labels_fit(reject, each)) or (
        names_identity and any(_means(reject, known, each) for known in identities(each))
    )


def _split(path: str) -> list[str]:
    r"""The parts of a field path: `a.b`, `a\.b`, `a.[name=x.y]` and `a.[b.c/d]`."""
    if len(path) > _LONGEST:
        return []
    parts = re.findall(r"\[[^\]]*\]|(?:\\.|[^.\\])+", path)
    return [
        part[1:-1] if part.startswith("[") and "=" not in part else part.replace("\\.", ".") if not part.startswith("[") else part
        for part in parts
    ][:DEEPEST]


def _item(value: Any, part: str) -> Any:
    """The value at one part of a source path. In a list, the first matching item."""
    if isinstance(value, Seq):
        return next((value[index] for index in _indices(value, part)), None)
    return at(value, part)


def _indices(value: Seq, part: str) -> Iterator[int]:
    key, equals, expected = part.strip("[]").partition("=")
    for index, item in enumerate(value):
        if part == "*" or part == str(index):
            yield index
        elif equals and part.startswith("["):
            known = known_str(literal(at(item, key) if key else item))
            if known == expected:
                yield index


Setter = Callable[[Any], Any]


def _setter(value: Any, options: Any) -> Setter:
    delimiter, index = literal(at(options, "delimiter")), literal(at(options, "index")) or 0

    def new(old: Any) -> Any:
        if not delimiter:
            return _as(value, old)
        known, text = _text(value), _text(old)
        if known is None or text is None or not isinstance(index, int) or not may_be_copied(text):
            return Unknown()
        parts = text.split(delimiter)
        if index < 0:
            parts = [known, *parts]
        elif index >= len(parts):
            parts = [*parts, known]
        else:
            parts[index] = known
        return _as(_read(delimiter.join(parts)), old)

    return new


def _as(value: Any, old: Any) -> Any:
    """The value as kustomize writes it over an old one: a scalar keeps the type of the old value."""
    if isinstance(value, Unknown | Map | Seq) or isinstance(old, Map | Seq):
        return value
    if isinstance(old, str | Unknown):
        return value if isinstance(value, str) else Unknown() if isinstance(value, float) else known_str(value)
    if old is None and (not isinstance(value, str) or re.fullmatch(r"[A-Za-z][\w ./:-]*", value)) and value not in _WORDS:
        return value
    return value if isinstance(old, type(value)) and not isinstance(value, str) else int(value) if _is_number(value, old) else Unknown()


_WORDS = ("y", "n", "yes", "no", "on", "off", "true", "false", "null")


def _is_number(value: Any, old: Any) -> bool:
    return (
        isinstance(old, int) and not isinstance(old, bool) and isinstance(value, str) and re.fullmatch(r"0|[1-9]\d{0,8}", value) is not None
    )


def _set(value: Any, parts: list[str], change: Setter, place: Place, *, create: bool) -> Any:
    if not parts:
        return change(value)
    part, *rest = parts
    if isinstance(value, Seq):
        return _set_items(value, part, lambda old: _set(old, rest, change, place, create=create), place, create=create)
    if not isinstance(value, Map) or (part not in value and not create) or part.startswith("[") or part in ("*", "-"):
        return value
    old = value.get(part)
    if old is None and rest:
        old = Seq() if re.match(r"\[|\d+$|-$", rest[0]) else Map()
    new = _set(old, rest, change, place, create=create)
    places = value.places if rest and part in value else {**value.places, part: place}
    return Map({**value, part: new}, places)


def _set_items(value: Seq, part: str, change: Setter, place: Place, *, create: bool) -> Seq:
    indices = set(_indices(value, part))
    if not indices and create:  # a created list item is not tracked
        return Seq([*value, Unknown()], [*value.places, place])
    return Seq([change(item) if index in indices else item for index, item in enumerate(value)], value.places)
