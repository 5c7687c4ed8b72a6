"""Node selection of pods: node selectors, required node affinities and tolerations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..model import Answer, Unknown, all_of, any_of, at, equals, is_among, is_open, known_items, known_list, known_str, mappings, text_of

TERMS = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
"""The path of the required node affinity's terms in a pod spec."""

LabelRequirement = tuple[str, frozenset[str] | None]
"""A label's key and its accepted values; None: any value."""


def label_value(value: Any) -> str | None:
    """A label's value in the cluster; None if a template, or an `@` of NFD's, fills it in later."""
    text = known_str(value)
    return None if text is None or text.startswith("@") else text


def selected(spec: Mapping[str, Any]) -> list[LabelRequirement]:
    """The known labels of the node selector; the node has to have all of them."""
    texts = ((key, label_value(value)) for key, value in known_items(at(spec, "nodeSelector")))
    return [(key, None if text is None else frozenset((text,))) for key, text in texts]


def terms_of(spec: Mapping[str, Any]) -> list[list[LabelRequirement]] | None:
    """The terms of the required node affinity, of which one has to hold; None without terms, or with an unreadable term."""
    terms = at(spec, *TERMS)
    if not isinstance(terms, list) or not terms or len(mappings(terms)) < len(terms):
        return None
    return [list(_required_labels(term)) for _, term in mappings(terms)]


def _required_labels(term: Mapping[str, Any]) -> Iterator[LabelRequirement]:
    """The labels that a term requires; labels that the term forbids are left out."""
    for _, expression in mappings(at(term, "matchExpressions")):
        operator, key, values = known_str(at(expression, "operator")), at(expression, "key"), known_list(at(expression, "values"))
        if not isinstance(key, str):
            continue
        if operator in ("Exists", "Gt", "Lt"):
            yield key, None
        elif operator == "In":
            texts = [label_value(each) for each in values] or [None]
            yield key, None if None in texts else frozenset(str(each) for each in texts)


def may_tolerate(tolerations: Any, key: str, value: str, effect: str) -> bool:
    """Whether tolerations let a pod onto a node with this taint, or may."""
    return is_open(tolerations) or any(not _tolerates(each, key, value, effect).is_no for _, each in mappings(tolerations))


def surely_tolerates(tolerations: Any, key: str, value: str, effect: str) -> bool:
    """Whether tolerations surely let a pod onto a node with this taint."""
    return any(_tolerates(each, key, value, effect).is_yes for _, each in mappings(tolerations))


def surely_selects(spec: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Whether a pod spec surely selects nodes with these labels, of which nothing else is known."""
    selector, terms = at(spec, "nodeSelector"), at(spec, *TERMS)
    if is_open(selector) or any(labels.get(key) != label_value(value) for key, value in known_items(selector)):
        return False
    return terms is None or any(_surely_holds(term, labels) for _, term in mappings(terms))


def _surely_holds(term: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    expressions = at(term, "matchExpressions")
    needed = list(_required_labels(term))
    plain = [known_str(at(each, "operator")) in ("Exists", "In") for _, each in mappings(expressions)]
    if at(term, "matchFields") is not None or not plain or not all(plain) or len(needed) < len(known_list(expressions)):
        return False
    return all(key in labels and (values is None or labels[key] in values) for key, values in needed)


def _tolerates(toleration: Mapping[str, Any], key: str, value: str, effect: str) -> Answer:
    named, operator, own_value, own_effect = (_text(at(toleration, name)) for name in ("key", "operator", "value", "effect"))
    effects = is_among(own_effect, ("", effect))
    keys = is_among(named, ("", key))
    if effects.is_no or keys.is_no:
        return Answer.NO
    exists = equals(operator, "Exists")
    with_value = Answer.NO if equals(named, "").is_yes else equals(own_value, value)
    return all_of([effects, keys, any_of([exists, with_value])])


def _text(value: Any) -> str | Unknown:
    return "" if (text := text_of(value)) is None else text
