"""A user's values for a chart, held to the keys and the versions that the chart is known to have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._arguments.errors import wrong, wrong_kind
from .._arguments.plain_values import text
from .._arguments.spelling import did_you_mean
from .._arguments.talos_warnings import warn
from ..nodes.talos_version import newer_than_tables
from ..upstream.charts import Chart, UnreadKey
from ..upstream.charts.chart_table import Keys
from ..upstream.version import Version


def check_keys(chart: Chart, values: Mapping[str, Any], version: Version | None = None) -> None:
    """Refuse a key that this version of the chart does not read: Helm would drop it without a word."""
    for path, hint in chart.refused.items():
        if path in values:
            raise wrong("values", f"without {path!r}, at which the {chart.name} chart ends", values, hint)
    if version is not None and chart.is_newer_than_known(version):
        return
    _check_mappings(values, chart.keys, "")
    for unread in chart.unread_keys(values, version):
        raise wrong("values", f"made of keys that the {unread.chart} chart reads", unread.path, unread_key_hint(unread))


def unread_key_hint(unread: UnreadKey) -> str:
    """What to do about a key that its chart does not read, "" where nothing is known."""
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


def chart_version(chart: Chart, value: object, *, pre_releases: bool = False) -> Version:
    """A version as the chart's repository writes it, with or without a `v`; warns of one that is newer than the tables."""
    rule = f"a version of the {chart.name} chart such as '{chart.default_version}'"
    written = text("version", value, rule)
    version = Version.parse(written)
    if version is None or version.patch is None or (version.pre_release and not pre_releases):
        raise wrong("version", rule, written)
    right = chart.written(version)
    if written != right:
        raise wrong("version", rule, written, f"did you mean '{right}'?")
    if chart.is_newer_than_known(version):
        warn(f"{newer_than_tables(f'{chart.name} {written}')} (newest: {chart.newest}): its values are not checked")
    return version
