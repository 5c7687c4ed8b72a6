"""Which values of a release its chart does not read: Helm drops them without a word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..._arguments.refusals import did_you_mean
from ...upstream.charts import UnreadKey
from ...upstream.version import Version
from ..model import ChartRelease, Unknown
from .operators import version_of


def unread_values(release: ChartRelease) -> Iterator[tuple[str, str]]:
    """The dotted path of each value that the chart does not read, and what to do about it."""
    chart, version = release.known_chart, version_of(release.version)
    if chart is None or (version is not None and version < (Version.parse(chart.oldest) or version)):
        return
    for unread in chart.unread_keys(_known(release.values), version):
        yield unread.path, _fix(unread)


def _fix(unread: UnreadKey) -> str:
    if unread.since or unread.until:
        return f"Leave it out: {f'it came with {unread.since}' if unread.since else f'it went with {unread.until}'}"
    hint = unread.instead or did_you_mean(unread.path.rpartition(".")[2], unread.known)
    return f"{hint[0].upper()}{hint[1:]}" if hint else "Leave it out"


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    """Without what can't be read, and without what is taken away."""
    return {
        key: _known(value) if isinstance(value, Mapping) else value
        for key, value in values.items()
        if isinstance(key, str) and not isinstance(key, Unknown) and value is not None
    }
