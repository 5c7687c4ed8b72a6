"""Values that something else fills in before they reach the cluster, as far as a fact may ask without comparing them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..model import Path
from ..model.unknown import FILLED_IN


def is_filled_in(value: Any) -> bool:
    """Whether a value is text that something else fills in, or holds such text: `${VAR}`, `{{ … }}`."""
    if value is None or isinstance(value, bool | int | float | Mapping | list):
        return False
    return not isinstance(value, str) or FILLED_IN.search(value) is not None


def scalars(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every scalar of a value as text, with its path; of a text that something fills in, the text as it stands."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from scalars(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from scalars(item, (*path, index))
    elif value is not None:
        yield path, str(value)
