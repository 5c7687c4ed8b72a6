"""Taints of nodes against tolerations of pods, as the scheduler compares them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model import Answer, NodeTaint, Unknown, any_of, at, equals, is_among, is_unknown, known_list, text_of


def tolerates(tolerations: Any, taint: NodeTaint) -> Answer:
    """Whether a list of tolerations lets a pod onto a node with the taint.

    The operators `Lt` and `Gt`, behind a feature gate of Kubernetes 1.35, and operators of the future are unknown.
    """
    listed = [Answer.UNKNOWN] if is_unknown(tolerations) else [_tolerates(each, taint) for each in known_list(tolerations)]
    return any_of(listed)


def _tolerates(toleration: Any, taint: NodeTaint) -> Answer:
    if not isinstance(toleration, Mapping):
        return Answer.UNKNOWN if is_unknown(toleration) else Answer.NO
    key, operator, value, effect = (_text(at(toleration, name)) for name in ("key", "operator", "value", "effect"))
    keys = is_among(key, ("", taint.key))
    effects = is_among(effect, ("", taint.effect))
    if keys.is_no or effects.is_no:
        return Answer.NO
    # Only the operator Exists may come without a key.
    same_value = Answer.NO if equals(key, "").is_yes else equals(value, taint.value)
    if is_among(operator, ("", "Equal")).is_yes:
        matched = same_value
    elif equals(operator, "Exists").is_yes:
        matched = Answer.YES
    else:
        matched = any_of([same_value, Answer.UNKNOWN]) if is_unknown(operator) else Answer.UNKNOWN
    return matched if keys.is_yes and effects.is_yes else Answer.NO if matched.is_no else Answer.UNKNOWN


def _text(value: Any) -> str | Unknown:
    return "" if (text := text_of(value)) is None else text
