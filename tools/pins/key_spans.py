"""The keys of a chart's table, and from which version to which the templates read each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from constructs_lib.upstream.version import Version

from .chart_readings import Reading, parents

Span = Mapping[str, str]


def renewed_keys(keys: Mapping[str, Span], readings: Sequence[Reading], oldest: Version) -> dict[str, Span]:
    """The keys of a table after some releases of the chart were read, oldest first.

    A key that no reading has keeps its span: it was entered by hand, or was gone before. A key that any of them reads as one value is one: there
    are none below it.
    """
    leaves = {key for reading in readings for key in reading.leaves}
    renewed: dict[str, Span | None] = {key: span for key, span in keys.items() if not leaves.intersection(parents(key))}
    for key in leaves:
        if not leaves.intersection(parents(key)):
            renewed.setdefault(key, _earliest(keys, key))
    return {key: _renewed_span(key, renewed[key], readings, oldest) for key in sorted(renewed) if not {*renewed}.intersection(parents(key))}


def unread(keys: Mapping[str, Span], readings: Sequence[Reading]) -> list[str]:
    """The keys of a table that none of these releases reads."""
    return [key for key in keys if not any(reading.reads(key) for reading in readings)]


def newly_mapped(keys: Mapping[str, Span], reading: Reading) -> list[str]:
    """The keys of a table that held a value, and of which this release reads only what stands below them."""
    return sorted({parent for key in reading.leaves for parent in parents(key) if parent in keys})


def _earliest(keys: Mapping[str, Span], key: str) -> Span | None:
    """The span of a mapping that is to be one key: that of its first key; None where it has none."""
    inner = [span for each, span in keys.items() if key in parents(each)]
    return min(inner, key=lambda span: _order(span.get("since", "")), default=None)


def _order(written: str) -> tuple[bool, Version | None]:
    version = Version.parse(written)
    return (version is not None, version)


def _renewed_span(key: str, old: Span | None, readings: Sequence[Reading], oldest: Version) -> Span:
    since, until = ((old or {}).get(limit, "") for limit in ("since", "until"))
    seen = [reading for reading in readings if reading.reads(key)]
    if not seen:
        return old or {}
    first, last, gone = seen[0], seen[-1], Version.parse(until)
    # That it was gone for a while is no reason to doubt when it came.
    before = [reading for reading in readings if reading.version < first.version and not (gone and reading.version >= gone)]
    after = [reading for reading in readings if reading.version > last.version]
    came = Version.parse(since) or oldest
    if (before and came <= before[-1].version) or came > first.version or old is None:
        since = first.written if first.version > oldest else ""
    if after and not (gone and last.version < gone <= after[0].version):
        until = after[0].written
    elif gone and gone <= last.version:
        until = ""
    return {limit: version for limit, version in (("since", since), ("until", until)) if version}
