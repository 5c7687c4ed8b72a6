"""The last steps of a kustomize build: hashes in names, and references to the new names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ....upstream.kubernetes.api import CLUSTER_SCOPED
from ....upstream.kubernetes.kustomize_defaults import LOCAL_CONFIG
from ....yaml.located import Document, Map, Seq
from ....yaml.unknown import GAP
from ...model import Unknown, at, is_unknown, joined, known_list, literal
from ..objects import Rendered, kind_of
from .fields import Field, Resource, changed, identities, identity, references, remembering, with_fields


def is_local(each: Document) -> bool:
    """Whether an object is for kustomize only (`config.kubernetes.io/local-config`), and is not in the output."""
    value = at(each.value, "metadata", "annotations", LOCAL_CONFIG)
    return literal(value) not in (None, "false") and not (isinstance(value, Unknown) and not value.text)


def finished(built: Rendered) -> Rendered:
    """The build with the objects as the cluster gets them."""
    hashed = [_hashed(each) if isinstance(each, Resource) and each.is_generated else each for each in built.documents]
    documents = [_without_empty(each) for each in _referred(hashed, built.configurations) if not is_local(each)]
    return replace(built, documents=documents)


def _without_empty(each: Document) -> Document:
    """The object without an empty `annotations`."""
    metadata = at(each.value, "metadata")
    annotations = metadata.get("annotations", True) if isinstance(metadata, Map) else True
    if is_unknown(annotations) or annotations:
        return each
    remaining = Map({key: item for key, item in metadata.items() if key != "annotations"}, metadata.places)
    return replace(each, value=Map({**each.value, "metadata": remaining}, each.value.places))


def _hashed(each: Resource) -> Resource:
    """The generated object with a hash at the end of its name. The values of a Secret are dropped."""
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


def _referred(documents: Sequence[Document], configurations: Iterable[Document]) -> list[Document]:
    """The objects with references updated to the new names."""
    names = _Names(documents)
    if not names.by_name:
        return list(documents)
    result = list(documents)
    for (kind, group), fields in references(each.value for each in configurations):
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
        for one in fields:
            if one.kind and not first.is_of(one.kind, one.group):
                continue
            new = partial(self.new, referrer=each, kind=kind, group=group, is_role=one.path[-2:] == ("roleRef", "name"))
            each = with_fields(each, [replace(one, kind="", group="")], new, each.place)
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
            namespace = literal(at(old, "namespace"))
            namespaces = [(identities(each)[0].namespace, identity(each.value).namespace) for each in candidates]
            candidates = [each for each, known in zip(candidates, namespaces, strict=True) if namespace is None or namespace in known]
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
    if {own.kind, other.kind} & CLUSTER_SCOPED or own.namespace == other.namespace:
        return True
    subjects = known_list(at(referrer.value, "subjects")) if own.kind == "RoleBinding" else []
    named = [literal(at(subject, "namespace")) for subject in subjects if literal(at(subject, "kind")) == "ServiceAccount"]
    return other.kind == "ServiceAccount" and other.namespace in named
