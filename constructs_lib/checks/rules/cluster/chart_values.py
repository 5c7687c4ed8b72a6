"""Chart values that no template reads, with which a chart refuses to render, or of a type that templates misread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....observed.agents.operators import version_of
from ....observed.model import ChartRelease, Inputs, at, equals, is_given, is_open, is_unknown
from ....observed.objects.unread_values import unread_values
from ....upstream.charts import CHARTS, DEVICE_PLUGIN, DRA_DRIVER, GPU_OPERATOR
from ....upstream.charts.chart import ChartTable
from ....upstream.charts.gpu_operator_chart import COMPARED_SINCE, CONFIG_NEEDS, CONFIG_NEEDS_SINCE
from ....upstream.version import Version
from ...edit import set_to
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._charts import OPERATOR, operator_values, plugin_release


@Rule(
    id="TG027",
    claim="A chart reads every value that it is given",
    symptom="A toleration, node selector or flag is in the values, but no pod has it",
    fix="Use the key that the chart reads",
    source="https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/deployments/gpu-operator/templates/clusterpolicy.yaml; "
    "https://github.com/NVIDIA/k8s-device-plugin/blob/v0.20.0/deployments/helm/nvidia-device-plugin/values.yaml",
    severity=Severity.INFO,
    shown_by=Witness.SERVICE,
    failing=operator_values(f"{OPERATOR}devicePlugin: {{tolerations: [{{key: gpu, operator: Exists}}]}}\n"),
    passing=operator_values(f"{OPERATOR}daemonsets: {{tolerations: [{{key: gpu, operator: Exists}}]}}\n"),
)
def _ignored(inputs: Inputs) -> Iterator[Violation]:
    for release in inputs.of_chart(*CHARTS.values()):
        for path, fix in unread_values(release):
            message = f"the chart {release.chart} does not read the value {path}. Helm reports no error, and the setting has no effect"
            yield Violation(Severity.INFO, message, release, (*release.values_path, *path.split(".")), fix=fix)


@Rule(
    id="TG039",
    claim="A chart renders with the given values",
    symptom="execution error at (nvidia-device-plugin/templates/validation.yml): Running in the 'default' namespace is not recommended",
    fix="Change the value that the chart's error names",
    source="NVIDIA/k8s-device-plugin deployments/helm/nvidia-device-plugin/templates/validation.yml",
    severity=Severity.ERROR,
    shown_by=Witness.SERVICE,
    failing=Example(f'{plugin_release()}    config: {{name: sharing, map: {{default: "version: v1"}}}}\n'),
    passing=Example(f'{plugin_release()}    config: {{name: "", map: {{default: "version: v1"}}}}\n'),
)
def _refused(inputs: Inputs) -> Iterator[Violation]:
    for release in inputs.of_chart(DEVICE_PLUGIN, DRA_DRIVER, GPU_OPERATOR):
        if release.is_newer_than_known:
            continue
        for path, reason, fix in _refusals(release):
            message = f"the chart refuses to render: {reason}"
            yield Violation(Severity.ERROR, message, release, (*release.values_path, *path.split(".")) if path else (), fix=fix)


def _refusals(release: ChartRelease) -> Iterator[tuple[str, str, str]]:
    if release.chart == GPU_OPERATOR.name:
        yield from _refusals_of_operator(release)
        return
    moved = release.chart == DRA_DRIVER.name and is_given(release.value("namespaceOverride"))
    allowed = release.value("allowDefaultNamespace")
    if equals(release.namespace, "default").is_yes and (allowed is None or allowed is False) and not moved:
        yield (
            "",
            "the release's namespace is default, and allowDefaultNamespace is not true",
            "Install the release in a namespace of its own",
        )
    for path, hint in release.known_chart.refused.items() if release.known_chart else ():
        if _value(release, path):
            yield path, f"the value {path!r} is no longer supported", f"{hint[0].upper()}{hint[1:]}"
    if release.chart == DEVICE_PLUGIN.name and _value(release, "config.name") and _value(release, "config.map"):
        yield (
            "config",
            "config.name and config.map are both set",
            "Remove config.name, or remove config.map and create the ConfigMap yourself",
        )


def _refusals_of_operator(release: ChartRelease) -> Iterator[tuple[str, str, str]]:
    version = version_of(release.version)
    since = Version.parse(CONFIG_NEEDS_SINCE)
    if (
        version is None
        or since is None
        or version < since
        or not release.complete
        or _value(release, "devicePlugin.config.create") is not True
    ):
        return
    for key in CONFIG_NEEDS:
        if not is_given(release.value("devicePlugin", "config", key)):
            path = "devicePlugin.config.create"
            yield path, f"{path} is true, but devicePlugin.config.{key} is empty", f"Set devicePlugin.config.{key}"


def _value(release: ChartRelease, path: str) -> Any:
    """A value as written, None for an unreadable one."""
    value = at(release.values, *path.split("."))
    return None if is_unknown(value) else value


@Rule(
    id="TG028",
    claim="A chart's values have the types that its templates expect",
    symptom="failOnInitError is in the values, but FAIL_ON_INIT_ERROR is not in the pod; incompatible types for comparison",
    fix="Write true and false without quotes, and strings with quotes",
    source="NVIDIA/k8s-device-plugin deployments/helm/nvidia-device-plugin/templates/daemonset-device-plugin.yml",
    severity=Severity.ERROR,
    shown_by=Witness.SERVICE,
    failing=Example(f'{plugin_release()}    failOnInitError: "false"\n'),
    # The template prints the string without quotes, so the rendered value is a boolean.
    passing=operator_values(OPERATOR.replace("driver: {enabled: false}", 'driver: {enabled: "false"}')),
)
def _types(inputs: Inputs) -> Iterator[Violation]:
    for release in inputs.of_chart(*CHARTS.values()):
        if release.is_newer_than_known:
            continue
        for path, problem in [*_dropped(release), *_always_true(release), *_not_compared(release)]:
            yield _wrong_type(release, path, problem)


def _dropped(release: ChartRelease) -> Iterator[tuple[str, str]]:
    for path in _table(release).booleans:
        if isinstance(value := _written(release, path), str):
            yield path, f"is the string {value!r}, but the chart reads only true or false, and ignores the string"
    for path in _table(release).strings:
        value = _written(release, path)
        if value is not None and not isinstance(value, str) and not is_open(value):
            yield path, f"is {value!r}, but the chart reads only a string, and ignores the value"


def _always_true(release: ChartRelease) -> Iterator[tuple[str, str]]:
    for path in _table(release).switches:
        value = _written(release, path)
        if isinstance(value, str) and value.lower() in ("false", "no", "off"):
            yield path, f"is the string {value!r}, and a template takes every non-empty string for true"


def _not_compared(release: ChartRelease) -> Iterator[tuple[str, str]]:
    version = version_of(release.version)
    for path, since in COMPARED_SINCE.items() if release.chart == GPU_OPERATOR.name else ():
        first = Version.parse(since)
        if (version is None or first is None or version >= first) and isinstance(value := _written(release, path), str):
            yield path, f"is the string {value!r}. The chart fails with 'incompatible types for comparison'"


def _table(release: ChartRelease) -> ChartTable:
    return release.known_chart.table if release.known_chart else ChartTable()


def _written(release: ChartRelease, path: str) -> Any:
    """A value as written, None for an unreadable one."""
    value = at(release.values, *path.split("."))
    return None if is_unknown(value) else value


def _wrong_type(release: ChartRelease, path: str, problem: str) -> Violation:
    value, key = _written(release, path), path.rpartition(".")[2]
    meant = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}.get(
        str(value).lower(), "true or false"
    )
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value).lower()
    message = f"{path} {problem}"
    fix = f'Set {key}: "{text}"' if path in _table(release).strings else f"Set {key}: {meant}, without quotes"
    edits = set_to(text) if path in _table(release).strings else set_to(meant == "true") if meant in ("true", "false") else ()
    return Violation(Severity.ERROR, message, release, (*release.values_path, *path.split(".")), fix=fix, edits=edits)
