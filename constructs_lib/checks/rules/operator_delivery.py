"""How GitOps tools install the operator: fields that drift, and CRDs that two charts bring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...manifests.chart_version import ChartVersion
from ..finding import Severity
from ..questions.agents import dra_drivers
from ..questions.operators import Operator, operators
from ..read import ChartRelease, Inputs, Read, Unknown, at, mappings
from ..rule import Example, Found, Rule
from ._charts import dra_release, operator_release

# The CRD defaults `cdi.default`, and from here on the chart no longer writes it (deployments/gpu-operator/templates/clusterpolicy.yaml).
_DRIFTS_FROM = "v25.10.0"
# From here on the chart brings the CRDs of resource.nvidia.com, as the DRA driver's chart does (deployments/gpu-operator/crds).
_BRINGS_DRA_CRDS = "v26.7.0"


def _argo_drift(inputs: Inputs) -> Iterator[Found]:
    for operator in operators(inputs):
        release = operator.release
        spec = _application(release) if release else None
        if release is None or spec is None or operator.is_older_than(_DRIFTS_FROM) or _ignores(release, spec):
            continue
        if operator.written("cdi", "default") in (None, False):
            yield Found(
                severity=Severity.INFO,
                message="the API server writes spec.cdi.default into the ClusterPolicy, which the chart leaves out: Argo CD may show the "
                "Application as OutOfSync for ever",
                about=release,
            )


def _application(release: Read) -> Mapping[str, object] | None:
    """The spec of the Application that installs it."""
    spec = release.at("spec") if release.body.get("kind") == "Application" else None
    return spec if isinstance(spec, Mapping) else None


def _ignores(release: Read, spec: Mapping[str, object]) -> bool:
    if isinstance(spec.get("ignoreDifferences"), Unknown) or "ServerSideDiff=true" in str(release.annotations.get(_COMPARE) or ""):
        return True
    return any(each.get("kind") in ("ClusterPolicy", "*") for _, each in mappings(spec.get("ignoreDifferences")))


_COMPARE = "argocd.argoproj.io/compare-options"


def _dra_crds(inputs: Inputs) -> Iterator[Found]:
    for operator in operators(inputs):
        if operator.release and operator.version and _brings_crds(operator, operator.version):
            for driver in dra_drivers(inputs):
                if driver.release and not _skips_crds(driver.release):
                    yield Found(
                        severity=Severity.INFO,
                        message=f"gpu-operator {operator.version} and the chart {driver.release.chart} both bring the CRDs "
                        "computedomains.resource.nvidia.com and computedomaincliques.resource.nvidia.com: each takes them from the other",
                        about=operator.about,
                        path=(),
                    )


def _brings_crds(operator: Operator, version: ChartVersion) -> bool:
    return version >= ChartVersion.parse("version", _BRINGS_DRA_CRDS) and not _skips_crds(operator.about)


def _skips_crds(about: Read) -> bool:
    """Whether Flux or Argo CD leave the chart's CRDs alone."""
    flux = about.at("spec", "install", "crds") == "Skip" and about.at("spec", "upgrade", "crds") in (None, "Skip")
    argo = at(about.body, "spec", "source", "helm", "skipCrds") is True
    return isinstance(about, ChartRelease) and (flux or argo)


_APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: gpu-operator, namespace: argocd}
spec:
  destination: {namespace: kube-system}
  source:
    repoURL: https://helm.ngc.nvidia.com/nvidia
    chart: gpu-operator
    targetRevision: v26.7.0
    helm:
      valuesObject:
        driver: {enabled: false}
        toolkit: {enabled: false}
        migManager: {enabled: false}
        hostPaths: {driverInstallDir: /usr/local}
"""
_DRA = "---\n" + dra_release() + "    nvidiaDriverRoot: /usr/local\n    gpuResourcesEnabledOverride: true\n"
_NO_PLUGIN = "    devicePlugin: {enabled: false}\n"
_SKIPPED = _DRA.replace("  values:\n", "  install: {crds: Skip}\n  upgrade: {crds: Skip}\n  values:\n")

RULES = (
    Rule(
        id="TG015",
        claim="Argo CD ignores what the API server adds to the ClusterPolicy",
        symptom="Application gpu-operator OutOfSync: ClusterPolicy cluster-policy spec.cdi.default",
        severity=Severity.INFO,
        fix="Add ignoreDifferences with group: nvidia.com, kind: ClusterPolicy, jsonPointers: [/spec/cdi/default]",
        source="NVIDIA/gpu-operator#2795",
        judge=_argo_drift,
        failing=Example(talos="1.13", yaml=_APPLICATION),
        passing=Example(
            talos="1.13",
            yaml=f"{_APPLICATION}  ignoreDifferences:\n    - {{group: nvidia.com, kind: ClusterPolicy, jsonPointers: [/spec/cdi/default]}}\n",
        ),
    ),
    Rule(
        id="TG016",
        claim="One chart brings the CRDs of resource.nvidia.com",
        symptom="conflict with CustomResourceDefinition computedomains.resource.nvidia.com: owned by another release",
        severity=Severity.INFO,
        fix="Let one of the two skip its CRDs (Flux: spec.install.crds and spec.upgrade.crds: Skip; Argo CD: helm.skipCrds: true)",
        source="NVIDIA/aicr#2546",
        judge=_dra_crds,
        failing=Example(talos="1.13", yaml=operator_release() + _NO_PLUGIN + _DRA),
        passing=Example(talos="1.13", yaml=operator_release() + _NO_PLUGIN + _SKIPPED),
    ),
)
