"""The checks of a user's values against the keys and versions of a chart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...arguments.errors import warn, wrong, wrong_kind
from ...arguments.plain_values import text
from ...arguments.spelling import did_you_mean
from ...nodes.talos_version import dated, newer_than_tables
from ...upstream.charts import Chart, UnreadKey
from ...upstream.charts.chart import Keys
from ...upstream.version import Version


def check_keys(chart: Chart, values: Mapping[str, Any], version: Version | None = None) -> None:
    """Refuse a key that this version of the chart does not read: Helm drops such a key silently."""
    for path, hint in chart.refused.items():
        if path in values:
            raise wrong("values", f"without {path!r}, which the {chart.name} chart refuses", values, hint)
    if version is not None and chart.is_newer_than_known(version):
        return
    _check_mappings(values, chart.keys, "")
    for unread in chart.unread_keys(values, version):
        raise wrong("values", f"made of keys that the {unread.chart} chart reads", unread.path, unread_key_hint(unread))


def unread_key_hint(unread: UnreadKey) -> str:
    """The hint for a key that its chart does not read; "" where nothing is known."""
    if unread.since:
        return f"{unread.chart} reads it from {unread.since} on, and this is {unread.version}"
    if unread.until:
        return f"{unread.chart} reads it only before {unread.until}, and this is {unread.version}"
    return unread.instead or did_you_mean(unread.path.rpartition(".")[2], unread.siblings)


def _check_mappings(values: Mapping[str, Any], keys: Keys, below: str) -> None:
    for key, value in values.items():
        inner = keys.get(key)
        if inner and not isinstance(value, Mapping):
            hint = f"such as {{'{next(iter(inner))}': …}}"
            raise wrong_kind(f"values[{below}{key}]", "a mapping of the chart's own keys", value, hint)
        if inner:
            _check_mappings(value, inner, f"{below}{key}.")


def _unread(chart: Chart, version: Version) -> str:
    """The sentence about a version whose templates were not read: upstream released it before the date of the tables,
    or after."""
    released = Version.parse(chart.table.released)
    if released is not None and version <= released:
        return dated(f"the keys of {chart.name} {chart.written(version)} were not read")
    return newer_than_tables(f"{chart.name} {chart.written(version)}")


def chart_version(chart: Chart, value: object, *, pre_releases: bool = False) -> Version:
    """A version in the spelling of the chart's repository, with or without a `v`; warns of a version newer than the
    tables."""
    rule = f"a version of the {chart.name} chart such as '{chart.default_version}'"
    written = text("version", value, rule)
    version = Version.parse(written)
    if version is None or version.patch is None or (version.pre_release and not pre_releases):
        raise wrong("version", rule, written)
    canonical = chart.written(version)
    if written != canonical:
        raise wrong("version", rule, written, f"did you mean '{canonical}'?")
    if chart.is_newer_than_known(version):
        warn(f"{_unread(chart, version)} (newest: {chart.newest}): its values are not checked")
    return version
