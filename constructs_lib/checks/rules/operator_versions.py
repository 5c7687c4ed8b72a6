"""Versions of charts: those that work on no Talos, those that are too old for this one, and those that nobody pinned."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ... import versions
from ...manifests.chart_version import OLDEST, ChartVersion
from ...talos_version import Generation
from ..finding import Severity
from ..questions.gpu_nodes import gpu_nodes_run_talos
from ..questions.operators import Operator, operators
from ..read import ChartRelease, Inputs, KubernetesObject, Unknown, at, mappings
from ..reading.charts import DCGM_EXPORTER, DEVICE_PLUGIN, DRA_DRIVER, FEATURE_DISCOVERY, GPU_OPERATOR
from ..rule import Example, Found, Rule

_CHARTS = (GPU_OPERATOR, DEVICE_PLUGIN, DCGM_EXPORTER, DRA_DRIVER, FEATURE_DISCOVERY)
# Whatever is newest: nothing, `*`, `x`, and ranges without an upper end.
_ANY = r"\s*(\*|x|latest|HEAD|>=?\s*v?[\d.]+(-0)?)?\s*"
_VERSION_ID = "os_release.VERSION_ID"
# From here on the ServiceAccount of the hook names its namespace (deployments/gpu-operator/templates/upgrade_crd.yaml).
_HOOKS_RIGHT = "v26.3.0"
_HOOK_ACCOUNT = "gpu-operator-upgrade-crd-hook-sa"


def _broken(inputs: Inputs) -> Iterator[Found]:
    for operator in operators(inputs):
        why = versions.GPU_OPERATOR_BROKEN.get(str(operator.version))
        if why and not _runs_another(inputs, operator) and not _version_is_mended(inputs):
            # Where all that was read of Talos has no GPU, the GPU nodes run something else.
            is_mixed = bool(inputs.node_configs) and not gpu_nodes_run_talos(inputs)
            yield Found(
                severity=Severity.WARNING if is_mixed else Severity.ERROR,
                message=f"gpu-operator {operator.version} works on no Talos: {why}",
                about=operator.about,
                path=operator.path(),
                fix=f"Take {_newest(inputs)}",
            )


def _runs_another(inputs: Inputs, operator: Operator) -> bool:
    """Whether the operator's image is not the chart's own."""
    if operator.release:
        return any(operator.written("operator", key) is not None for key in ("version", "image", "repository"))
    images = [at(each, "image") for deployment in inputs.of_kind("Deployment") for _, each in deployment.containers]
    tags = [image.rpartition(":")[2] for image in images if isinstance(image, str) and "/gpu-operator:" in image]
    return any(tag != str(operator.version) for tag in tags)


def _version_is_mended(inputs: Inputs) -> bool:
    """Whether a rule of NFD's gives nodes another OS version."""
    rules = [each for rule in inputs.of_kind("NodeFeatureRule") for _, each in mappings(rule.at("spec", "rules"))]
    labels = [made for each in rules if isinstance(made := each.get("labels"), Mapping)]
    return any(_VERSION_ID in str(key) for made in labels for key in made)


def _too_old(inputs: Inputs) -> Iterator[Found]:
    oldest, why = OLDEST[inputs.generation or Generation.LEGACY]
    for operator in operators(inputs):
        if operator.is_older_than(oldest) and str(operator.version) not in versions.GPU_OPERATOR_BROKEN:
            where = f"on Talos {inputs.talos_version}" if inputs.talos_version else "on Talos"
            yield Found(
                severity=Severity.WARNING,
                message=f"gpu-operator {operator.version} is older than {oldest}, the first that is known to work {where}: {why}",
                about=operator.about,
                path=operator.path(),
                fix=f"Take {_newest(inputs)}",
            )


def _newest(inputs: Inputs) -> str:
    return versions.GPU_OPERATOR_LEGACY if inputs.generation in (None, Generation.LEGACY) else versions.GPU_OPERATOR_NEWEST


def _unpinned(inputs: Inputs) -> Iterator[Found]:
    for release in inputs.of_chart(*_CHARTS):
        # A file of values alone names no version: whoever installs it does.
        if release.values_path and not isinstance(release.version, Unknown) and re.fullmatch(_ANY, release.version or ""):
            said = f"asks for {release.version!r}" if release.version else "names no version"
            yield Found(
                severity=Severity.WARNING,
                message=f"the release {said} of the chart {release.chart}: the newest is installed, whatever it needs of Talos",
                about=release,
            )


