"""Values of a type that the chart's templates take for something else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...upstream.chart_names import DCGM_EXPORTER, DEVICE_PLUGIN, DRA_DRIVER, GPU_OPERATOR
from ..facts.operators import chart_version
from ..finding import Severity
from ..model import ChartRelease, Inputs, Unknown, at
from ..rule import Example, Found, Rule
from ._charts import OPERATOR, plugin_release

# Templates that ask `typeIs "bool"` drop a string, and those that ask `typeIs "string"` drop anything else
# (deployments/helm/nvidia-device-plugin/templates/daemonset-device-plugin.yml).
_BOOLEANS = {DEVICE_PLUGIN: ("failOnInitError", "compatWithCPUManager", "gdrcopyEnabled", "gdsEnabled", "mofedEnabled", "noTimestamp")}
_STRINGS = {
    DEVICE_PLUGIN: (
        "migStrategy",
        "deviceListStrategy",
        "deviceIDStrategy",
        "deviceDiscoveryStrategy",
        "nvidiaDriverRoot",
        "nvidiaDevRoot",
        "cdi.nvidiaHookPath",
        "cdi.featureFlags",
    )
}
# Templates that ask `if`: the string "false" is as true as any other. Those of the operator print its other switches, where it is false again.
_SWITCHES = {
    DEVICE_PLUGIN: ("devicePlugin.enabled", "gfd.enabled", "nfd.enabled", "allowDefaultNamespace"),
    GPU_OPERATOR: (
        "nfd.enabled",
        "nfd.nodefeaturerules",
        "clusterPolicy.deployCR",
        "gpuCluster.deployCR",
        "operator.cleanupCRD",
        "operator.upgradeCRD",
        "devicePlugin.config.create",
        "migManager.config.create",
        "platform.openshift",
    ),
    DCGM_EXPORTER: ("serviceMonitor.enabled", "hostPID", "hostNetwork", "kubernetesDRA.enabled"),
    DRA_DRIVER: ("resources.gpus.enabled", "resources.computeDomains.enabled", "gpuResourcesEnabledOverride", "webhook.enabled"),
}
# Compared with `eq` from here on, which ends with "incompatible types for comparison" (templates/validations.yaml).
_COMPARED, _COMPARED_FROM = ("cdi.enabled", "cdi.nriPluginEnabled"), (26, 3, 0)


def _types(inputs: Inputs) -> Iterator[Found]:
    for release in inputs.of_chart(*_SWITCHES):
        for path, said in [*_dropped(release), *_always_true(release), *_not_compared(release)]:
            yield _wrong_type(release, path, said)


def _dropped(release: ChartRelease) -> Iterator[tuple[str, str]]:
    for path in _BOOLEANS.get(release.chart, ()):
        if isinstance(value := _value(release, path), str):
            yield path, f"is the string {value!r}: the chart wants true or false, and drops it"
    for path in _STRINGS.get(release.chart, ()):
        value = _value(release, path)
        if value is not None and not isinstance(value, str):
            yield path, f"is {value!r}: the chart wants a string, and drops it"


def _always_true(release: ChartRelease) -> Iterator[tuple[str, str]]:
    for path in _SWITCHES[release.chart]:
        value = _value(release, path)
        if isinstance(value, str) and value.lower() in ("false", "no", "off"):
            yield path, f"is the string {value!r}, and to Helm any string is true"


def _not_compared(release: ChartRelease) -> Iterator[tuple[str, str]]:
    version = chart_version(release.version)
    if release.chart == GPU_OPERATOR and (version is None or version >= _COMPARED_FROM):
        for path in _COMPARED:
            if isinstance(value := _value(release, path), str):
                yield path, f"is the string {value!r}: the chart ends with 'incompatible types for comparison'"


def _value(release: ChartRelease, path: str) -> Any:
    """What was written, None for what can't be read."""
    value = at(release.values, *path.split("."))
    return None if isinstance(value, Unknown) else value


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
        fix=f'Write {key}: "{text}"' if path in _STRINGS.get(release.chart, ()) else f"Write {key}: {meant}, without quotes",
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
