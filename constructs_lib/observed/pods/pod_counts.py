"""Numbers of pods and GPUs that are known, or of which only the minimum is known; the autoscalers that scale a
workload."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...arguments.quantities import LARGEST, amount_of
from ..model import Inputs, KubernetesObject, equals, is_unknown, known_str, question

HPA, SCALED_OBJECT = "HorizontalPodAutoscaler", "ScaledObject"


@question
def autoscalers(inputs: Inputs) -> Mapping[tuple[str, str], Sequence[KubernetesObject]]:
    """The autoscalers, by the kind and the name of the workload that they surely scale."""
    result: dict[tuple[str, str], list[KubernetesObject]] = {}
    for each in inputs.of_kind(HPA, SCALED_OBJECT):
        # KEDA's default is a Deployment.
        kind, name = each.at("spec", "scaleTargetRef", "kind"), known_str(each.at("spec", "scaleTargetRef", "name"))
        if name is not None and not is_unknown(kind):
            result.setdefault((known_str(kind) or "Deployment", name), []).append(each)
    return result


def autoscaler_of(inputs: Inputs, workload: KubernetesObject) -> KubernetesObject | None:
    """The autoscaler of a workload; None without one."""
    every, name = autoscalers(inputs), workload.name
    if not every or not isinstance(name, str):
        return None
    scalers = every.get((workload.kind, name), ())
    return next((each for each in scalers if equals(each.namespace, workload.namespace).is_yes), None)


def maximum_field(scaler: KubernetesObject) -> str:
    """The field with the most pods of an autoscaler."""
    return "maxReplicas" if scaler.kind == HPA else "maxReplicaCount"


def replicas_of(inputs: Inputs, workload: KubernetesObject) -> Count:
    """The replicas of a workload. Its autoscaler decides about them; without an autoscaler they are as written."""
    written = workload.at("spec", "replicas")
    scaler = autoscaler_of(inputs, workload)
    if scaler is not None and whole_number(written) != 0:
        return _scaled(scaler)
    return Count(1, NOT_SET) if written is None else count_of(written, 1)


def _scaled(scaler: KubernetesObject) -> Count:
    """The replicas that an autoscaler keeps (autoscaling/v2; KEDA apis/keda/v1alpha1/scaledobject_types.go)."""
    if scaler.kind == HPA:
        reason = "its HorizontalPodAutoscaler scales it"
        return between(scaler.at("spec", "minReplicas"), scaler.at("spec", "maxReplicas"), reason, default=1)
    reason = "its ScaledObject scales it"
    idle = scaler.at("spec", "idleReplicaCount")
    if idle is not None:
        return Count(whole_number(idle) or 0, reason, whole_number(scaler.at("spec", maximum_field(scaler))))
    return between(scaler.at("spec", "minReplicaCount"), scaler.at("spec", "maxReplicaCount"), reason, default=0)


NOT_SET = "replicas is not set, so an autoscaler may set it"
UNREAD = "the number of pods can't be read"

_MOST_DIGITS = 18
"""A number of more digits is no count: Kubernetes has 64 bits, and Python refuses to convert thousands of digits."""


@dataclass(frozen=True, slots=True)
class Count:
    """A number. With a `reason` the number is not known: `least` is then its known minimum, and `upper` its maximum, None
    where that is not known."""

    least: int
    reason: str = ""
    upper: int | None = field(default=None, compare=False)

    @property
    def is_exact(self) -> bool:
        """Whether the number is known."""
        return not self.reason

    @property
    def most(self) -> int | None:
        """The largest number that it can be; None where that is not known."""
        return self.least if self.is_exact else self.upper

    def times(self, number: Count) -> Count:
        """The product of two numbers. A known zero makes the product known."""
        if Count(0) in (self, number):
            return Count(0)
        upper = None if self.most is None or number.most is None else self.most * number.most
        return Count(self.least * number.least, self.reason or number.reason, upper)

    def plus(self, number: Count) -> Count:
        """The sum of two numbers."""
        upper = None if self.most is None or number.most is None else self.most + number.most
        return Count(self.least + number.least, self.reason or number.reason, upper)

    def __str__(self) -> str:
        """The number, with a mark where only the minimum is known."""
        if self.is_exact:
            return str(self.least)
        return f"≥ {self.least}" if self.least else "?"


def sum_of(counts: Iterable[Count]) -> Count:
    """The sum of numbers."""
    result = Count(0)
    for each in counts:
        result = result.plus(each)
    return result


def count_of(value: Any, default: int, reason: str = UNREAD) -> Count:
    """The number that a field sets, or its default. An unreadable number may be 0."""
    number = default if value is None else whole_number(value)
    return Count(0, reason) if number is None else Count(number)


def between(least: Any, most: Any, reason: str, *, default: int) -> Count:
    """A number between two fields; `default` is the default of the smaller field. Equal fields make the number
    known."""
    lower, upper = whole_number(default if least is None else least), whole_number(most)
    return Count(lower) if lower is not None and lower == upper else Count(lower or 0, reason, upper)


def whole_amount(amount: Any) -> int | None:
    """The whole number of a quantity such as 2, `"2"` or `1k`, None for another or an unreadable value."""
    number = whole_number(amount)
    if number is not None or not isinstance(amount, str):
        return number
    quantity = amount_of(amount)
    return int(quantity) if 0 < quantity <= LARGEST and quantity == int(quantity) else None


def whole_number(amount: Any) -> int | None:
    """A whole number, None for another or an unreadable value."""
    if isinstance(amount, bool):
        return None
    if isinstance(amount, str):
        return int(amount) if amount.isascii() and amount.isdecimal() and len(amount) <= _MOST_DIGITS else None
    return amount if isinstance(amount, int) and amount >= 0 else None
