"""Values of a release that its chart does not read: Helm reports no error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..._arguments.spelling import most_similar
from ...manifests.chart_keys import unread_key_hint
from ..model import ChartRelease, known_items
from .operators import version_of


def unread_values(release: ChartRelease) -> Iterator[tuple[str, str]]:
    """The dotted path of every value that the chart does not read, with its fix."""
    if release.known_chart is not None:
        for unread in release.known_chart.unread_keys(_known(release.values), version_of(release.version)):
            key = unread.path.rpartition(".")[2]
            if unread.since or unread.until:
                yield unread.path, f"Remove the value: {unread_key_hint(unread)}"
            elif unread.instead:
                yield unread.path, f"{unread.instead[0].upper()}{unread.instead[1:]}"
            else:
                similar = most_similar(key, unread.siblings)
                yield unread.path, f"Rename {key} to {similar}" if similar else "Remove the value"


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values without unreadable ones and without nulls."""
    return {key: _known(value) if isinstance(value, Mapping) else value for key, value in known_items(values) if value is not None}
