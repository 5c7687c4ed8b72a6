"""What a pod wants of its node: its selector, its required affinity, and the taints that it tolerates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..model import Unknown, at, mappings

TERMS = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
"""Where the terms of the required node affinity are in a pod spec."""

Wanted = tuple[str, frozenset[str] | None]
"""A label's key, and the values of which it has to have one; None: any."""


def text_of(value: Any) -> str | None:
    """A label's value as the cluster has it; None where it is filled in later, by a template or by an `@` of NFD's."""
    if isinstance(value, bool):
        return str(value).lower()
    if value is None or isinstance(value, Unknown) or str(value).startswith("@"):
        return None
    return str(value)


def selected(spec: Mapping[str, Any]) -> list[Wanted]:
    """The labels of the node selector, each of which the node has to have."""
    selector = spec.get("nodeSelector")
    if not isinstance(selector, Mapping):
        return []
    texts = ((str(key), text_of(value)) for key, value in selector.items() if not isinstance(key, Unknown))
    return [(key, None if text is None else frozenset((text,))) for key, text in texts]


def terms_of(spec: Mapping[str, Any]) -> list[list[Wanted]] | None:
    """The terms of the required node affinity, of which one has to hold; None where there are none, or one can't be read."""
    terms = at(spec, *TERMS)
    if not isinstance(terms, list) or not terms or len(mappings(terms)) < len(terms):
        return None
    return [list(_wanted(term)) for _, term in mappings(terms)]


def _wanted(term: Mapping[str, Any]) -> Iterator[Wanted]:
    """The labels that a term wants; what it wants not to be there is left out."""
    for _, expression in mappings(term.get("matchExpressions")):
        operator, key, values = expression.get("operator"), expression.get("key"), expression.get("values")
        if not isinstance(key, str) or isinstance(key, Unknown):
            continue
        if operator in ("Exists", "Gt", "Lt"):
            yield key, None
        elif operator == "In":
            texts = [text_of(each) for each in values] if isinstance(values, list) else [None]
            yield key, None if None in texts else frozenset(str(each) for each in texts)


def tolerates(tolerations: Any, key: str, value: str, effect: str) -> bool:
    """Whether a list of tolerations lets a pod onto a node with this taint; so does what can't be read."""
    if isinstance(tolerations, Unknown):
        return True
    return any(_matches(each, key, value, effect) for _, each in mappings(tolerations)) or _unread(tolerations)


def _unread(tolerations: Any) -> bool:
    return isinstance(tolerations, list) and any(isinstance(each, Unknown) for each in tolerations)


def _matches(toleration: Mapping[str, Any], key: str, value: str, effect: str) -> bool:
    given = toleration.get("effect")
    if given not in (None, "", effect) and not isinstance(given, Unknown):
        return False
    named = toleration.get("key")
    if named in (None, ""):
        return toleration.get("operator") == "Exists"
    if named != key:
        return isinstance(named, Unknown)
    if toleration.get("operator") == "Exists":
        return True
    wanted = toleration.get("value")
    return isinstance(wanted, Unknown) or (text_of(wanted) or "") == value
