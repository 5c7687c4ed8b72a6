"""The values of expressions beside texts, lists and maps: encoded values, and values that only Terraform knows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeGuard

from ....yaml.located import Map, Place, Seq
from ....yaml.unknown import Unknown

LONGEST = 1_000_000
"""The most characters of a text that expressions make."""
LARGEST = 50_000
"""The most values of a list or a map that expressions make, with everything inside."""
DEEPEST = 60
"""The most expressions inside each other, with those of the locals and variables that they name."""
MOST = 500
"""The most instances of a block, and the most items of a `for` expression."""


class NoValueError(Exception):
    """An expression without a value: a missing attribute, or a function that refuses its arguments."""


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """The value of `yamlencode` or `jsonencode`. Its text is not made before another text includes it."""

    value: Any
    place: Place

    @property
    def text(self) -> str | Unknown:
        """The value as JSON in one line, which is YAML, too."""
        return _filled(json.dumps(_plain(self.value)))


def unknown(written: str) -> Unknown:
    """The value of an expression that only Terraform knows."""
    return Unknown(f"${{{written[:200].replace('{', '(').replace('}', ')')}}}")


def text_in(value: Any) -> str | Unknown | None:
    """The text of a value inside of another text. None for a list or a map, which have none."""
    if isinstance(value, str | Unknown):
        return value
    if isinstance(value, Encoded):
        return value.text
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value) if isinstance(value, int) else None


def is_known(value: Any) -> bool:
    """Whether no part of a value is unknown."""
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, Unknown):
            return False
        if isinstance(each, Map):
            pending += [*each, *each.values()]
        elif isinstance(each, Seq):
            pending += each
        elif isinstance(each, Encoded):
            pending.append(each.value)
    return True


def is_text(value: Any) -> TypeGuard[str]:
    """Whether a value is a known text."""
    return isinstance(value, str)


def _plain(value: Any) -> Any:
    if isinstance(value, Map):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Seq):
        return [_plain(each) for each in value]
    if isinstance(value, Encoded):
        return str(value.text)
    return str(value) if isinstance(value, Unknown) else value


def _filled(text: str) -> str | Unknown:
    return Unknown(text) if "${" in text else text
