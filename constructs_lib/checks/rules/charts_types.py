"""Values of a type that the chart's templates take for something else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...upstream.charts import CHARTS, GPU_OPERATOR
from ...upstream.charts.chart_table import ChartTable
from ...upstream.charts.gpu_operator_chart import COMPARED_SINCE
from ...upstream.version import Version
from ..facts.operators import version_of
from ..finding import Severity
from ..model import ChartRelease, Inputs, at, is_open, is_unknown
from ..rule import Example, Found, Rule
from ._charts import OPERATOR, plugin_release


def _types(inputs: Inputs) -> Iterator[Found]:
    for release in inputs.of_chart(*CHARTS.values()):
        for path, said in [*_dropped(release), *_always_true(release), *_not_compared(release)]:
            yield _wrong_type(release, path, said)


def _dropped(release: ChartRelease) -> Iterator[tuple[str, str]]:
    for path in _table(release).booleans:
        if isinstance(value := _value(release, path), str):
            yield path, f"is the string {value!r}: the chart wants true or false, and drops it"
    for path in _table(release).strings:
        value = _value(release, path)
        if value is not None and not isinstance(value, str) and not is_open(value):
            yield path, f"is {value!r}: the chart wants a string, and drops it"


def _always_true(release: ChartRelease) -> Iterator[tuple[str, str]]:
    for path in _table(release).switches:
        value = _value(release, path)
        if isinstance(value, str) and value.lower() in ("false", "no", "off"):
            yield path, f"is the string {value!r}, and to Helm any string is true"


def _not_compared(release: ChartRelease) -> Iterator[tuple[str, str]]:
    version = version_of(release.version)
    for path, since in COMPARED_SINCE.items() if release.chart == GPU_OPERATOR.name else ():
        first = Version.parse(since)
        if (version is None or first is None or version >= first) and isinstance(value := _value(release, path), str):
            yield path, f"is the string {value!r}: the chart ends with 'incompatible types for comparison'"


def _table(release: ChartRelease) -> ChartTable:
    return release.known_chart.table if release.known_chart else ChartTable()


def _value(release: ChartRelease, path: str) -> Any:
    """What was written, None for what can't be read."""
    value = at(release.values, *path.split("."))
    return None if is_unknown(value) else value


def _wrong_type(release: ChartRelease, path: str, said: str) -> Found:
    value, key = _value(release, path), path.rpartition(".")[2]
    meant = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}.get(
        str(value).lower(), "true or false"
    )
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value).lower()
    return Found(
        severity=Severity.ERROR,
        message=f"{path} {said}",
        about=release,
        path=(*release.values_path, *path.split(".")),
        fix=f'Write {key}: "{text}"' if path in _table(release).strings else f"Write {key}: {meant}, without quotes",
    )


RULES = (
    Rule(
        id="TG028",
        claim="A chart's values have the types that its templates ask for",
        symptom="failOnInitError in the values, and no FAIL_ON_INIT_ERROR in the pod; incompatible types for comparison",
        severity=Severity.ERROR,
        fix="Write true and false without quotes, and words as strings",
        source="NVIDIA/k8s-device-plugin deployments/helm/nvidia-device-plugin/templates/daemonset-device-plugin.yml",
        judge=_types,
        failing=Example(yaml=f'{plugin_release()}    failOnInitError: "false"\n'),
        # The template prints it without its quotes, where it is false again.
        passing=Example(
            chart="gpu-operator@v26.7.0", talos="1.13", yaml=OPERATOR.replace("driver: {enabled: false}", 'driver: {enabled: "false"}')
        ),
    ),
)
