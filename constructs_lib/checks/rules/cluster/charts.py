"""Charts: values that no template reads, or of a wrong type, and versions that are too old, broken or absent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ....arguments.commands import command
from ....manifests.operator.version import OLDEST
from ....nodes.talos_version import dated
from ....observed.agents.operators import Operator, operators, version_of
from ....observed.model import (
    ChartRelease,
    Inputs,
    Path,
    at,
    equals,
    is_given,
    is_open,
    is_unknown,
    known_items,
    known_str,
    known_text,
    mappings,
)
from ....observed.nodes.node_settings import gpu_nodes_run_talos
from ....observed.objects.unread_values import unread_values, values_of_another
from ....upstream.charts import CHARTS, DCGM_EXPORTER, DEVICE_PLUGIN, DRA_DRIVER, FEATURE_DISCOVERY, GPU_OPERATOR, gpu_operator_chart
from ....upstream.charts.chart import ChartTable
from ....upstream.charts.chart_releases import RELEASE_INDEXES
from ....upstream.charts.gpu_operator_chart import COMPARED_SINCE, CONFIG_NEEDS, CONFIG_NEEDS_SINCE, LEGACY
from ....upstream.talos.generations import Generation
from ....upstream.version import Version
from ...halves import gpu_nodes_on_talos
from ...report_words import listed
from ...rule import Example, Rule, Severity, Violation, Witness, set_to
from .._shared import OPERATOR, operator_release, operator_values, plugin_release, version_edits, version_part
from ._chart_schemas import against_schemas


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
    for release in inputs.releases:
        if another := values_of_another(release):
            keys = listed(sorted(f"{key}" for key, _ in known_items(release.given)))
            message = (
                f"the chart {release.chart} reads none of its values {keys}: they are values of the chart {another}. Helm reports no error"
            )
            fix = f"Move the values to the release of {another}, or install {another} here"
            yield Violation(Severity.WARNING, message, release, release.values_path, fix=fix)
            continue
        for path, fix in unread_values(release, inputs):
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
        for path, reason, fix, other in _refusals(release):
            message = f"the chart refuses to render: {reason}"
            place = (*release.values_path, *path.split(".")) if path else ()
            related = ((release, (*release.values_path, *other.split("."))),) if other else ()
            yield Violation(Severity.ERROR, message, release, place, fix=fix, related=related)


def _refusals(release: ChartRelease) -> Iterator[tuple[str, str, str, str]]:
    """The path of a value that the chart refuses, the reason, the fix, and the path of the value that it contradicts."""
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
            "allowDefaultNamespace",
        )
    for path, hint in release.known_chart.refused.items() if release.known_chart else ():
        if _value(release, path):
            yield path, f"the value {path!r} is no longer supported", f"{hint[0].upper()}{hint[1:]}", ""
    if release.chart == DEVICE_PLUGIN.name and _value(release, "config.name") and _value(release, "config.map"):
        yield (
            "config.name",
            "config.name and config.map are both set",
            "Remove config.name, or remove config.map and create the ConfigMap yourself",
            "config.map",
        )


def _refusals_of_operator(release: ChartRelease) -> Iterator[tuple[str, str, str, str]]:
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
            path, other = "devicePlugin.config.create", f"devicePlugin.config.{key}"
            yield path, f"{path} is true, but {other} is empty", f"Set {other}", other


def _value(release: ChartRelease, path: str) -> Any:
    """A value as written, None for an unreadable one."""
    value = at(release.values, *path.split("."))
    return None if is_unknown(value) else value


@Rule(
    id="TG028",
    claim="A chart's values have the types that its templates and its values.schema.json expect",
    symptom="failOnInitError is in the values, but FAIL_ON_INIT_ERROR is not in the pod; incompatible types for comparison; "
    "values don't meet the specifications of the schema(s)",
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
        broken = [*against_schemas(release)]
        yield from broken
        refused = {".".join(map(str, each.path[len(release.values_path) :])) for each in broken}
        for path, problem in [*_dropped(release), *_always_true(release), *_not_compared(release)]:
            if path not in refused:
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


def _wrong_type(release: ChartRelease, path: str, problem: str) -> Violation:
    value, key = _value(release, path), path.rpartition(".")[2]
    meant = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}.get(
        str(value).lower(), "true or false"
    )
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value).lower()
    message = f"{path} {problem}"
    fix = f'Set {key}: "{text}"' if path in _table(release).strings else f"Set {key}: {meant}, without quotes"
    edits = set_to(text) if path in _table(release).strings else set_to(meant == "true") if meant in ("true", "false") else ()
    return Violation(Severity.ERROR, message, release, (*release.values_path, *path.split(".")), fix=fix, edits=edits)


_BY_TALOS = f"Set version: {GPU_OPERATOR.newest} from Talos 1.13 on, or version: {LEGACY} up to Talos 1.12"

_CHARTS = (GPU_OPERATOR, DEVICE_PLUGIN, DCGM_EXPORTER, DRA_DRIVER, FEATURE_DISCOVERY)
# Versions that mean the newest one: nothing, `*`, `x`, and ranges without an upper end.
_ANY = r"\s*(\*|x|latest|HEAD|>=?\s*v?[\d.]+(-0)?)?\s*"
_VERSION_ID = "os_release.VERSION_ID"

_MENDED = """\
---
apiVersion: nfd.k8s-sigs.io/v1alpha1
kind: NodeFeatureRule
metadata: {name: talos-os-version}
spec:
  rules:
    - name: os-version
      labels: {feature.node.kubernetes.io/system-os_release.VERSION_ID: "1.13"}
      matchFeatures: [{feature: system.osrelease, matchExpressions: {ID: {op: In, value: [talos]}}}]
