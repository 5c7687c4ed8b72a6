"""Numbers of pods and GPUs that are known, or of which only the minimum is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...arguments.quantities import LARGEST, amount_of

NOT_SET = "replicas is not set, so an autoscaler may set it"
UNREAD = "the number of pods can't be read"

_MOST_DIGITS = 18
"""A number of more digits is no count: Kubernetes has 64 bits, and Python refuses to convert thousands of digits."""


@dataclass(frozen=True, slots=True)
class Count:
    """A number. With a `reason` the number is not known: `least` is then its known minimum."""

    least: int
    reason: str = ""

    @property
    def is_exact(self) -> bool:
        """Whether the number is known."""
        return not self.reason

    def times(self, number: Count) -> Count:
        """The product of two numbers. A known zero makes the product known."""
        if Count(0) in (self, number):
            return Count(0)
        return Count(self.least * number.least, self.reason or number.reason)

    def plus(self, number: Count) -> Count:
        """The sum of two numbers."""
        return Count(self.least + number.least, self.reason or number.reason)

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
    return Count(lower) if lower is not None and lower == upper else Count(lower or 0, reason)


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
