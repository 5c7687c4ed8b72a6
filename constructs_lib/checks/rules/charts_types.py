"""Chart values of a type that the chart's templates misread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...observed.agents.operators import version_of
from ...observed.model import ChartRelease, Inputs, at, is_open, is_unknown
from ...upstream.charts import CHARTS, GPU_OPERATOR
from ...upstream.charts.chart_table import ChartTable
from ...upstream.charts.gpu_operator_chart import COMPARED_SINCE
from ...upstream.version import Version
from ..edit import set_to
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._charts import OPERATOR, plugin_release


def _types(inputs: Inputs) -> Iterator[Violation]:
    for release in inputs.of_chart(*CHARTS.values()):
        if release.is_newer_than_known:
            continue
        for path, problem in [*_dropped(release), *_always_true(release), *_not_compared(release)]:
            yield _wrong_type(release, path, problem)


def _dropped(release: ChartRelease) -> Iterator[tuple[str, str]]:
    for path in _table(release).booleans:
        if isinstance(value := _value(release, path), str):
            yield path, f"is the string {value!r}, but the chart reads only true or false, and ignores the string"
    for path in _table(release).strings:
        value = _value(release, path)
        if value is not None and not isinstance(value, str) and not is_open(value):
            yield path, f"is {value!r}, but the chart reads only a string, and ignores the value"


def _always_true(release: ChartRelease) -> Iterator[tuple[str, str]]:
    for path in _table(release).switches:
        value = _value(release, path)
        if isinstance(value, str) and value.lower() in ("false", "no", "off"):
            yield path, f"is the string {value!r}, and a template takes every non-empty string for true"


def _not_compared(release: ChartRelease) -> Iterator[tuple[str, str]]:
    version = version_of(release.version)
    for path, since in COMPARED_SINCE.items() if release.chart == GPU_OPERATOR.name else ():
        first = Version.parse(since)
        if (version is None or first is None or version >= first) and isinstance(value := _value(release, path), str):
            yield path, f"is the string {value!r}. The chart fails with 'incompatible types for comparison'"


def _table(release: ChartRelease) -> ChartTable:
    return release.known_chart.table if release.known_chart else ChartTable()


def _value(release: ChartRelease, path: str) -> Any:
    """A value as written, None for an unreadable one."""
    value = at(release.values, *path.split("."))
    return None if is_unknown(value) else value


def _wrong_type(release: ChartRelease, path: str, problem: str) -> Violation:
    value, key = _value(release, path), path.rpartition(".")[2]
    meant = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}.get(
        str(value).lower(), "true or false"
    )
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value).lower()
    return Violation(
        severity=Severity.ERROR,
        message=f"{path} {problem}",
        about=release,
        path=(*release.values_path, *path.split(".")),
        edits=set_to(text) if path in _table(release).strings else set_to(meant == "true") if meant in ("true", "false") else (),
        fix=f'Set {key}: "{text}"' if path in _table(release).strings else f"Set {key}: {meant}, without quotes",
    )


RULES = (
    Rule(
        **WORDS["TG028"],
        severity=Severity.ERROR,
        check=_types,
        failing=Example(yaml=f'{plugin_release()}    failOnInitError: "false"\n'),
        # The template prints the string without quotes, so the rendered value is a boolean.
        passing=Example(
            chart="gpu-operator@v26.7.0", talos="1.13", yaml=OPERATOR.replace("driver: {enabled: false}", 'driver: {enabled: "false"}')
        ),
    ),
)
