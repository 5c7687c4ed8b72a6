"""The targets of kustomize's patches: selection of objects."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ...model import Answer, all_of, answer, any_of, at, literal
from ..files import Files
from ..kubernetes.located_yaml import Document, Map, Place
from ..linear_patterns import Pattern
from .resources import identities

_SHOWN = 60
_PATTERNS = ("kind", "name", "namespace", "group", "version")


def patterns_of(target: Any) -> dict[str, Pattern]:
    """The regular expressions of a patch target. Each is for the whole text."""
    written = {key: literal(at(target, key)) for key in _PATTERNS}
    return {key: Pattern(word) for key, word in written.items() if isinstance(word, str) and word}


def skip_unsupported(target: Any, place: Place, files: Files) -> None:
    """Record the patterns of a patch target that are not supported. The patch may apply to every object."""
    for key, pattern in patterns_of(target).items():
        if not pattern.is_supported:
            shown = pattern.written if len(pattern.written) <= _SHOWN else f"{pattern.written[:_SHOWN]}…"
            files.skip(
                place[0], f"the patch target's {key} '{shown}' is no supported pattern, so the patch may apply to any object", place[1]
            )


def selects(target: Mapping[str, Any]) -> Callable[[Document], Answer]:
    """The selection function of a patch target. The answer is unknown for a pattern that is not supported."""
    patterns = patterns_of(target)

    def selected(each: Document) -> Answer:
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
        of_names = (any_of(pattern.matches(word) for word in words[key]) for key, pattern in patterns.items())
        return all_of([*of_names, answer(labels_fit(target, each))])

    return selected


def labels_fit(target: Any, each: Document) -> bool:
    """Whether the label and annotation selectors of a target match an object."""
    return all(
        _labelled(literal(at(target, selector)), at(each.value, "metadata", key))
        for selector, key in (("labelSelector", "labels"), ("annotationSelector", "annotations"))
    )


_TERM = re.compile(r"(!?)\s*([\w./-]+)(?:\s*(==?|!=)\s*|\s+(in|notin)\b\s*|\s*$)(.*)", re.DOTALL)


def _labelled(selector: Any, labels: Any) -> bool:
    """Whether labels match a selector such as `a=b,c!=d,e,!f,g in (h, i)`."""
    if not isinstance(selector, str) or not selector:
        return True
    labels = labels if isinstance(labels, Map) else {}
    return all(_fits(term.strip(), labels) for term in _terms(selector))


def _terms(selector: str) -> list[str]:
    """The parts of a selector between its commas, except those in parentheses."""
    terms, is_inside = [""], False
    for part in re.split(r"([,()])", selector):
        is_inside = part == "(" or (is_inside and part != ")")
        if part == "," and not is_inside:
            terms.append("")
        else:
            terms[-1] += part
    return terms


def _fits(term: str, labels: Mapping[str, Any]) -> bool:
    match = _TERM.fullmatch(term)
    if not match:
        return False
    negated, key, sign, word, values = match.groups()
    operator = sign or word
    if not operator:
        return (key in labels) != bool(negated)
    accepted = [each.strip() for each in values.strip("() ").split(",")]
    is_one = key in labels and str(labels[key]) in accepted
    return is_one if operator in ("=", "==", "in") else not is_one
