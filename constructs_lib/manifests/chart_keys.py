"""A user's values for a chart, held to the keys and the versions that the chart is known to have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._arguments.refusals import did_you_mean, text, warn, wrong, wrong_kind
from ..nodes.talos_version import newer_than_tables
from ..upstream.charts import Chart
from ..upstream.charts.chart import Keys
from ..upstream.version import Version


def check_keys(chart: Chart, values: Mapping[str, Any], version: Version | None = None) -> None:
    """Refuse a key that this version of the chart does not read: Helm would drop it without a word."""
    if version is not None and chart.is_newer_than_known(version):
        return
    _check_mappings(values, chart.keys, "")
    for unread in chart.unread_keys(values, version):
        if unread.since or unread.until:
            then = f"it came with {unread.since}" if unread.since else f"it went with {unread.until}"
            raise wrong("values", f"made of keys that the {chart.name} chart {_written(chart, version)} reads", unread.path, then)
        then = unread.instead or did_you_mean(unread.path.rpartition(".")[2], unread.known)
        raise wrong("values", f"made of keys that the {chart.name} chart reads", unread.path, then)


def _check_mappings(values: Mapping[str, Any], keys: Keys, below: str) -> None:
    for key, value in values.items():
        inner = keys.get(key)
        if inner and not isinstance(value, Mapping):
            then = f"such as {{'{next(iter(inner))}': …}}"
            raise wrong_kind(f"values[{below}{key}]", "a mapping of the chart's own keys", value, then)
        if inner:
            _check_mappings(value, inner, f"{below}{key}.")


def chart_version(chart: Chart, value: object, *, pre_releases: bool = False) -> Version:
    """A version as the chart's repository writes it, with or without a `v`; warns of one that is newer than the tables."""
    rule = f"a version of the {chart.name} chart such as '{chart.newest}'"
    written = text("version", value, rule)
    version = Version.parse(written)
    if version is None or version.patch is None or (version.pre_release and not pre_releases):
        raise wrong("version", rule, written)
    right = _written(chart, version)
    if written != right:
        raise wrong("version", rule, written, f"did you mean '{right}'?")
    if chart.is_newer_than_known(version):
        warn(f"{newer_than_tables(f'{chart.name} {written}')} (newest: {chart.newest}): its values are not checked")
    return version


def _written(chart: Chart, version: Version | None) -> str:
    return f"{'v' if chart.newest.startswith('v') else ''}{version}"
