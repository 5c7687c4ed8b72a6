"""Which objects a patch of kustomize is for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ..model import at, literal
from .kustomize_resources import identities
from .located_yaml import Document, Map


def selects(target: Mapping[str, Any]) -> Callable[[Document], bool]:
    """Whether a patch's target means an object; each of its words is a regular expression over the whole of what it names."""
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


# Go's expressions take linear time whatever they are; of ours only the simple ones do, which are all that is seen.
_SIMPLE = re.compile(r"(?!.*\)[*+{])[^*+{]*(?:[*+][^*+{]*){0,3}")
_LONGEST = 253


def expression(pattern: str) -> str:
    """What a regular expression of Go is to Python; one that can't be read is the text itself."""
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
    """Whether an object has the labels and the annotations that a target selects by."""
    return all(
        _labelled(literal(at(target, selector)), at(each.value, "metadata", key))
        for selector, key in (("labelSelector", "labels"), ("annotationSelector", "annotations"))
    )


_TERM = re.compile(r"^(!?)\s*([\w./-]+)\s*(?:(==?|!=|in|notin)\s*(.*))?$")


def _labelled(selector: Any, labels: Any) -> bool:
    """Whether labels fit a selector such as `a=b,c!=d,e,!f,g in (h, i)`."""
    if not isinstance(selector, str) or not selector:
        return True
    labels = labels if isinstance(labels, Map) else {}
    return all(_fits(term.strip(), labels) for term in re.split(r",(?![^(]*\))", selector))


def _fits(term: str, labels: Mapping[str, Any]) -> bool:
    found = _TERM.match(term)
    if not found:
        return False
    negated, key, operator, values = found.groups()
    if not operator:
        return (key in labels) != bool(negated)
    wanted = [each.strip() for each in values.strip("() ").split(",")]
    is_one = key in labels and str(labels[key]) in wanted
    return is_one if operator in ("=", "==", "in") else not is_one
