"""Taints of nodes against tolerations of pods, as the scheduler compares them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model import Answer, NodeTaint, Unknown, all_of, any_of, at, equals, is_among, is_unknown, known_list, text_of


def tolerates(tolerations: Any, taint: NodeTaint) -> Answer:
    """Whether a list of tolerations lets a pod onto a node with the taint.

    The operators `Lt` and `Gt`, behind a feature gate of Kubernetes 1.35, and operators of the future are unknown.
    """
    listed = [Answer.UNKNOWN] if is_unknown(tolerations) else [_tolerates(each, taint) for each in known_list(tolerations)]
    return any_of(listed)


def _tolerates(toleration: Any, taint: NodeTaint) -> Answer:
    if not isinstance(toleration, Mapping):
        return Answer.UNKNOWN if is_unknown(toleration) else Answer.NO
    key, effect = _text(at(toleration, "key")), _text(at(toleration, "effect"))
    fits = all_of([is_among(key, ("", taint.key)), is_among(effect, ("", taint.effect))])
    return fits if fits.is_no else all_of([fits, _matches(toleration, key, taint)])


def _matches(toleration: Mapping[str, Any], key: str | Unknown, taint: NodeTaint) -> Answer:
    """Whether the operator and the value of a toleration fit a taint."""
    operator = _text(at(toleration, "operator"))
    if equals(operator, "Exists").is_yes:
        return Answer.YES
    # Only the operator Exists may come without a key.
    same_value = Answer.NO if equals(key, "").is_yes else equals(_text(at(toleration, "value")), taint.value)
    if is_unknown(operator):
        return any_of([same_value, Answer.UNKNOWN])
    return same_value if operator in ("", "Equal") else Answer.UNKNOWN


def _text(value: Any) -> str | Unknown:
    return "" if (text := text_of(value)) is None else text
