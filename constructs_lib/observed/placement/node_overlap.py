"""Overlap of two sets of pods: whether one node can run both, by their node selectors and affinities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...upstream.charts.nfd_chart import FEATURE_PREFIX
from ...upstream.nvidia.gpu_resources import GPU_RESOURCE, PRESENT_LABEL
from ...upstream.talos.extension_names import LABEL_PREFIX
from ..model import Answer, all_of, answer, any_of, at, is_open, known_items, known_list, known_str, mappings
from .node_selection import TERMS, label_value

# Labels of every node, or of every node with an NVIDIA card: a selector with only these labels selects all GPU nodes.
_GENERAL = ("kubernetes.io/os", "kubernetes.io/arch", PRESENT_LABEL, f"{GPU_RESOURCE}.count", "node-role.kubernetes.io/")

_Wish = tuple[str, frozenset[str]]
"""The operator for a label (`In`, `NotIn`, `Exists`, `DoesNotExist`, or `_ANY`), and its values."""
_Term = dict[str, list[_Wish]]
_ANY = "?"
"""The operator, or the key, of an unreadable expression."""


def are_apart(one: Mapping[str, Any], other: Mapping[str, Any]) -> Answer:
    """Whether no node can run pods of both specs."""
    return all_of(_exclude(mine, theirs) for mine in _terms(one) for theirs in _terms(other))


def is_unrestricted(spec: Mapping[str, Any]) -> bool:
    """Whether the pods surely select only labels that every GPU node has."""
    return any(all(_is_general(key) for key in term) for term in _terms(spec))


def _is_general(key: str) -> bool:
    of_a_card = (key.startswith(FEATURE_PREFIX) and "10de" in key) or (key.startswith(LABEL_PREFIX) and "nvidia" in key)
    return of_a_card or key.startswith(_GENERAL)


def _terms(spec: Mapping[str, Any]) -> list[_Term]:
    """The alternative requirements on a node: one term of the affinity each, with the node selector."""
    selector, listed = at(spec, "nodeSelector"), at(spec, *TERMS)
    every = {key: [_wish("In", [value])] for key, value in known_items(selector)}
    if is_open(selector) or is_open(listed):
        every[_ANY] = [(_ANY, frozenset())]
    terms = [dict(_wishes(term)) for _, term in mappings(listed)]
    return [_both(every, term) for term in terms] or [every]


def _wishes(term: Mapping[str, Any]) -> Iterator[tuple[str, list[_Wish]]]:
    expressions = at(term, "matchExpressions")
    for _, expression in mappings(expressions):
        key, operator = at(expression, "key"), known_str(at(expression, "operator"))
        wish = (_ANY, frozenset[str]()) if operator is None else _wish(operator, known_list(at(expression, "values")))
        yield known_str(key) or _ANY, [wish]
    if is_open(expressions):
        yield _ANY, [(_ANY, frozenset())]


def _wish(operator: str, values: list[Any]) -> _Wish:
    texts = [label_value(value) for value in values]
    return (_ANY, frozenset()) if None in texts else (operator, frozenset(f"{each}" for each in texts))


def _both(one: _Term, other: _Term) -> _Term:
    return {key: [*one.get(key, []), *other.get(key, [])] for key in {**one, **other}}


def _exclude(one: _Term, other: _Term) -> Answer:
    known = any(_contradict(mine, theirs) for key in one.keys() & other.keys() for mine in one[key] for theirs in other[key])
    may = any(operator == _ANY for term in (one, other) for wishes in term.values() for operator, _ in wishes)
    return any_of([answer(known), Answer.UNKNOWN if may else Answer.NO])


def _contradict(one: _Wish, other: _Wish) -> bool:
    for (mine, values), (theirs, others) in ((one, other), (other, one)):
        if mine == "In" and theirs == "In" and values and others and not values & others:
            return True
        if mine == "In" and theirs == "NotIn" and values and values <= others:
            return True
        if mine in ("In", "Exists") and theirs == "DoesNotExist":
            return True
    return False
