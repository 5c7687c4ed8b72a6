"""The checks of a user's values for a chart: keys that it reads, values that Helm misreads, and overrides."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ...arguments.errors import warn, wrong, wrong_kind
from ...arguments.plain_values import text
from ...nodes.talos_version import dated, newer_than_tables
from ...upstream.charts import Chart, UnreadKey
from ...upstream.charts.chart import Keys
from ...upstream.charts.nfd_chart import CARD_FIELDS
from ...upstream.version import Version
from .key_hints import meant_key


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
    meant = meant_key(unread)
    around, _, name = meant.rpartition(".")
    is_beside = around == unread.path.rpartition(".")[0]
    return unread.instead or (f"did you mean '{name if is_beside else meant}'?" if meant else "")


def _check_mappings(values: Mapping[str, Any], keys: Keys, below: str) -> None:
    for key, value in values.items():
        inner = keys.get(key)
        if inner and not isinstance(value, Mapping):
            hint = f"such as {{'{next(iter(inner))}': …}}"
            raise wrong_kind(f"values[{below}{key}]", "a mapping of the chart's own keys", value, hint)
        if inner:
            _check_mappings(value, inner, f"{below}{key}.")


def _unread(chart: Chart, version: Version) -> str:
    """The sentence about a version whose templates were not read, of before the date of the tables or of after."""
    released = Version.parse(chart.table.released)
    if released is not None and version <= released:
        return dated(f"the keys of {chart.name} {chart.written(version)} were not read")
    return newer_than_tables(f"{chart.name} {chart.written(version)}")


def chart_version(chart: Chart, value: object, *, pre_releases: bool = False) -> Version:
    """A version in the spelling of the chart's repository; warns of a version newer than the tables."""
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


ABSENT = object()


def at(values: Mapping[str, Any], path: str) -> Any:
    """The value at a dotted path, or ABSENT."""
    value: Any = values
    for key in path.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return ABSENT
        value = value[key]
    return value


def leaves(values: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every value that is not a mapping, by its path."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key), value


def refuse_what_helm_misreads(values: Mapping[str, Any], *, flags: Collection[str] = ()) -> None:
    """Refuse a null, which Helm takes for "remove the default", and anything but a bool under a key in `flags`."""
    for null in _nulls(values):
        hint = "cdk8s drops a null, so the null never reaches the chart; write the value that you want"
        raise wrong("values", "without null", null, hint)
    for path, value in leaves(values):
        if path[-1] in flags and not isinstance(value, bool):
            raise wrong_kind(f"values[{'.'.join(path)}]", "True or False", value, "Helm takes every string for true")


def _nulls(value: object, path: str = "") -> Iterator[str]:
    if value is None:
        yield path.removeprefix(".")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _nulls(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _nulls(item, f"{path}[{index}]")


def overridden(needed: Mapping[str, Any], effective: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """The path, the needed and the effective value of each override. A longer list is no override."""
    for path, wanted in leaves(needed):
        name = ".".join(path)
        got = at(effective, name)
        if not _is_met(path[-1], wanted, got):
            yield name, wanted, got


def _is_met(key: str, wanted: Any, got: Any) -> bool:
    """Whether a value does what the needed one does for these nodes."""
    if not isinstance(wanted, list) or not isinstance(got, list):
        is_folder = isinstance(wanted, str) and wanted.startswith("/")
        return bool(got == wanted) or (is_folder and bool(got == f"{wanted}/"))
    if key == "tolerations":
        return all(any(isinstance(each, Mapping) and _covers(each, one) for each in got) for one in wanted)
    if key == "deviceClassWhitelist":  # NFD compares prefixes (source/pci/pci.go at v0.19.0)
        return all(any(card.startswith(str(each)) for each in got) for card in CARD_FIELDS["class"])
    return all(item in got for item in wanted)


def _covers(toleration: Mapping[str, Any], needed: Mapping[str, str]) -> bool:
    """Whether a toleration tolerates every taint that the needed one tolerates."""
    key, effect = toleration.get("key") or "", toleration.get("effect") or ""
    if effect not in ("", needed["effect"]) or key not in ("", needed["key"]):
        return False
    if toleration.get("operator") == "Exists":
        return True
    is_equal = toleration.get("operator") in (None, "", "Equal") and needed["operator"] == "Equal"
    return bool(key) and is_equal and (toleration.get("value") or "") == (needed.get("value") or "")
