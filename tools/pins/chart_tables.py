"""The tables of the charts' keys: what a run adds to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from constructs_lib.upstream.charts import CHARTS
from constructs_lib.upstream.version import Version

from .chart_readings import ChartSource, Reading, read_chart, value_at
from .key_conditions import renewed_conditions, renewed_kinds
from .key_spans import newly_mapped, renewed_keys, unread
from .repositories import Repository, UnreachableError
from .tables import Report, Table

CHART_SOURCES = (
    ChartSource(
        name="gpu-operator",
        repository="NVIDIA/gpu-operator",
        folder="deployments/gpu-operator",
        tag=r"(v\d\d\.\d+\.\d+)",
        fields={"daemonsets": "crds/nvidia.com_clusterpolicies.yaml"},
    ),
    ChartSource(
        name="nvidia-device-plugin",
        repository="NVIDIA/k8s-device-plugin",
        folder="deployments/helm/nvidia-device-plugin",
        tag=r"v(\d+\.\d+\.\d+)",
    ),
    # Its tags are DCGM's version and its own, and from 4.8.4 on its own alone.
    ChartSource(name="dcgm-exporter", repository="NVIDIA/dcgm-exporter", folder="deployment", tag=r"(?:\d+\.\d+\.\d+-)?(\d+\.\d+\.\d+)"),
    ChartSource(
        name="dra-driver-nvidia-gpu",
        repository="kubernetes-sigs/dra-driver-nvidia-gpu",
        folder="deployments/helm/dra-driver-nvidia-gpu",
        tag=r"v(\d\.\d+\.\d+)",
    ),
    # The same chart up to 25.12, by its earlier name; tags of its numbers come no more.
    ChartSource(
        name="nvidia-dra-driver-gpu",
        repository="kubernetes-sigs/dra-driver-nvidia-gpu",
        folder="deployments/helm/nvidia-dra-driver-gpu",
        tag=r"v(\d\d\.\d+\.\d+)",
    ),
    ChartSource(
        name="node-feature-discovery",
        repository="kubernetes-sigs/node-feature-discovery",
        folder="deployment/helm/node-feature-discovery",
        tag=r"v(\d+\.\d+\.\d+)",
    ),
)
"""Where each chart with a table is published."""


def renew_chart(source: ChartSource, table: Table, repository: Repository, report: Report, *, every_tag: bool = False) -> list[Reading]:
    """Bring a chart's table up to its newest release, and return the releases that were read.

    Read are the newest release that the table knows, as what to compare with, and all after it; with `every_tag` all from the oldest on.
    """
    facts = table.facts
    oldest, newest, released = (_version(facts[name]) for name in ("oldest", "newest", "released"))
    releases = source.releases(repository.tags())
    last_tag, last = next(reversed(releases.items()), ("", oldest))
    if last < released:
        report.unread.append(
            f"{source.name}: {repository.name} ends at {source.written(last_tag)} here; what is known of {facts['released']} stays"
        )
    else:
        facts["released"] = source.written(last_tag)
    readings = []
    for tag, version in releases.items():
        if version >= (oldest if every_tag else newest):
            try:
                readings.append(read_chart(source, repository, tag, version))
            except UnreachableError as error:
                report.unread.append(f"{error}; the keys of {source.name} stay those of {facts['newest']}")
                break
    if readings:
        before = dict(facts["keys"])
        facts["keys"] = renewed_keys(before, readings, oldest)
        facts["subcharts"] = _renewed_subcharts(facts["subcharts"], readings, oldest)
        further = CHARTS[source.name].beyond_templates.values() if source.name in CHARTS else ()
        conditions, own_values = renewed_conditions(facts, readings, further, every_tag=every_tag)
        kinds = renewed_kinds(facts, readings)
        further_facts = (("kinds", kinds), ("conditions", conditions), ("defaults", own_values))
        facts |= {name: found for name, found in further_facts if found or name in facts}
        for name in ("images", "schema"):
            if renewed := _renewed(facts.get(name, {}), readings, name):
                facts[name] = renewed
        if readings[-1].version >= newest:
            facts |= {name: getattr(readings[-1], name) for name in ("booleans", "strings", "switches")} | {"newest": readings[-1].written}
        report.changes += _changes(source.name, before, facts["keys"], str(newest), facts["newest"])
        if every_tag:
            report.reviews += [f"{source.name}: {key} was entered by hand: no tag here reads it" for key in unread(facts["keys"], readings)]
        report.reviews += _reviews(source.name, before, [reading for reading in readings if reading.version >= newest])
    return readings


def _version(written: str) -> Version:
    version = Version.parse(written)
    if version is None:
        raise ValueError(f"{written!r} is no version")
    return version


def _renewed_subcharts(subcharts: Mapping[str, Mapping[str, str]], readings: list[Reading], oldest: Version) -> dict[str, dict[str, str]]:
    """The versions of the subcharts by the first version of the chart that brings each."""
    brought = {key: dict(versions) for key, versions in subcharts.items()}
    for reading in readings:
        for key, version in reading.subcharts.items():
            versions = brought.setdefault(key, {})
            earlier = [inner for outer, inner in versions.items() if max(_version(outer), oldest) <= reading.version]
            if earlier[-1:] != [version]:
                versions[reading.written] = version
    return brought


def _renewed(before: Mapping[str, Mapping[str, Any]], readings: list[Reading], name: str) -> dict[str, dict[str, Any]]:
    """The images of the values, or what their schema says, by the first version of the chart that has each; an empty text from the version on that has
    none."""
    renewed = {key: dict(versions) for key, versions in before.items()}
    for reading in readings:
        found: Mapping[str, Any] = getattr(reading, name)
        for key in sorted({*renewed, *found}):
            versions, fact = renewed.setdefault(key, {}), found.get(key, "")
            earlier = [inner for outer, inner in versions.items() if _version(outer) <= reading.version]
            if (earlier or [""])[-1] != fact:
                versions[reading.written] = fact
    return dict(sorted(renewed.items()))


def _changes(name: str, before: Mapping[str, Any], after: Mapping[str, Any], old: str, new: str) -> Iterator[str]:
    if _version(new) != _version(old):
        yield f"{name}: its newest release is {new} (was {old})"
    for key in sorted({*before, *after}):
        if before.get(key) != after.get(key):
            yield f"{name}: {key} {_said(before.get(key))} -> {_said(after.get(key))}"


def _said(span: Mapping[str, str] | None) -> str:
    if span is None:
        return "no key"
    return " ".join(f"{limit} {version}" for limit, version in span.items()) or "every version"


def _reviews(name: str, keys: Mapping[str, Any], readings: list[Reading]) -> Iterator[str]:
    """What a person has to look at in releases that came after the first of these."""
    chart = CHARTS.get(name)
    defaults = list(_leaves(chart.defaults)) if chart else []
    for old, new in pairwise(readings):
        for key in sorted({*new.unread_values()} - {*old.unread_values()}):
            yield f"{name} {new.written}: values.yaml has {key}, and no template reads it: it is not in the table"
        for key in sorted({*newly_mapped(keys, new)} - {*newly_mapped(keys, old)}):
            yield f"{name} {new.written}: the templates read keys below {key}, which was one value: what is below it is not in the table"
        for key in defaults:
            if value_at(old.values, key) != value_at(new.values, key):
                yield f"{name} {new.written}: values.yaml has another {key}: constructs_lib/upstream/charts goes by the old one"


def _leaves(values: Mapping[str, Any], below: str = "") -> Iterator[str]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{below}{key}.")
        else:
            yield f"{below}{key}"
