"""What stands beside the operator in the same cluster: node feature discovery, RuntimeClasses, Argo CD, and the CRDs of the DRA driver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...manifests.chart_version import ChartVersion
from ..finding import Severity
from ..questions.agents import NFD_WORKER, agents, dra_drivers
from ..questions.operators import Operator, operators
from ..read import ChartRelease, Inputs, Read, Unknown, at, mappings
from ..rule import Example, Found, Rule

# The CRD defaults `cdi.default`, and from here on the chart no longer writes it (deployments/gpu-operator/templates/clusterpolicy.yaml).
_DRIFTS_FROM = "v25.10.0"
# From here on the chart brings the CRDs of resource.nvidia.com, as the DRA driver's chart does (deployments/gpu-operator/crds).
_BRINGS_DRA_CRDS = "v26.7.0"


def _nfd_missing(inputs: Inputs) -> Iterator[Found]:
    if any(agent.kind == NFD_WORKER for agent in agents(inputs)):
        return
    for operator in operators(inputs):
        # A release that brings one has its worker among the agents.
        is_rendered = operator.release is None and any(each.name == "gpu-operator" for each in inputs.of_kind("Deployment"))
        if is_rendered or operator.release:
            yield Found(
                severity=Severity.WARNING,
                message=f"{'no node feature discovery was rendered with it' if is_rendered else 'nfd.enabled is false'}, and none was read: "
                "without its labels the operator labels no node, and runs nothing on any",
                about=operator.about,
                path=operator.path() if is_rendered else operator.path("nfd", "enabled"),
            )


def _runtime_class(inputs: Inputs) -> Iterator[Found]:
    for operator in operators(inputs):
        name = operator.value("operator", "runtimeClass")
        if not isinstance(name, str) or isinstance(name, Unknown) or operator.is_on("cdi", "nriPluginEnabled"):
            continue
        for each in inputs.of_kind("RuntimeClass"):
            handler = each.at("handler")
            # What the operator made of it, as kubectl prints it, has an owner.
            if each.name == name and not isinstance(handler, Unknown) and each.at("metadata", "ownerReferences") is None:
                same = handler == name
                then = (
                    "the two have the same handler and get along, but the operator owns it and prunes it with itself"
                    if same
                    else f"its handler is {handler!r}, the operator's is {name!r}, and a handler is immutable"
                )
                yield Found(
                    severity=Severity.INFO if same else Severity.ERROR,
                    message=f"the operator makes the RuntimeClass {name} too: {then}",
                    about=each,
                    path=("handler",),
                )


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


_VALUES = """\
    driver: {enabled: false}
    toolkit: {enabled: false}
    migManager: {enabled: false}
    hostPaths: {driverInstallDir: /usr/local}
"""
_RELEASE = f"""\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: gpu-operator, namespace: kube-system}}
spec:
  chart: {{spec: {{chart: gpu-operator, version: v26.7.0, sourceRef: {{kind: HelmRepository, name: nvidia}}}}}}
  values:
{_VALUES}"""
_NFD = """\
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: node-feature-discovery, namespace: kube-system}
spec:
  chart: {spec: {chart: node-feature-discovery, version: 0.19.0, sourceRef: {kind: HelmRepository, name: nfd}}}
"""
_RUNTIME_CLASS = """\
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: %s}
handler: %s
"""
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
_DRA = """\
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: dra-driver-nvidia-gpu, namespace: kube-system}
spec:
  chart: {spec: {chart: dra-driver-nvidia-gpu, version: 0.4.1, sourceRef: {kind: HelmRepository, name: dra}}}
%s  values: {nvidiaDriverRoot: /usr/local, gpuResourcesEnabledOverride: true}
"""
_NO_PLUGIN = "    devicePlugin: {enabled: false}\n"

RULES = (
    Rule(
        id="TG005",
        claim="Node feature discovery runs beside the GPU operator",
        symptom="unable to retrieve OS name from label feature.node.kubernetes.io/system-os_release.ID; no operands on any node",
        severity=Severity.WARNING,
        fix="Leave nfd.enabled at true, or run the chart node-feature-discovery in the cluster",
        source="https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/controllers/nodelabeling_controller.go",
        judge=_nfd_missing,
        failing=Example(talos="1.13", yaml=f"{_RELEASE}    nfd: {{enabled: false}}\n"),
        passing=Example(talos="1.13", yaml=f"{_RELEASE}    nfd: {{enabled: false}}\n{_NFD}"),
    ),
    Rule(
        id="TG014",
        claim="A RuntimeClass beside the operator is not the operator's own",
        symptom='RuntimeClass.node.k8s.io "nvidia" is invalid: handler: field is immutable',
        severity=Severity.ERROR,
        fix="Leave the RuntimeClass to the operator, or give it another name",
        source="NVIDIA/gpu-operator#446",
        judge=_runtime_class,
        failing=Example(talos="1.13", yaml=_RELEASE + _RUNTIME_CLASS % ("nvidia", "nvidia-container-runtime")),
        passing=Example(talos="1.13", yaml=_RELEASE + _RUNTIME_CLASS % ("gpu", "nvidia")),
    ),
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
        failing=Example(talos="1.13", yaml=_RELEASE + _NO_PLUGIN + _DRA % ""),
        passing=Example(talos="1.13", yaml=_RELEASE + _NO_PLUGIN + _DRA % "  install: {crds: Skip}\n  upgrade: {crds: Skip}\n"),
    ),
)
