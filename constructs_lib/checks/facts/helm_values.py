"""What a chart makes of the values that its author gave it: its own defaults below, as Helm merges them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model import Answer, answer


def with_defaults(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """`given` upon a chart's defaults: mappings merge, anything else replaces, and a null takes the default away."""
    result = dict(defaults)
    for key, value in given.items():
        below = result.get(key)
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping) and isinstance(below, Mapping):
            result[key] = with_defaults(below, value)
        else:
            result[key] = value
    return result


def is_on(value: Any) -> Answer:
    """What a template that prints `enabled: {{ … }}` makes of a value.

    The string "false" is printed without its quotes, and so is false again in what the chart renders.
    """
    if isinstance(value, str):
        value = {"true": True, "false": False}.get(value.lower())
    return answer(value) if isinstance(value, bool) else Answer.UNKNOWN
