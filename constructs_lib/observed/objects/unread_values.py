"""Values of a release that its chart does not read: Helm reports no error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...manifests.charts.key_hints import meant_key, other_places
from ...manifests.charts.user_values import unread_key_hint
from ...upstream.charts import CHARTS
from ...upstream.charts.pod_keys import TRUECHARTS_KEYS
from ...upstream.version import Version
from ..agents.operators import version_of
from ..model import ChartRelease, Inputs, Path, at, known_items
from ..pods.library_workloads import is_app_template
from .chart_sources import is_of_truecharts, is_upstreams_chart


def unread_values(release: ChartRelease, inputs: Inputs) -> Iterator[tuple[str, str]]:
    """The dotted path of every value that the chart does not read, with its fix."""
    if is_of_truecharts(release, inputs):
        yield from ((key, f"Set {TRUECHARTS_KEYS[key]}") for key, _ in known_items(release.values) if key in TRUECHARTS_KEYS)
        return
    if release.known_chart is not None:
        for unread in release.known_chart.unread_keys(_known(release.values), version_of(release.version)):
            if unread.since or unread.until:
                yield unread.path, f"Remove the value: {unread_key_hint(unread)}"
            elif unread.instead:
                yield unread.path, f"{unread.instead[0].upper()}{unread.instead[1:]}"
            else:
                value = at(release.values, *unread.path.split("."))
                meant, others = meant_key(unread, value), other_places(unread, value)
                yield unread.path, _move(unread.path, meant) if meant else _spread(unread.path, others) if others else "Remove the value"


def values_of_another(release: ChartRelease) -> str:
    """The one known chart that reads every value of a release of another known chart, which reads none of them. Empty
    if there is none."""
    chart = release.known_chart
    written = {key for key, value in known_items(release.given) if isinstance(key, str) and value is not None}
    if chart is None or not chart.knows(version_of(release.version)) or len(written) < _ENOUGH or written & set(chart.keys):
        return ""
    others = [each.name for each in CHARTS.values() if each is not chart and written <= set(each.keys)]
    return others[0] if len(others) == 1 else ""


_ENOUGH = 2
"""The fewest keys by which a chart is told from others."""


def _move(path: str, meant: str) -> str:
    around, _, key = path.rpartition(".")
    there, _, name = meant.rpartition(".")
    return f"Rename {key} to {name}" if there == around else f"Move {path} to {meant}"


def _spread(path: str, others: list[str]) -> str:
    """The places of a key, of which the first are named."""
    *first, last = others[:_SHOWN]
    rest = f", or to another of its {len(others)} places" if len(others) > _SHOWN else ""
    return f"Move {path} to {', '.join(first)}{' or ' if first else ''}{last}{rest}"


_SHOWN = 3


def why_unread(release: ChartRelease, path: Path, inputs: Inputs) -> str:
    """Why a change of the value at a path of a release's values changes nothing in the cluster; empty for a value that
    the chart reads.

    A value that stands there already is one that its author found in the chart.
    """
    name = ".".join(map(str, path))
    if release.reading.is_read(*map(str, path)).is_no:
        return f"a part of the chart {release.chart} is off, so the chart does not read {name}"
    if is_of_truecharts(release, inputs):
        own = TRUECHARTS_KEYS.get(str(path[0]), "")
        return f"TrueCharts' common library reads {own}, and not {path[0]}" if own else ""
    chart, is_there = release.known_chart, at(release.values, *path) is not None
    if chart is not None:
        version = version_of(release.version)
        what = f"the chart {release.chart}{f' {release.version}' if version else ''}"
        if next(chart.unread_keys(_nested(path), version), None):
            return f"{what} does not read {name}"
        oldest = Version.parse(chart.numbered_as(version).oldest)
        is_unknown = version and oldest and version < oldest and not is_there
        return f"the templates of {what} were not read, so the chart may not read {name}" if is_unknown else ""
    if is_there or is_app_template(release) or is_upstreams_chart(release, inputs).is_yes:
        return ""
    return f"no repository of the chart {release.chart} was read whose templates are known, so the chart may not read {name}"


def _nested(path: Path) -> dict[str, Any]:
    """A value at a path, as far as it leads through mappings."""
    key, *rest = path
    return {str(key): _nested(tuple(rest)) if rest and isinstance(rest[0], str) else True}


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values without unreadable ones and without nulls."""
    return {key: _known(value) if isinstance(value, Mapping) else value for key, value in known_items(values) if value is not None}
