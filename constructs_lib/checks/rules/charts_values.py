"""Values that a chart drops without a word, values of a type that its templates take for another, and values that it refuses to render."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..finding import Severity
from ..questions.chart_keys import unread_keys
from ..questions.operators import chart_version
from ..read import ChartRelease, Inputs, Unknown, at
from ..reading.charts import DCGM_EXPORTER, DEVICE_PLUGIN, DRA_DRIVER, GPU_OPERATOR
from ..rule import Example, Found, Rule


def _ignored(inputs: Inputs) -> Iterator[Found]:
    for release in inputs.of_chart(GPU_OPERATOR, DEVICE_PLUGIN, DCGM_EXPORTER, DRA_DRIVER):
        for path, fix in unread_keys(release):
            yield Found(
                severity=Severity.INFO,
                message=f"the chart {release.chart} has no value {path}, and drops it without a word",
                about=release,
                path=(*release.values_path, *path.split(".")),
                fix=fix,
            )


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


def _refused(inputs: Inputs) -> Iterator[Found]:
    for release in inputs.of_chart(DEVICE_PLUGIN, DRA_DRIVER, GPU_OPERATOR):
        for path, why, fix in _refusals(release):
            yield Found(
                severity=Severity.ERROR,
                message=f"the chart refuses to render: {why}",
                about=release,
                path=(*release.values_path, *path.split(".")) if path else (),
                fix=fix,
            )


def _refusals(release: ChartRelease) -> Iterator[tuple[str, str, str]]:
    if release.chart == GPU_OPERATOR:
        yield from _refusals_of_operator(release)
        return
    moved = release.chart == DRA_DRIVER and _value(release, "namespaceOverride")
    allowed = release.value("allowDefaultNamespace")
    if release.namespace == "default" and not isinstance(release.namespace, Unknown) and allowed in (None, False) and not moved:
        yield "", "its namespace is default, and allowDefaultNamespace is not true", "Install it into a namespace of its own"
    if _value(release, "namespace"):
        yield "namespace", "the value 'namespace' is no longer supported", "Set the namespace of the release"
    if release.chart == DEVICE_PLUGIN and _value(release, "config.name") and _value(release, "config.map"):
        yield "config", "config.name and config.map are both set", "Keep config.map, or a ConfigMap of your own with config.name"
    if release.chart == DRA_DRIVER and _value(release, "nvidiaCtkPath"):
        yield "nvidiaCtkPath", "the value 'nvidiaCtkPath' is no longer supported", "Leave it out: the driver brings its own hook"


def _refusals_of_operator(release: ChartRelease) -> Iterator[tuple[str, str, str]]:
    version = chart_version(release.version)
    if version is None or version < (26, 7, 0) or not release.complete or _value(release, "devicePlugin.config.create") is not True:
        return
    for key in ("name", "data"):
        if not _value(release, f"devicePlugin.config.{key}") and not isinstance(release.value("devicePlugin", "config", key), Unknown):
            path = "devicePlugin.config.create"
            yield path, f"{path} is true, and devicePlugin.config.{key} is empty", f"Give devicePlugin.config.{key}"


_RUNTIME_CLASS = """\
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: nvidia}
handler: nvidia
---
"""
_PLUGIN = f"""\
{_RUNTIME_CLASS}apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: nvidia-device-plugin, namespace: kube-system}}
spec:
  chart: {{spec: {{chart: nvidia-device-plugin, version: 0.20.0, sourceRef: {{kind: HelmRepository, name: nvdp}}}}}}
  values:
    runtimeClassName: nvidia
    affinity: null
    nodeSelector: {{kubernetes.io/hostname: gpu-1}}
"""
_OPERATOR = "driver: {enabled: false}\ntoolkit: {enabled: false}\nmigManager: {enabled: false}\nhostPaths: {driverInstallDir: /usr/local}\n"

RULES = (
    Rule(
        id="TG027",
        claim="A chart reads the values that it is given",
        symptom="A toleration, a node selector or a flag in the values that no pod has",
        severity=Severity.INFO,
        fix="Use the chart's own key",
        source="https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/deployments/gpu-operator/templates/clusterpolicy.yaml; "
        "https://github.com/NVIDIA/k8s-device-plugin/blob/v0.20.0/deployments/helm/nvidia-device-plugin/values.yaml",
        judge=_ignored,
        failing=Example(
            chart="gpu-operator@v26.7.0", talos="1.13", yaml=f"{_OPERATOR}devicePlugin: {{tolerations: [{{key: gpu, operator: Exists}}]}}\n"
        ),
        passing=Example(
            chart="gpu-operator@v26.7.0", talos="1.13", yaml=f"{_OPERATOR}daemonsets: {{tolerations: [{{key: gpu, operator: Exists}}]}}\n"
        ),
    ),
    Rule(
        id="TG028",
        claim="A chart's values have the types that its templates ask for",
        symptom="failOnInitError in the values, and no FAIL_ON_INIT_ERROR in the pod; incompatible types for comparison",
        severity=Severity.ERROR,
        fix="Write true and false without quotes, and words as strings",
        source="NVIDIA/k8s-device-plugin deployments/helm/nvidia-device-plugin/templates/daemonset-device-plugin.yml",
        judge=_types,
        failing=Example(yaml=f'{_PLUGIN}    failOnInitError: "false"\n'),
        # The template prints it without its quotes, where it is false again.
        passing=Example(
            chart="gpu-operator@v26.7.0", talos="1.13", yaml=_OPERATOR.replace("driver: {enabled: false}", 'driver: {enabled: "false"}')
        ),
    ),
    Rule(
        id="TG039",
        claim="A chart renders with the values that it is given",
        symptom="execution error at (nvidia-device-plugin/templates/validation.yml): Running in the 'default' namespace is not recommended",
        severity=Severity.ERROR,
        fix="Give the chart what it asks for",
        source="NVIDIA/k8s-device-plugin deployments/helm/nvidia-device-plugin/templates/validation.yml",
        judge=_refused,
        failing=Example(yaml=f'{_PLUGIN}    config: {{name: sharing, map: {{default: "version: v1"}}}}\n'),
        passing=Example(yaml=f'{_PLUGIN}    config: {{name: "", map: {{default: "version: v1"}}}}\n'),
    ),
)
