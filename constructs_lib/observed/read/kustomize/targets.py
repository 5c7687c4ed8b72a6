"""The targets of kustomize's patches: which objects the patterns and selectors of a target mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ....yaml.located import Document, Map
from ...model import Answer, all_of, answer, any_of, at, literal
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


def patterns_of(target: Any) -> dict[str, Pattern]:
    """The patterns of a patch target, by their keys."""
    written = {key: literal(at(target, key)) for key in _PATTERNS}
    return {key: Pattern(word) for key, word in written.items() if isinstance(word, str) and word}


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


_TERM = re.compile(r"\s*(!?)\s*([\w./-]+)\s*(?:(==?|!=)\s*([\w.-]*)|\b(in|notin)\s*\(([^()]*)\))?\s*(?:,|$)")


def _labelled(selector: Any, labels: Any) -> bool:
    """Whether labels match a selector such as `a=b,c!=d,e,!f,g in (h, i)`. A text of another form matches nothing."""
    if not isinstance(selector, str) or not selector:
        return True
    position, labels = 0, labels if isinstance(labels, Map) else {}
    while position < len(selector):
        match = _TERM.match(selector, position)
        if match is None or not _fits(match, labels):
            return False
        position = match.end()
    return True


def _fits(term: re.Match[str], labels: Mapping[str, Any]) -> bool:
    negated, key, sign, value, word, values = term.groups()
    if not (sign or word):
        return (key in labels) != bool(negated)
    accepted = [value] if sign else [each.strip() for each in values.split(",")]
    return (key in labels and str(labels[key]) in accepted) == ((sign or word) in ("=", "==", "in"))
