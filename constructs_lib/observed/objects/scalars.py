"""Every scalar of a value, wherever it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..model import Path


def scalars(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every scalar as text, with its path; of an unknown one, the text that stands in its place."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from scalars(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from scalars(item, (*path, index))
    elif value is not None:
        yield path, str(value)
