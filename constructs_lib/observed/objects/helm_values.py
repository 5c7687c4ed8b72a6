"""Chart values over the chart's defaults, as Helm merges them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model import Answer, answer


def with_defaults(defaults: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values over a chart's defaults: mappings merge, other values replace, and a null removes the default."""
    result = dict(defaults)
    for key, value in values.items():
        below = result.get(key)
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping) and isinstance(below, Mapping):
            result[key] = with_defaults(below, value)
        else:
            result[key] = value
    return result


def is_on(value: Any) -> Answer:
    """Whether a value is true after a template has printed `enabled: {{ … }}`.

    The template prints the string "false" without quotes, so the rendered value is false.
    """
    if isinstance(value, str):
        value = {"true": True, "false": False}.get(value.lower())
    return answer(value) if isinstance(value, bool) else Answer.UNKNOWN
