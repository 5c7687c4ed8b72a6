"""Selection of nodes by pods: node selectors, required node affinities and tolerations, as the scheduler compares
them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...upstream.charts.nfd_chart import FEATURE_PREFIX
from ...upstream.nvidia.gpu_resources import GPU_RESOURCE, PRESENT_LABEL
from ...upstream.talos.extension_names import LABEL_PREFIX
from ..model import (
    Answer,
    NodeTaint,
    Unknown,
    all_of,
    answer,
    any_of,
    at,
    equals,
    is_among,
    is_open,
    is_unknown,
    known_items,
    known_list,
    known_str,
    text_of,
)
from ..nodes.node import Node, label_text


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


TERMS = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
"""The path of the required node affinity's terms in a pod spec."""

# Labels of every node, or of every node with an NVIDIA card: a selector with only these labels selects all GPU nodes.
_GENERAL = ("kubernetes.io/os", "kubernetes.io/arch", PRESENT_LABEL, f"{GPU_RESOURCE}.count", "node-role.kubernetes.io/")


class Requirement(NamedTuple):
    """A requirement of a label of the node, or with `is_field` of its name.

    `operator` is empty where it can't be read.
    """

    key: str
    operator: str = ""
    values: tuple[str | Unknown, ...] = ()
    is_field: bool = False

    def __str__(self) -> str:
        return f"{self.key} {self.operator}" + (f" [{', '.join(map(str, self.values))}]" if self.values else "")

    def holds(self, node: Node) -> Answer:
        """Whether a node satisfies the requirement."""
        value = node.name if self.is_field else node.label(self.key)
        if self.operator in ("In", "NotIn"):
            among = Answer.NO if value is None else is_among(value, self.values)
            return among if self.operator == "In" else among.negated
        if self.operator in ("Exists", "DoesNotExist"):
            exists = node.has(self.key)
            return exists if self.operator == "Exists" else exists.negated
        if self.operator in ("Gt", "Lt") and self.values:
            return _exceeds(value, self.values[0]) if self.operator == "Gt" else _exceeds(self.values[0], value)
        return Answer.UNKNOWN

    @property
    def needs_label(self) -> bool:
        """Whether only a node with the label satisfies the requirement."""
        return self.operator in ("In", "Exists", "Gt", "Lt") and not self.is_field

    @property
    def choices(self) -> frozenset[str] | None:
        """The values of which the label must have one; None for any value, and for values that can't be read."""
        known = frozenset(each for each in self.values if isinstance(each, str))
        return known if self.operator == "In" and known and not self.is_unread else None

    @property
    def is_unread(self) -> bool:
        """Whether a part of the requirement can't be read."""
        return not self.operator or is_open(self.values)

    def excludes(self, other: Requirement) -> bool:
        """Whether surely no label satisfies both requirements."""
        if (self.key, self.is_field) != (other.key, other.is_field) or self.is_unread or other.is_unread:
            return False
        if self.choices and other.choices:
            return not self.choices & other.choices
        return self._excludes(other) or other._excludes(self)

    def _excludes(self, other: Requirement) -> bool:
        if other.operator == "NotIn":
            return bool(self.choices) and self.choices <= frozenset(other.values)  # type: ignore[operator]  # all are known
        return other.operator == "DoesNotExist" and self.operator in ("In", "Exists")


Term = tuple[Requirement, ...]
"""Requirements of which all have to hold."""
_UNREAD = Requirement("")


def _exceeds(more: str | Unknown | None, less: str | Unknown | None) -> Answer:
    if is_unknown(more) or is_unknown(less):
        return Answer.UNKNOWN
    try:
        return answer(more is not None and less is not None and int(more) > int(less))
    except ValueError:
        return Answer.NO


