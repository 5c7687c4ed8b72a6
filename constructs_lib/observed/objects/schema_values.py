"""Values that break the schema of their chart: Helm installs nothing.

Source: helm/helm pkg/chart/common/util/jsonschema.go, and the words of Helm 4.1.4 (2026-11-28)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...upstream.charts import Chart
from ...upstream.version import Version
from ..model import ChartRelease, Path, at, is_unknown, known_items, mappings
from .field_kinds import mistyped, word


class BrokenValue(NamedTuple):
    """A value that a schema does not take: its path in the release's values, what Helm says, and the types it takes."""

    path: Path
    value: Any
    problem: str
    chart: Chart
    types: tuple[str, ...] = ()
    is_sure: bool = True
    """Whether the release surely has this chart, in a version with the schema."""


def broken_values(release: ChartRelease) -> Iterator[BrokenValue]:
    """The values that the schemas of a release's charts refuse."""
    reading = release.reading
    chart, version = reading.chart, reading.version
    if chart is None or not chart.knows(version) or _is_off(release):
        return
    yield from _broken(chart, version, release.given, ())
    for key, subchart in chart.subcharts.items():
        installed, values = reading.is_read(key), at(release.given, key)
        if not installed.is_no and isinstance(values, Mapping):
            inner = _broken(subchart.chart, chart.table.subchart_version(key, version or Version.parse(chart.newest)), values, (key,))
            for each in inner:
                yield each._replace(is_sure=installed.is_yes and version is not None)


def _is_off(release: ChartRelease) -> bool:
    """Whether Flux or Argo CD does not, or may not, let Helm ask the schema."""
    sources = [release.at("spec", "source"), *(each for _, each in mappings(release.at("spec", "sources")))]
    switches = [release.at("spec", "install", _OF_FLUX), *(at(each, "helm", _OF_ARGO_CD) for each in sources)]
    return any(each is not None and each is not False for each in switches)


_OF_FLUX, _OF_ARGO_CD = "disableSchemaValidation", "skipSchemaValidation"
"""The switches.

Source: fluxcd/helm-controller api/v2/helmrelease_types.go, argoproj/argo-cd pkg/apis/application/v1alpha1/types.go (2026-11-28)
"""


def _broken(chart: Chart, version: Version | None, values: Mapping[str, Any], above: Path) -> Iterator[BrokenValue]:
    known = version or Version.parse(chart.newest)
    facts = chart.table.schema_of(known) if chart.table.schema and known and chart.knows(known) else {}
    pending: list[tuple[Path, Any]] = [((), values)] if facts else []
    for path, value in pending:  # it grows
        if value is None or is_unknown(value) or not word(value):
            continue
        fact = facts.get(".".join(map(str, path)), {})
        for inner, problem, types in _problems(value, fact, path):
            yield BrokenValue((*above, *inner), at(values, *inner), problem, chart, types, is_sure=version is not None)
        if isinstance(value, Mapping):
            pending += [((*path, key), item) for key, item in value.items() if isinstance(key, str) and "." not in key]


def _problems(value: Any, fact: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, str, tuple[str, ...]]]:
    written = fact.get("type", ())
    types = (written,) if isinstance(written, str) else tuple(written)
    found = _JSON.get(word(value), word(value))
    if types and not any(_is_of(value, found, each) for each in types):
        yield path, f"got {found}, want {' or '.join(types)}", types
        return
    if "enum" in fact and value not in fact["enum"]:
        yield path, f"value must be one of {str(fact['enum'])[1:-1]}", types
    if found == "number":
        for limit, is_broken in (("minimum", value < fact.get("minimum", value)), ("maximum", value > fact.get("maximum", value))):
            if is_broken:
                yield path, f"{limit}: got {value}, want {fact[limit]}", types
    for inner, kind, item in mistyped(value, fact["kind"], path) if "kind" in fact else ():
        yield inner, f"got {_JSON.get(word(item), word(item))}, want {_OF_GO.get(kind, 'integer')}", (_OF_GO.get(kind, "integer"),)
    if "keys" in fact and isinstance(value, Mapping):
        for key, _ in known_items(value):
            if key not in fact["keys"]:
                yield (*path, key), f"additional properties '{key}' not allowed", ()


_JSON = {"bool": "boolean"}
_OF_GO = {"string": "string", "bool": "boolean"}


def _is_of(value: Any, found: str, wanted: str) -> bool:
    is_whole = found == "number" and float(value).is_integer()
    return found == wanted or (wanted == "integer" and is_whole)
