"""The targets of kustomize's patches: selection of objects."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ..model import at, literal
from .kustomize_resources import identities
from .located_yaml import Document, Map


def selects(target: Mapping[str, Any]) -> Callable[[Document], bool]:
    """The selection function of a patch target. Each word of the target is a regular expression for the whole text."""
    written = {key: literal(at(target, key)) for key in ("kind", "name", "namespace", "group", "version")}
    patterns = {key: _whole(word) for key, word in written.items() if isinstance(word, str) and word}

    def selected(each: Document) -> bool:
        known = identities(each)
        first, now = known[0], known[-1]
        group, _, version = str(literal(at(each.value, "apiVersion")) or "").rpartition("/")
        words: dict[str, tuple[str, ...]] = {
            "group": (group,),
            "version": (version,),
            "kind": (now.kind,),
            "name": (first.name, now.name),
            "namespace": (first.namespace, now.namespace),
        }
        return all(any(pattern.fullmatch(word[:_LONGEST]) for word in words[key]) for key, pattern in patterns.items()) and labels_fit(
            target, each
        )

    return selected


# Every regular expression of Go takes linear time. In Python only simple ones do, and kustomizations use no others.
_SIMPLE = re.compile(r"(?!.*\)[*+{])[^*+{]*(?:[*+][^*+{]*){0,3}")
_LONGEST = 253


def expression(pattern: str) -> str:
    """The Python form of a regular expression of Go. An unsupported expression matches its own text."""
    try:
        if _SIMPLE.fullmatch(pattern):
            re.compile(pattern)
            return pattern
    except re.error:
        pass
    return re.escape(pattern)


def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(f"^(?:{expression(pattern)})$")


def labels_fit(target: Any, each: Document) -> bool:
    """Whether the label and annotation selectors of a target match an object."""
    return all(
        _labelled(literal(at(target, selector)), at(each.value, "metadata", key))
        for selector, key in (("labelSelector", "labels"), ("annotationSelector", "annotations"))
    )


_TERM = re.compile(r"^(!?)\s*([\w./-]+)\s*(?:(==?|!=|in|notin)\s*(.*))?$")


def _labelled(selector: Any, labels: Any) -> bool:
    """Whether labels match a selector such as `a=b,c!=d,e,!f,g in (h, i)`."""
    if not isinstance(selector, str) or not selector:
        return True
    labels = labels if isinstance(labels, Map) else {}
    return all(_fits(term.strip(), labels) for term in re.split(r",(?![^(]*\))", selector))


def _fits(term: str, labels: Mapping[str, Any]) -> bool:
    match = _TERM.match(term)
    if not match:
        return False
    negated, key, operator, values = match.groups()
    if not operator:
        return (key in labels) != bool(negated)
    accepted = [each.strip() for each in values.strip("() ").split(",")]
    is_one = key in labels and str(labels[key]) in accepted
    return is_one if operator in ("=", "==", "in") else not is_one
