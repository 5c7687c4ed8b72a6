"""Which objects a patch of kustomize is for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ..model import at, literal
from .located_yaml import Document, Map


def selects(target: Mapping[str, Any]) -> Callable[[Document], bool]:
    """Whether a patch's target means an object; each of its words is a regular expression over the whole of what it names."""
    written = {key: literal(at(target, key)) for key in ("kind", "name", "namespace", "group", "version")}
    patterns = {key: _whole(word) for key, word in written.items() if isinstance(word, str) and word}
    labels, annotations = (literal(at(target, key)) for key in ("labelSelector", "annotationSelector"))

    def selected(each: Document) -> bool:
        metadata = at(each.value, "metadata")
        group, _, version = (literal(at(each.value, "apiVersion")) or "").rpartition("/")
        found = {"group": group, "version": version, "kind": at(each.value, "kind")}
        found |= {key: at(metadata, key) for key in ("name", "namespace")}
        return (
            all(pattern.fullmatch(str(literal(found[key]) or "")[:_LONGEST]) for key, pattern in patterns.items())
            and _labelled(labels, at(metadata, "labels"))
            and _labelled(annotations, at(metadata, "annotations"))
        )

    return selected


# Go's expressions take linear time whatever they are; of ours only the simple ones do, which are all that is seen.
_SIMPLE = re.compile(r"(?!.*\)[*+{])[^*+{]*(?:[*+][^*+{]*){0,3}")
_LONGEST = 253


def _whole(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern.removeprefix("^").removesuffix("$") if _SIMPLE.fullmatch(pattern) else re.escape(pattern))
    except re.error:
        return re.compile(re.escape(pattern))


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
