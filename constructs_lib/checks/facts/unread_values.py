"""Which values of a release its chart does not read: Helm drops them without a word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...manifests.chart_keys import unread_key_hint
from ..model import ChartRelease, known_items
from .operators import version_of


def unread_values(release: ChartRelease) -> Iterator[tuple[str, str]]:
    """The dotted path of each value that the chart does not read, and what to do about it."""
    if release.known_chart is not None:
        for unread in release.known_chart.unread_keys(_known(release.values), version_of(release.version)):
            hint = unread_key_hint(unread)
            if unread.since or unread.until:
                yield unread.path, f"Leave it out: {hint}"
            else:
                yield unread.path, f"{hint[0].upper()}{hint[1:]}" if hint else "Leave it out"


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    """Without what can't be read, and without what is taken away."""
    return {key: _known(value) if isinstance(value, Mapping) else value for key, value in known_items(values) if value is not None}
