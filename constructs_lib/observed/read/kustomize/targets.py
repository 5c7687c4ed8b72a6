"""The targets of kustomize's patches: which objects the patterns and selectors of a target mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ....yaml.located import Document, Map, Place
from ...model import Answer, all_of, answer, any_of, at, literal
from ..files import Files
from .fields import identities

_PATTERNS = ("kind", "name", "namespace", "group", "version")
_TOKENS = re.compile(r"(?:[\w/:@ -]|\\[-.+*?$^{}\[\]/]|\.[*+]?)*", re.ASCII)
_GROUP = re.compile(r"\((?:\?:)?(?![*+?{])((?:[^()|]|\|(?![*+?{]))*)\)(?![*+?{])")
_LONGEST, _MOST_ALTERNATIVES = 300, 100


class Pattern:
    """A regular expression of Go for a whole text: literals, alternatives, `.`, `.*` and `.+`. Any other pattern is not
    supported.

    Python's own matching backtracks. A pattern becomes alternatives of pieces between stars, and each piece is found
    once.
    """

    def __init__(self, written: str) -> None:
        self.written = written
        alternatives = [re.sub(r"^\^|(?<!\\)\$$", "", each) for each in _alternatives(written)]
        self.is_supported = bool(alternatives) and all(map(_TOKENS.fullmatch, alternatives))
        self._linear = re.compile("|".join(map(_linear, alternatives)), re.ASCII) if self.is_supported else None

    def matches(self, text: str) -> Answer:
        """Whether the pattern matches the whole text. Unknown for an unsupported pattern."""
        return answer(self._linear.fullmatch(text) is not None) if self._linear else Answer.UNKNOWN


def _alternatives(written: str) -> list[str]:
    """The alternatives of a pattern, without groups. Empty for a pattern with too many of them."""
    pending, alternatives = [written] if len(written) <= _LONGEST else [], []
    while pending:
        one = pending.pop()
        group = _GROUP.search(one)
        choices = group[1].split("|") if group else []
        pending += [f"{one[: group.start()]}{choice}{one[group.end() :]}" for choice in choices] if group else []
        alternatives += [] if group else one.split("|")
        if len(pending) + len(alternatives) > _MOST_ALTERNATIVES:
            return []
    return alternatives


def _linear(alternative: str) -> str:
    """The expression of an alternative.

    The first match of a piece between stars is final, so that its steps are few.
    """
    first, *pieces = re.split(r"(?<!\\)\.\*", re.sub(r"(?<!\\)\.\+", "..*", alternative))
    middle = "".join(f"(?>.*?{piece})" for piece in pieces[:-1] if piece)
    return f"{first}{middle}.*{pieces[-1]}" if pieces else first


def patterns_of(target: Any, files: Files | None = None, place: Place = ("", 0)) -> dict[str, Pattern]:
    """The patterns of a patch target.

    With `files`, an unsupported pattern is noted there: the patch may apply to every object.
    """
    written = {key: literal(at(target, key)) for key in _PATTERNS}
    patterns = {key: Pattern(word) for key, word in written.items() if isinstance(word, str) and word}
    for key, pattern in patterns.items():
        if files is not None and not pattern.is_supported:
            reason = f"the patch target's {key} {pattern.written[:60]!r} is no supported pattern, so the patch may apply to any object"
            files.skip(place[0], reason, place[1])
    return patterns


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