def _hooks(inputs: Inputs) -> Iterator[Found]:
    for operator in operators(inputs):
        release = operator.release
        if release and _is_rendered(release) and operator.is_older_than(_HOOKS_RIGHT) and operator.is_on("operator", "upgradeCRD"):
            yield _hook(release)
    for each in inputs.of_kind("ServiceAccount"):
        if each.name == _HOOK_ACCOUNT and each.namespace is None and "helm.sh/hook" in each.annotations:
            yield _hook(each)


def _is_rendered(release: ChartRelease) -> bool:
    """Whether kustomize renders the chart, hooks and all, and Helm runs none of them."""
    return release.body.get("kind") == "Kustomization"


def _hook(about: ChartRelease | KubernetesObject) -> Found:
    return Found(
        severity=Severity.INFO,
        message=f"what the chart renders holds its hook gpu-operator-upgrade-crd, whose ServiceAccount {_HOOK_ACCOUNT} names no namespace: "
        "rendered, and not installed by Helm, it may land in another one than the Job that needs it",
        about=about,
        path=about.values_path if isinstance(about, ChartRelease) else (),
    )


_RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: gpu-operator, namespace: kube-system}
spec:
  chart: {spec: {chart: gpu-operator%s, sourceRef: {kind: HelmRepository, name: nvidia}}}
  values:
    driver: {enabled: false}
    toolkit: {enabled: false}
    migManager: {enabled: false}
    hostPaths: {driverInstallDir: /usr/local}
"""
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
_KUSTOMIZATION = """\
apiVersion: v1
kind: ServiceAccount
metadata:
  name: gpu-operator-upgrade-crd-hook-sa%s
  annotations: {helm.sh/hook: pre-upgrade}
"""

RULES = (
    Rule(
        id="TG004",
        claim="The version of the gpu-operator chart is one that works on Talos",
        symptom='strconv.Atoi: parsing "v1": invalid syntax; ClusterPolicy notReady',
        severity=Severity.ERROR,
        fix=f"Take {versions.GPU_OPERATOR_NEWEST}, or {versions.GPU_OPERATOR_LEGACY} up to Talos 1.12",
        source="NVIDIA/gpu-operator#2239",
        judge=_broken,
        failing=Example(talos="1.13", yaml=_RELEASE % ", version: v26.3.0"),
        passing=Example(talos="1.13", yaml=_RELEASE % ", version: v26.3.0" + _MENDED),
    ),
    Rule(
        id="TG029",
        claim="The version of an NVIDIA chart is pinned",
        symptom="GPU pods break after a reconciliation that changed nothing in git",
        severity=Severity.WARNING,
        fix="Pin one version, such as v26.7.0 of gpu-operator or 0.20.0 of nvidia-device-plugin",
        source="NVIDIA/gpu-operator#2239",
        judge=_unpinned,
        failing=Example(yaml=_RELEASE % ""),
        passing=Example(yaml=_RELEASE % ", version: 26.7.x"),
    ),
    Rule(
        id="TG030",
        claim="The gpu-operator chart is not older than this Talos",
        symptom="Failed to create symlinks under /dev/char; operator-validator in Init:CrashLoopBackOff",
        severity=Severity.WARNING,
        fix=f"Take {versions.GPU_OPERATOR_NEWEST}",
        source="NVIDIA/gpu-operator#2244; NVIDIA/gpu-operator#569",
        judge=_too_old,
        failing=Example(talos="1.13", yaml=_RELEASE % ", version: v25.10.1"),
        passing=Example(talos="1.13", yaml=_RELEASE % ", version: v26.3.1"),
    ),
    Rule(
        id="TG036",
        claim="The chart's hooks are run by Helm, or land where they work",
        symptom="error looking up service account gpu-operator/gpu-operator-upgrade-crd-hook-sa: serviceaccount not found",
        severity=Severity.INFO,
        fix=f"Set operator.upgradeCRD: false and let includeCRDs bring the CRDs, or take {ChartVersion.parse('version', _HOOKS_RIGHT)} or newer",
        source="https://github.com/mitchross/talos-argocd-proxmox/commit/3989d592",
        judge=_hooks,
        failing=Example(yaml=_KUSTOMIZATION % ""),
        passing=Example(yaml=_KUSTOMIZATION % "\n  namespace: gpu-operator"),
    ),
)
