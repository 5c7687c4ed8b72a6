"""How Kubernetes matches a pod with a node: selectors, node affinity, taints and tolerations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def tolerated(taints: Iterable[Mapping[str, str]], tolerations: Iterable[Mapping[str, str]]) -> bool:
    """Whether the tolerations cover each taint that keeps a pod off the node."""
    tolerations = list(tolerations)
    hard = [taint for taint in taints if taint["effect"] != "PreferNoSchedule"]
    return all(any(_covers(toleration, taint) for toleration in tolerations) for taint in hard)


def _covers(toleration: Mapping[str, str], taint: Mapping[str, str]) -> bool:
    if toleration.get("effect") not in (None, taint["effect"]) or toleration.get("key") not in (None, taint["key"]):
        return False
    return toleration.get("operator") == "Exists" or toleration.get("value", "") == taint.get("value", "")


def selected(labels: Mapping[str, str], selector: Mapping[str, str], affinity: Mapping[str, Any]) -> bool:
    """Whether a nodeSelector and a required node affinity match the labels of a node."""
    required = affinity.get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution")
    terms = required["nodeSelectorTerms"] if required else [{"matchExpressions": []}]
    return selector.items() <= labels.items() and any(
        all(_matches(labels, expression) for expression in term["matchExpressions"]) for term in terms
    )


def _matches(labels: Mapping[str, str], expression: Mapping[str, Any]) -> bool:
    present, value = expression["key"] in labels, labels.get(expression["key"])
    return {
        "Exists": present,
        "DoesNotExist": not present,
        "In": value in expression.get("values", ()),
        "NotIn": value not in expression.get("values", ()),
    }[expression["operator"]]
