"""Whether two sets of pods can meet on one node, by what each wants of its nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...upstream.charts.device_plugin_chart import PRESENT_LABEL
from ...upstream.charts.nfd_chart import FEATURE_PREFIX
from ...upstream.extension_names import LABEL_PREFIX
from ...upstream.gpu_resources import GPU_RESOURCE
from ..model import Unknown, at, mappings
from .node_selection import TERMS, text_of

# Labels that every node with a card of NVIDIA's may have, or every node: whoever selects by them alone selects all GPU nodes.
_GENERAL = ("kubernetes.io/os", "kubernetes.io/arch", PRESENT_LABEL, f"{GPU_RESOURCE}.count", "node-role.kubernetes.io/")

_Wish = tuple[str, frozenset[str]]
"""How a label has to be (`In`, `NotIn`, `Exists`, `DoesNotExist`), and its values."""
_Term = dict[str, list[_Wish]]


def are_apart(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether no node can have pods of both."""
    return all(_exclude(mine, theirs) for mine in _terms(one) for theirs in _terms(other))


def is_unrestricted(spec: Mapping[str, Any]) -> bool:
    """Whether the pods want nothing of a node that a node with GPUs may not have."""
    return any(all(_is_general(key) for key in term) for term in _terms(spec))


def _is_general(key: str) -> bool:
    of_a_card = (key.startswith(FEATURE_PREFIX) and "10de" in key) or (key.startswith(LABEL_PREFIX) and "nvidia" in key)
    return of_a_card or key.startswith(_GENERAL)


def _terms(spec: Mapping[str, Any]) -> list[_Term]:
    """What one node has to be, in each of the ways that the pods may take."""
    selector = spec.get("nodeSelector")
    if isinstance(selector, Unknown) or isinstance(at(spec, *TERMS), Unknown):
        return [{"": [("In", frozenset())]}]
    every = {str(key): [_wish("In", [value])] for key, value in selector.items()} if isinstance(selector, Mapping) else {}
    terms = [dict(_wishes(term)) for _, term in mappings(at(spec, *TERMS))]
    return [_both(every, term) for term in terms] or [every]


def _wishes(term: Mapping[str, Any]) -> Iterator[tuple[str, list[_Wish]]]:
    for _, expression in mappings(term.get("matchExpressions")):
        values = expression.get("values")
        yield str(expression.get("key")), [_wish(str(expression.get("operator")), values if isinstance(values, list) else [])]


def _wish(operator: str, values: list[Any]) -> _Wish:
    texts = [text_of(value) for value in values]
    # A value that can't be read may be any.
    return ("Exists", frozenset()) if None in texts else (operator, frozenset(str(each) for each in texts))


def _both(one: _Term, other: _Term) -> _Term:
    return {key: [*one.get(key, []), *other.get(key, [])] for key in {**one, **other}}


def _exclude(one: _Term, other: _Term) -> bool:
    return any(_contradict(mine, theirs) for key in one.keys() & other.keys() for mine in one[key] for theirs in other[key])


def _contradict(one: _Wish, other: _Wish) -> bool:
    for (mine, values), (theirs, others) in ((one, other), (other, one)):
        if mine == "In" and theirs == "In" and values and others and not values & others:
            return True
        if mine == "In" and theirs == "NotIn" and values and values <= others:
            return True
        if mine in ("In", "Exists") and theirs == "DoesNotExist":
            return True
    return False