@dataclass(frozen=True, slots=True)
class Selection:
    """The nodes that a pod selects: all of the `selector` holds, and one of the `terms` if there are any."""

    selector: Term
    terms: tuple[Term, ...]

    @property
    def alternatives(self) -> tuple[Term, ...]:
        """The requirements, once for each term."""
        return tuple((*self.selector, *each) for each in self.terms) or (self.selector,)

    @property
    def required(self) -> Term:
        """The requirements of every node that the pod selects."""
        return self.selector if len(self.terms) > 1 else self.alternatives[0]

    def selects(self, node: Node) -> Answer:
        """Whether the pod selects a node."""
        of_terms = any_of(term_holds(each, node) for each in self.terms) if self.terms else Answer.YES
        return all_of([*(each.holds(node) for each in self.selector), of_terms])


_EVERY_NODE = Selection((), ())


def term_holds(term: Term, node: Node) -> Answer:
    """Whether a node satisfies all requirements of a term. A term without requirements matches no node."""
    return all_of(each.holds(node) for each in term) if term else Answer.NO


def selection_of(spec: Mapping[str, Any]) -> Selection:
    """The selection of a pod spec."""
    selector, listed = at(spec, "nodeSelector"), at(spec, *TERMS)
    if selector is None and listed is None:
        return _EVERY_NODE
    labels = [Requirement(key, "In", (label_text(value),)) for key, value in known_items(selector)]
    terms = ((_UNREAD,),) if is_unknown(listed) else tuple(map(_term, known_list(listed)))
    return Selection((*labels, *([_UNREAD] if is_open(selector) else [])), terms)


def _term(term: Any) -> Term:
    requirements: list[Requirement] = [] if isinstance(term, Mapping) else [_UNREAD]
    for field in ("matchExpressions", "matchFields"):
        listed = at(term, field)
        requirements += [_UNREAD] if is_unknown(listed) else [_requirement(each, field) for each in known_list(listed)]
    return tuple(requirements)


def _requirement(written: Any, field: str) -> Requirement:
    key, operator, values = at(written, "key"), known_str(at(written, "operator")), at(written, "values")
    if not isinstance(key, str) or operator is None:
        return _UNREAD
    texts = (values,) if is_unknown(values) else tuple(map(label_text, known_list(values)))
    return Requirement(key, operator, texts, is_field=field == "matchFields")


def selects_labels(selector: Any, labels: Any, *, is_whole: bool = True) -> Answer:
    """Whether a label selector selects an object with these labels, and perhaps more: a missing selector selects none, an
    empty one all (apimachinery pkg/apis/meta/v1/helpers.go, LabelSelectorAsSelector)."""
    if selector is None or is_unknown(selector):
        return Answer.NO if selector is None else Answer.UNKNOWN
    equal = at(selector, "matchLabels")
    listed = [Requirement(key, "In", (label_text(value),)) for key, value in known_items(equal)] + ([_UNREAD] if is_open(equal) else [])
    holder = Node(name="", labels={} if labels is None else labels, taints=(), status={} if is_whole else None)
    return all_of(each.holds(holder) for each in (*listed, *_term({"matchExpressions": at(selector, "matchExpressions")})))


def are_apart(one: Mapping[str, Any], other: Mapping[str, Any]) -> Answer:
    """Whether no node can run pods of both specs."""
    mine, theirs = selection_of(one).alternatives, selection_of(other).alternatives
    return all_of(_exclude(each, another) for each in mine for another in theirs)


def _exclude(one: Term, other: Term) -> Answer:
    if any(mine.excludes(theirs) for mine in one for theirs in other):
        return Answer.YES
    return Answer.UNKNOWN if any(each.is_unread for each in (*one, *other)) else Answer.NO


def is_unrestricted(spec: Mapping[str, Any]) -> bool:
    """Whether the pods surely select only labels that every GPU node has."""
    return any(all(_is_general(each.key) for each in term) for term in selection_of(spec).alternatives)


def _is_general(key: str) -> bool:
    of_a_card = (key.startswith(FEATURE_PREFIX) and "10de" in key) or (key.startswith(LABEL_PREFIX) and "nvidia" in key)
    return of_a_card or key.startswith(_GENERAL)
