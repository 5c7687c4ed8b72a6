"""`Taint`: what keeps other workloads off GPU nodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .._arguments.errors import wrong, wrong_kind
from .._arguments.keywords import named_arguments
from .._arguments.names import label_key, label_value
from .._arguments.plain_values import choice, instance, text
from ..upstream.choice import Choice


class TaintEffect(Choice):
    """What a taint does to pods that don't tolerate it."""

    NO_SCHEDULE = "NoSchedule"
    PREFER_NO_SCHEDULE = "PreferNoSchedule"
    NO_EXECUTE = "NoExecute"


@named_arguments()
@dataclass(frozen=True, slots=True)
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

    key: str
    value: str | None = None
    effect: TaintEffect | str = TaintEffect.NO_SCHEDULE

    def __post_init__(self) -> None:
        label_key("key", self.key)
        if self.value is not None:
            label_value("value", self.value)
        object.__setattr__(self, "effect", choice("effect", self.effect, TaintEffect))

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


def checked_taints(taints: object) -> tuple[Taint, ...]:
    """Several taints, in a list."""
    rule = "a list of Taints"
    if isinstance(taints, Taint):
        raise wrong_kind("taints", rule, taints, "put it into a list: [Taint(…)]")
    if isinstance(taints, str) or not isinstance(taints, Iterable):
        raise wrong_kind("taints", rule, taints, 'such as [Taint("dedicated", "ai")]')
    return tuple(instance("taints", taint, Taint, rule, 'such as Taint("dedicated", "ai")') for taint in taints)
