"""Chart values with which a chart refuses to render."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...observed.agents.operators import version_of
from ...observed.model import ChartRelease, Inputs, at, equals, is_given, is_unknown
from ...upstream.charts import DEVICE_PLUGIN, DRA_DRIVER, GPU_OPERATOR
from ...upstream.charts.gpu_operator_chart import CONFIG_NEEDS, CONFIG_NEEDS_SINCE
from ...upstream.version import Version
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._charts import plugin_release


def _refused(inputs: Inputs) -> Iterator[Violation]:
    for release in inputs.of_chart(DEVICE_PLUGIN, DRA_DRIVER, GPU_OPERATOR):
        if release.is_newer_than_known:
            continue
        for path, reason, fix in _refusals(release):
            yield Violation(
                severity=Severity.ERROR,
                message=f"the chart refuses to render: {reason}",
                about=release,
                path=(*release.values_path, *path.split(".")) if path else (),
                fix=fix,
            )


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


RULES = (
    Rule(
        **WORDS["TG039"],
        severity=Severity.ERROR,
        check=_refused,
        failing=Example(yaml=f'{plugin_release()}    config: {{name: sharing, map: {{default: "version: v1"}}}}\n'),
        passing=Example(yaml=f'{plugin_release()}    config: {{name: "", map: {{default: "version: v1"}}}}\n'),
    ),
)
