"""Values of a release that its chart does not read: Helm drops them silently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...manifests.chart_keys import unread_key_hint
from ..model import ChartRelease, known_items
from .operators import version_of


def unread_values(release: ChartRelease) -> Iterator[tuple[str, str]]:
    """The dotted path of every value that the chart does not read, with its fix."""
    if release.known_chart is not None:
        for unread in release.known_chart.unread_keys(_known(release.values), version_of(release.version)):
            hint = unread_key_hint(unread)
            if unread.since or unread.until:
                yield unread.path, f"Remove the value: {hint}"
            else:
                yield unread.path, f"{hint[0].upper()}{hint[1:]}" if hint else "Remove the value"


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values without unreadable ones and without nulls."""
    return {key: _known(value) if isinstance(value, Mapping) else value for key, value in known_items(values) if value is not None}
