"""The names that kustomize gives to objects (prefix, suffix, hash), and the references to these names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ....upstream.kubernetes.kustomize_defaults import UNPREFIXED
from ...model import Unknown, at, is_given, joined, known_list, literal
from ...model.unknown import GAP
from ..kubernetes.located_yaml import Document, Map, Seq
from ..kubernetes.objects import kind_of
from .fields import Field, changed, references, split, with_fields
from .resources import Identity, Resource, as_resource, identities, identity, remembering
from .transformers import is_cluster_scoped

_UNPREFIXED = tuple(split(each) for each in UNPREFIXED)


def renamed(documents: Iterable[Document], fields: Sequence[Field], prefix: Any = "", suffix: Any = "") -> list[Document]:
    """The objects with a prefix and a suffix added to their names."""

    def new(old: Any) -> Any:
        return joined(prefix, old, suffix)

    def with_name(each: Document) -> Document:
        if any(identities(each)[0].is_of(*kind) for kind in _UNPREFIXED):
            return each
        each = remembering(each)
        each = replace(
            each,
            prefixes=(*each.prefixes, *([str(literal(prefix))] if is_given(prefix) else [])),
            suffixes=(*each.suffixes, *([str(literal(suffix))] if is_given(suffix) else [])),
        )
        return with_fields(each, fields, new, each.place)

    return [with_name(each) for each in documents]


def hashed(documents: Iterable[Document]) -> list[Document]:
    """The objects, where generated ones have a hash at the end of their names. The values of generated Secrets are dropped."""
    return [_hashed(each) if isinstance(each, Resource) and each.is_generated else each for each in documents]


def _hashed(each: Resource) -> Resource:
    body = each.value
    if each.gets_hash:
        each = remembering(each)
        digest = _hash(body)
        body = changed(body, ("metadata", "name"), lambda old: joined(old, "-", digest), each.place)
    if kind_of(body) == "Secret":
        body = changed(body, ("data",), _forgotten, each.place)
    return replace(each, value=body, gets_hash=False, is_generated=False)


def _forgotten(data: Any) -> Any:
    return Map(dict.fromkeys(data, Unknown()), data.places) if isinstance(data, Map) else data


_LETTERS = str.maketrans("013ae", "ghkmt")


def _hash(body: Any) -> str | Unknown:
    keys = ("data", "binaryData") if kind_of(body) == "ConfigMap" else ("data", "stringData")
    parts = {key: at(body, key) for key in keys}
    if any(
        isinstance(each, Unknown) or (isinstance(each, Map) and any(isinstance(value, Unknown) for value in each.values()))
        for each in parts.values()
    ):
        return Unknown("", GAP)
    content = {"kind": kind_of(body), "name": "", "data": parts["data"] or ""}
    content |= {keys[1]: parts[keys[1]]} if parts[keys[1]] else {}
    content |= {"type": at(body, "type") or ""} if kind_of(body) == "Secret" else {}
    written = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    for character in "<>&\u2028\u2029":  # Go's JSON encoder escapes these
        written = written.replace(character, f"\\u{ord(character):04x}")
    return hashlib.sha256(written.encode()).hexdigest()[:10].translate(_LETTERS)


def referred(documents: Sequence[Document], configurations: Iterable[Any]) -> list[Document]:
    """The objects with references updated to the new names."""
    names = _Names(documents)
    if not names.by_name:
        return list(documents)
    result = list(documents)
    for (kind, group), fields in references(configurations):
        if kind in names.kinds:
            result = [names.repaired(each, fields, kind, group) for each in result]
    return result


class _Names:
    """The renamed objects, by their earlier names."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.by_name: dict[str, list[Resource]] = {}
        self.kinds: set[str] = set()
        for each in documents:
            if isinstance(each, Resource):
                self.kinds |= {known.kind for known in each.before}
                for name in dict.fromkeys(known.name for known in each.before):
                    self.by_name.setdefault(name, []).append(each)

    def repaired(self, each: Document, fields: Iterable[Field], kind: str, group: str) -> Document:
        """The object with updated references to a kind in these fields."""
        first = identities(each)[0]
        for field in fields:
            if field.kind and not first.is_of(field.kind, field.group):
                continue
            new = partial(self.new, referrer=each, kind=kind, group=group, is_role=field.path[-2:] == ("roleRef", "name"))
            each = with_fields(each, [replace(field, kind="", group="")], new, each.place)
        return each

    def new(self, old: Any, *, referrer: Document, kind: str, group: str, is_role: bool) -> Any:
        """The updated reference: a name, a mapping with a name, or a list of these."""
        if isinstance(old, Seq):
            return Seq([self.new(item, referrer=referrer, kind=kind, group=group, is_role=is_role) for item in old], old.places)
        name = literal(at(old, "name") if isinstance(old, Map) else old)
        if not isinstance(name, str):
            return old
        candidates = [each for each in self.by_name.get(name, ()) if _fits(each, referrer, kind, group, is_role=is_role)]
        if isinstance(old, Map):
            candidates = _in_namespace(candidates, literal(at(old, "namespace")))
        if len(candidates) > 1:
            candidates = _around(candidates, referrer)
        if not candidates:
            return old
        metadata = at(candidates[0].value, "metadata")
        if len({identity(each.value)[2:] for each in candidates}) > 1:
            metadata = Map({"name": Unknown(name, GAP), "namespace": Unknown()})  # kustomize refuses to choose
        if not isinstance(old, Map):
            return at(metadata, "name")
        return Map({**old, **{key: metadata[key] for key in ("name", "namespace") if key in metadata}}, old.places)


def _fits(each: Resource, referrer: Document, kind: str, group: str, *, is_role: bool) -> bool:
    if not any(known.is_of(kind, group) for known in each.before):
        return False
    role = at(referrer.value, "roleRef")
    if is_role and not any(known.is_of(str(literal(at(role, "kind"))), str(literal(at(role, "apiGroup")))) for known in each.before):
        return False
    own, other = identity(referrer.value), identity(each.value)
    if is_cluster_scoped(own.kind) or is_cluster_scoped(other.kind) or own.namespace == other.namespace:
        return True
    subjects = known_list(at(referrer.value, "subjects")) if own.kind == "RoleBinding" else []
    named = [literal(at(subject, "namespace")) for subject in subjects if literal(at(subject, "kind")) == "ServiceAccount"]
    return other.kind == "ServiceAccount" and other.namespace in named


def _in_namespace(candidates: list[Resource], namespace: Any) -> list[Resource]:
    if not isinstance(namespace, str):
        return candidates
    before = [each for each in candidates if _first(each).namespace == namespace]
    return before or [each for each in candidates if identity(each.value).namespace == namespace]


def _first(each: Resource) -> Identity:
    return identities(each)[0]


def _around(candidates: list[Resource], referrer: Document) -> list[Resource]:
    """The candidates with the same prefixes and suffixes as the referrer."""
    own = as_resource(referrer)

    def same(one: tuple[str, ...], other: tuple[str, ...], *, empty: bool) -> bool:
        shorter = min(len(one), len(other))
        return one[len(one) - shorter :] == other[len(other) - shorter :] if shorter else empty or one == other

    for empty in (True, False):
        if len(candidates) > 1 or empty:
            candidates = [
                each
                for each in candidates
                if same(each.prefixes, own.prefixes, empty=empty) and same(each.suffixes, own.suffixes, empty=empty)
            ]
    return candidates