"""


@Rule(
    id="TG004",
    claim="The version of the gpu-operator chart works on Talos",
    symptom='strconv.Atoi: parsing "v1": invalid syntax; ClusterPolicy notReady',
    fix=_BY_TALOS,
    source="NVIDIA/gpu-operator#2239",
    severity=Severity.ERROR,
    shown_by=Witness.PROGRAM,
    failing=Example(operator_release("v26.3.0"), talos="1.13"),
    passing=Example(operator_release("v26.3.0") + _MENDED, talos="1.13"),
)
def _broken(inputs: Inputs) -> Iterator[Violation]:
    for operator in operators(inputs):
        reason = gpu_operator_chart.BROKEN.get(f"v{operator.version}")
        if reason and not _runs_another(inputs, operator) and not _version_is_mended(inputs):
            # If no node configuration has a GPU, the GPU nodes run another OS.
            is_mixed = bool(inputs.node_configs) and not gpu_nodes_run_talos(inputs)
            message = f"gpu-operator v{operator.version} works on no Talos: {reason}"
            fix = _recommended(inputs)
            edits = version_edits(operator.about, _newest(inputs)) if inputs.generation else ()
            severity, related = (
                Severity.WARNING if is_mixed else Severity.ERROR,
                (version_part(operator.about), *gpu_nodes_on_talos(inputs)),
            )
            yield Violation(severity, message, operator.about, operator.path(), fix=fix, edits=edits, related=related)


def _runs_another(inputs: Inputs, operator: Operator) -> bool:
    """Whether the operator's image is not the chart's own."""
    if operator.release:
        return any(operator.written("operator", key) is not None for key in ("version", "image", "repository"))
    images = [known_text(at(each, "image")) for deployment in inputs.of_kind("Deployment") for _, each in deployment.containers]
    tags = [image.rpartition(":")[2] for image in images if "/gpu-operator:" in image]
    return any(tag != f"v{operator.version}" for tag in tags)


def _version_is_mended(inputs: Inputs) -> bool:
    """Whether a NodeFeatureRule gives nodes another OS version, or may."""
    listed = [rule.at("spec", "rules") for rule in inputs.of_kind("NodeFeatureRule")]
    labels = [at(each, "labels") for rules in listed for _, each in mappings(rules)]
    unread = inputs.may_hide("NodeFeatureRule") or any(map(is_open, (*listed, *labels)))
    return unread or any(_VERSION_ID in key for each in labels for key, _ in known_items(each))


@Rule(
    id="TG030",
    claim="The gpu-operator chart is new enough for this Talos",
    symptom="Failed to create symlinks under /dev/char; operator-validator in Init:CrashLoopBackOff",
    fix=_BY_TALOS,
    source="NVIDIA/gpu-operator#2244; NVIDIA/gpu-operator#569",
    severity=Severity.WARNING,
    shown_by=Witness.PROGRAM,
    failing=Example(operator_release("v25.10.1"), talos="1.13"),
    passing=Example(operator_release("v26.3.1"), talos="1.13"),
)
def _too_old(inputs: Inputs) -> Iterator[Violation]:
    oldest, reason = OLDEST[inputs.generation or Generation.LEGACY]
    for operator in operators(inputs):
        if operator.is_older_than(oldest) and f"v{operator.version}" not in gpu_operator_chart.BROKEN:
            where = f"on Talos {inputs.talos_version}" if inputs.talos_version else "on Talos"
            message = f"gpu-operator v{operator.version} is older than {oldest}, the first version that is known to work {where}: {reason}"
            edits = version_edits(operator.about, _newest(inputs)) if inputs.generation else ()
            yield Violation(Severity.WARNING, message, operator.about, operator.path(), fix=_recommended(inputs), edits=edits)


def _newest(inputs: Inputs) -> str:
    return gpu_operator_chart.LEGACY if inputs.generation is Generation.LEGACY else str(GPU_OPERATOR.newest)


def _recommended(inputs: Inputs) -> str | None:
    """The fix for the Talos of the inputs. None if the version is not known: the rule's own fix names a version for
    each Talos."""
    if inputs.generation is None:
        return None
    if inputs.generation is Generation.LEGACY:
        return f"Set version: {gpu_operator_chart.LEGACY}"
    return f"Set version: {GPU_OPERATOR.newest}, {dated('the newest version that this library knows')}"


@Rule(
    id="TG029",
    claim="The version of an NVIDIA chart is pinned",
    symptom="GPU pods break after a reconciliation without a change in git",
    fix="Pin one version, such as version: v26.7.0 of gpu-operator, or version: 0.20.0 of nvidia-device-plugin",
    source="NVIDIA/gpu-operator#2239",
    severity=Severity.WARNING,
    shown_by=Witness.SERVICE,
    failing=Example(operator_release(pinned=False)),
    passing=Example(operator_release("26.7.x")),
)
def _unpinned(inputs: Inputs) -> Iterator[Violation]:
    for release in inputs.of_chart(*_CHARTS):
        # A bare values file names no version; the version comes from the command that installs the chart.
        version = "" if release.version is None else known_str(release.version)
        if release.values_path and version is not None and re.fullmatch(_ANY, version):
            request = f"asks for {release.version!r}" if release.version else "names no version"
            message = f"the release {request} of the chart {release.chart}. The newest version is installed, whether it works on this Talos or not"
            yield Violation(Severity.WARNING, message, release)


# The paths of the version in the objects of Flux and Argo CD.
_VERSIONS: tuple[Path, ...] = (("spec", "chart", "spec", "version"), ("spec", "source", "targetRevision"))


@Rule(
    id="TG124",
    claim="The repository of a chart has the chart's version",
    symptom='chart "gpu-operator" version "v25.3.9" not found in https://helm.ngc.nvidia.com/nvidia repository; '
    "no 'gpu-operator' chart with version matching 'v25.3.9' found",
    fix="Set a version that the repository has: helm search repo gpu-operator --versions",
    source="https://github.com/NVIDIA/gpu-operator/blob/gh-pages/stable/index.yaml; helm/helm pkg/repo/v1/chartrepo.go",
    severity=Severity.WARNING,
    shown_by=Witness.SERVICE,
    failing=Example(operator_release("v26.3.9")),
    # A range: Helm takes the newest release in the range.
    passing=Example(operator_release('"26.3.x"')),
)
def _not_released(inputs: Inputs) -> Iterator[Violation]:
    for release in inputs.releases:
        chart, version = release.known_chart, Version.parse(release.version)
        index = RELEASE_INDEXES.get(chart.name) if chart else None
        if chart is None or version is None or index is None or not index.lacks(version):
            continue
        last = chart.written(index.last_before(version))
        message = (
            f"the chart {chart.name} has no release {release.version} (index of {index.written_on}). Unless the version was released "
            f'later, Helm installs nothing: \'chart "{chart.name}" version "{release.version}" not found\''
        )
        path = next((path for path in _VERSIONS if equals(release.at(*path), release.version).is_yes), ())
        fix = f"Set version: {last}, the release before, or one of: {command('helm search repo {chart} --versions', chart=chart.name)}"
        yield Violation(Severity.WARNING, message, release, path, fix=fix)
