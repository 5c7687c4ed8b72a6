"""`Taint`: a taint that keeps other workloads off GPU nodes."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from ..arguments.errors import wrong, wrong_kind
from ..arguments.fields import named
from ..arguments.keywords import named_arguments
from ..arguments.names import label_key, label_value
from ..arguments.plain_values import choice, instance, ordered, text
from ..upstream.choice import Choice


class TaintEffect(Choice):
    """The effect of a taint on pods without its toleration."""

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
        key: The key of the taint.
        value: The value of the taint. Default: none; the toleration then matches every value.
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
        """Read a taint in kubectl's notation: `key=value:Effect`, `key:Effect`, or without the effect."""
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
        """The toleration that lets a pod run on a node with this taint."""
        matched = {"operator": "Exists"} if self.value is None else {"operator": "Equal", "value": self.value}
        return {"key": self.key, **matched, "effect": str(self.effect)}

    def covers(self, other: Taint) -> bool:
        """Whether a pod that tolerates this taint tolerates the other taint too."""
        return self.value is None and self.key == other.key and self.effect == other.effect


def taint_text(taint: Taint) -> str:
    """A taint in the notation of kubectl."""
    return f"{taint.key}{f'={taint.value}' if taint.value else ''}:{taint.effect}"


def to_taints(taints: Iterable[Taint], argument: str = "") -> tuple[Taint, ...]:
    """A list of taints."""
    rule = "a list of Taints"
    value: object = taints
    if isinstance(value, Taint):
        raise wrong_kind(argument, rule, value, "put the taint into a list: [Taint(…)]")
    found = ordered(argument, value, rule, 'such as [Taint("dedicated", "ai")]')
    taints = tuple(instance(f"{argument}[{index}]", taint, Taint, "a Taint", _meant(taint)) for index, taint in enumerate(found))
    if taints:
        from ..upstream.kubernetes.controlled_taints import remover  # only taints need the table
    for index, taint in enumerate(taints):
        if by := remover(taint.key):
            hint = f"{by} takes this taint away once the node can serve pods; a pod that tolerates the taint starts before that. Leave the taint out"
            raise wrong(f"{argument}[{index}]", "a taint that stays on its node", taint, hint)
    return taints


def _meant(value: object) -> str:
    """The hint for a value that is no Taint: the Taint of a string in kubectl's notation, or an example."""
    try:
        taint = Taint.parse("taint", value)
    except (TypeError, ValueError):
        return 'such as Taint("dedicated", "ai")'
    arguments = [f'"{taint.key}"']
    if taint.value is not None:
        arguments.append(f'"{taint.value}"')
    if taint.effect is not TaintEffect.NO_SCHEDULE:
        arguments.append(f'effect="{taint.effect}"')
    return f"did you mean Taint({', '.join(arguments)})?"
