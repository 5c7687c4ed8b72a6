"""Versions of charts: too old for this Talos, broken on every Talos, or absent from their repository."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....arguments.commands import command
from ....manifests.operator.version import OLDEST
from ....nodes.talos_version import Generation, dated
from ....observed.agents.operators import Operator, operators
from ....observed.model import Inputs, Path, at, equals, is_open, known_items, known_str, known_text, mappings
from ....observed.nodes.gpu_node_configs import gpu_nodes_run_talos
from ....upstream.charts import DCGM_EXPORTER, DEVICE_PLUGIN, DRA_DRIVER, FEATURE_DISCOVERY, GPU_OPERATOR, gpu_operator_chart
from ....upstream.charts.chart_releases import RELEASE_INDEXES
from ....upstream.charts.gpu_operator_chart import LEGACY
from ....upstream.version import Version
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._charts import operator_release, version_edits

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
            yield Violation(
                Severity.WARNING if is_mixed else Severity.ERROR, message, operator.about, operator.path(), fix=fix, edits=edits
            )


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
    symptom="GPU pods break after a reconciliation that changed nothing in git",
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
