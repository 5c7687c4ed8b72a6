"""`Taint`: what keeps other workloads off GPU nodes."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from .._arguments.errors import wrong, wrong_kind
from .._arguments.fields import named
from .._arguments.keywords import named_arguments
from .._arguments.names import label_key, label_value
from .._arguments.plain_values import choice, instance, text
from ..upstream.choice import Choice


class TaintEffect(Choice):
    """What a taint does to pods that don't tolerate it."""

    NO_SCHEDULE = "NoSchedule"
    PREFER_NO_SCHEDULE = "PreferNoSchedule"
    NO_EXECUTE = "NoExecute"


def _to_key(value: str, argument: str = "") -> str:
    return label_key(argument, value)


def _to_value(value: str | None, argument: str = "") -> str | None:
    return None if value is None else label_value(argument, value)


def _to_effect(value: TaintEffect | str, argument: str = "") -> TaintEffect:
    return choice(argument, value, TaintEffect)


@named_arguments()
@attrs.frozen(field_transformer=named)
class Taint:
    """A taint that keeps other workloads off the GPU nodes.

    Args:
        key: The taint's key.
        value: Its value. Default: none, which is then tolerated whatever its value.
        effect: `NoSchedule`, `PreferNoSchedule` or `NoExecute`. Default: `NoSchedule`.

    Raises:
        TypeError, ValueError: `'effect' must be one of …`, `'key' must be a label key …`.

    Example:
        >>> Taint("dedicated", "ai").toleration
        {'key': 'dedicated', 'operator': 'Equal', 'value': 'ai', 'effect': 'NoSchedule'}

    https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
    """

    key: str = attrs.field(converter=_to_key)
    value: str | None = attrs.field(default=None, converter=_to_value)
    effect: TaintEffect = attrs.field(default=TaintEffect.NO_SCHEDULE, converter=_to_effect)

    @classmethod
    def parse(cls, argument: str, written: object) -> Taint:
        """Read a taint as kubectl writes it: `key=value:Effect`, `key:Effect`, or without the effect."""
        rule = "a taint such as 'dedicated=ai:NoSchedule'"
        key, colon, effect = text(argument, written, rule).partition(":")
        if colon and not effect:
            raise wrong(argument, rule, written)
        key, equals, value = key.partition("=")
        try:
            return cls(key, value if equals else None, effect or TaintEffect.NO_SCHEDULE)
        except ValueError as error:
            raise wrong(argument, rule, written, str(error)) from None

    @property
    def toleration(self) -> dict[str, str]:
        """What a pod needs to be scheduled in spite of it."""
        matched = {"operator": "Exists"} if self.value is None else {"operator": "Equal", "value": self.value}
        return {"key": self.key, **matched, "effect": str(self.effect)}

    def covers(self, other: Taint) -> bool:
        """Whether what tolerates this one tolerates the other too."""
        return self.value is None and self.key == other.key and self.effect == other.effect


def to_taints(taints: Iterable[Taint], argument: str = "") -> tuple[Taint, ...]:
    """Several taints, in a list."""
    rule = "a list of Taints"
    given: object = taints
    if isinstance(given, Taint):
        raise wrong_kind(argument, rule, given, "put it into a list: [Taint(…)]")
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise wrong_kind(argument, rule, given, 'such as [Taint("dedicated", "ai")]')
    return tuple(instance(argument, taint, Taint, rule, 'such as Taint("dedicated", "ai")') for taint in given)
