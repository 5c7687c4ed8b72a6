"""The placement of pods on a class of nodes: tolerations, node selector and node affinity."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from ..arguments.errors import wrong
from ..nodes.gpu_nodes import GpuNodes

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def _tolerate(spec: dict[str, Any], nodes: GpuNodes) -> None:
    given = spec.get("tolerations") or []
    spec["tolerations"] = [*given, *(toleration for toleration in nodes.tolerations if toleration not in given)]


def _select(argument: str, spec: dict[str, Any], nodes: GpuNodes) -> None:
    given = spec.get("nodeSelector") or {}
    for key, value in nodes.node_selector.items():
        if given.get(key, value) != value:
            raise wrong(
                argument, f"without another value for the node label {key} than '{value}'", given[key], "no node matches both values"
            )
    if nodes.node_selector:
        spec["nodeSelector"] = {**given, **nodes.node_selector}
    if nodes.node_affinity:
        spec["affinity"] = both_affinities(spec.get("affinity") or {}, nodes.node_affinity)


def both_affinities(given: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    """The affinity that satisfies both affinities. Kubernetes ORs the terms of a selector, so each term of one is
    joined with each term of the other."""
    if not given:
        return ours
    our_terms = ours["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]
    node_affinity = dict(given.get("nodeAffinity") or {})
    given_terms = (node_affinity.get(REQUIRED) or {}).get("nodeSelectorTerms") or [{}]
    if all(any(_within(term, our) for our in our_terms) for term in given_terms):
        return given
    node_affinity[REQUIRED] = {"nodeSelectorTerms": [_joined(*pair) for pair in product(given_terms, our_terms)]}
    return {**given, "nodeAffinity": node_affinity}


def selector_affinity(selector: Mapping[str, str]) -> dict[str, Any]:
    """The node affinity that selects what a node selector does, for a program that has no key for a node selector."""
    expressions = [{"key": key, "operator": "In", "values": [value]} for key, value in selector.items()]
    return {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": expressions}]}}}


def _within(term: dict[str, Any], wider: dict[str, Any]) -> bool:
    return all(expression in (term.get("matchExpressions") or []) for expression in wider["matchExpressions"])


def _joined(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    expressions = first.get("matchExpressions") or []
    return {**first, "matchExpressions": [*expressions, *(item for item in second["matchExpressions"] if item not in expressions)]}


def _label(argument: str, pod: dict[str, Any], nodes: GpuNodes) -> None:
    metadata = pod.get("metadata") or {}
    given = metadata.get("labels") or {}
    for key, value in nodes.pod_labels.items():
        if given.get(key, value) != value:
            raise wrong(
                argument, f"without another value for the label {key} than '{value}'", given[key], "the pods run on this class of nodes"
            )
    # New mappings: the labels of a template may also be those of a selector, which is immutable in the cluster.
    pod["metadata"] = {**metadata, "labels": {**given, **nodes.pod_labels}}


def selected(pod: dict[str, Any], nodes: GpuNodes, argument: str = "pod_spec") -> dict[str, Any]:
    """A pod template whose pods tolerate and select the nodes, and have the label of their class."""
    _tolerate(pod["spec"], nodes)
    _select(argument, pod["spec"], nodes)
    _label(argument, pod, nodes)
    return pod
