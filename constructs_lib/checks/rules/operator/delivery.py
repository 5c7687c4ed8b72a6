"""Delivery by GitOps tools: fields that drift, CRDs of two charts, Helm hooks, objects that two deployers apply, and one
name of two objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....observed.agents.agents import dra_drivers
from ....observed.agents.operators import operators
from ....observed.model import (
    Answer,
    ChartRelease,
    Inputs,
    KubernetesObject,
    Read,
    all_of,
    any_of,
    at,
    contains,
    equals,
    is_among,
    is_given,
    is_open,
    is_unknown,
    known_list,
    known_str,
    mappings,
)
from ....observed.objects.identities import is_released_by_object
from ....observed.pods.workloads import workloads
from ....upstream.charts import GPU_OPERATOR
from ....upstream.charts.gpu_operator_chart import POLICY_DEFAULTS
from ....upstream.programs.delivery_tools import COMPARE_OPTIONS, SERVER_SIDE_DIFF
from ...report_words import listed, place
from ...rule import Example, Rule, Severity, Violation, Witness
from .._causes import OTHER_CLUSTER
from .._shared import dra_release, operator_release, plain_release

_POINTERS = ", ".join(f"/spec/{'/'.join(path)}" for path in POLICY_DEFAULTS)
ADDED_FIELDS = f"{{group: nvidia.com, kind: ClusterPolicy, jsonPointers: [{_POINTERS}]}}"
"""The entry of ignoreDifferences for the fields that the API server adds to the ClusterPolicy."""

# From this version on the chart installs the CRDs of resource.nvidia.com, as the DRA driver's chart does
# (deployments/gpu-operator/crds).
_BRINGS_DRA_CRDS = "v26.7.0"

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


@Rule(
    id="TG015",
    claim="Argo CD ignores the fields that the API server adds to the ClusterPolicy",
    symptom="Application gpu-operator OutOfSync: ClusterPolicy cluster-policy spec.cdi.default",
    fix=f"Add ignoreDifferences: [{ADDED_FIELDS}] to the Application",
    source="NVIDIA/gpu-operator#2795",
    severity=Severity.INFO,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_APPLICATION, talos="1.13"),
    passing=Example(f"{_APPLICATION}  ignoreDifferences:\n    - {ADDED_FIELDS}\n", talos="1.13"),
)
def _argo_drift(inputs: Inputs) -> Iterator[Violation]:
    for operator in operators(inputs):
        release = operator.release
        spec = _application(release) if release else None
        if release is None or spec is None:
            continue
        added = [
            path
            for path, (since, before) in POLICY_DEFAULTS.items()
            if not operator.is_older_than(since) and (before is None or operator.is_older_than(before)) and _is_left_out(release, path)
        ]
        shown = [".".join(("spec", *path)) for path in added if not _ignores(release, spec, "/".join(("/spec", *path)))]
        if shown:
            fields = "this field" if len(shown) == 1 else "these fields"
            message = (
                f"the API server adds {listed(shown)} to the ClusterPolicy, and the chart does not set {fields}. Argo CD may show the "
                "Application as OutOfSync forever"
            )
            yield Violation(Severity.INFO, message, release)


def _is_left_out(release: ChartRelease, path: tuple[str, ...]) -> bool:
    """Whether the chart surely leaves a field out of the ClusterPolicy: for a value that is empty or false. The field of
    a part that is off is there, too."""
    value = at(release.given, *path)
    return value is False or (release.complete and not is_given(value))


def _application(release: Read) -> Mapping[str, object] | None:
    """The spec of the Application that installs a release, None for another tool."""
    spec = release.at("spec") if known_str(release.at("kind")) == "Application" else None
    return spec if isinstance(spec, Mapping) else None


def _ignores(release: Read, spec: Mapping[str, object], pointer: str) -> bool:
    """Whether Argo CD ignores the difference at a field, or may."""
    ignored = at(spec, "ignoreDifferences")
    covers = (all_of([is_among(at(each, "kind"), ("ClusterPolicy", "*")), _covers(each, pointer)]) for _, each in mappings(ignored))
    compares = contains(release.at("metadata", "annotations", COMPARE_OPTIONS), SERVER_SIDE_DIFF)
    return is_open(ignored) or not any_of([compares, *covers]).is_no


def _covers(difference: Mapping[str, object], pointer: str) -> Answer:
    """Whether an entry of ignoreDifferences covers a field. An entry with other expressions than JSON pointers may."""
    if is_given(at(difference, "jqPathExpressions")) or is_given(at(difference, "managedFieldsManagers")):
        return Answer.UNKNOWN
    pointers = at(difference, "jsonPointers")
    parents = [pointer.rsplit("/", count)[0] for count in range(pointer.count("/"))]
    return Answer.UNKNOWN if is_unknown(pointers) else any_of(is_among(each, parents) for each in known_list(pointers))


_DRA = "---\n" + dra_release() + "    nvidiaDriverRoot: /usr/local\n    gpuResourcesEnabledOverride: true\n"
_OPERATOR = operator_release() + "    devicePlugin: {enabled: false}\n"


def _replaced(release: str) -> str:
    """A release whose CRDs Flux replaces at every upgrade."""
    return release.replace("  values:\n", "  upgrade: {crds: CreateReplace}\n  values:\n")


@Rule(
    id="TG016",
    claim="One chart installs the CRDs of resource.nvidia.com",
    symptom="Two Applications OutOfSync over CustomResourceDefinition computedomains.resource.nvidia.com; spec.numNodes: Required value",
    fix="Set spec.upgrade.crds: Skip in the operator's HelmRelease (Argo CD: helm.skipCrds: true), and install "
    "the operator's other CRDs by hand",
    source="NVIDIA/aicr#2715; NVIDIA/gpu-operator#2863",
    severity=Severity.INFO,
    shown_by=Witness.SERVICE,
    failing=Example(_replaced(_OPERATOR + _DRA), talos="1.13"),
    passing=Example(_replaced(_OPERATOR) + _DRA, talos="1.13"),
    causes=(OTHER_CLUSTER,),
)
def _dra_crds(inputs: Inputs) -> Iterator[Violation]:
    drivers = [driver.release for driver in dra_drivers(inputs) if driver.release and _rewrites_crds(driver.release)]
    for operator in operators(inputs):
        brings = operator.version is not None and not operator.is_older_than(_BRINGS_DRA_CRDS)
        if drivers and brings and operator.release and _rewrites_crds(operator.release):
            message = (
                f"gpu-operator v{operator.version} and the chart {drivers[0].chart} install different versions of the CRD "
                "computedomains.resource.nvidia.com. Both charts overwrite the CRD of the other at every sync"
            )
            yield Violation(Severity.INFO, message, operator.about)


def _rewrites_crds(release: ChartRelease) -> bool:
    """Whether Argo CD or Flux applies the chart's CRDs again and again; Helm itself installs CRDs once."""
    if known_str(release.at("kind")) == "Application":
        sources = [release.at("spec", "source"), *(each for _, each in mappings(release.at("spec", "sources")))]
        return all(equals(at(source, "helm", "skipCrds"), True).is_no for source in sources)
    return equals(release.at("spec", "upgrade", "crds"), "CreateReplace").is_yes


# From this version on the ServiceAccount of the hook names its namespace
# (deployments/gpu-operator/templates/upgrade_crd.yaml).
_HOOKS_RIGHT = "v26.3.0"
_HOOK_ACCOUNT = "gpu-operator-upgrade-crd-hook-sa"

_KUSTOMIZATION = """\
apiVersion: v1
kind: ServiceAccount
metadata:
  name: gpu-operator-upgrade-crd-hook-sa%s
  annotations: {helm.sh/hook: pre-upgrade}
"""


@Rule(
    id="TG036",
    claim="Helm runs the chart's hooks, or the hooks name their namespace",
    symptom="error looking up service account gpu-operator/gpu-operator-upgrade-crd-hook-sa: serviceaccount "
    '"gpu-operator-upgrade-crd-hook-sa" not found',
    fix="Set operator.upgradeCRD: false in the chart's values and includeCRDs: true in kustomize's helmCharts, or "
    f"from Talos 1.13 on use gpu-operator {GPU_OPERATOR.newest}",
    source="https://github.com/mitchross/talos-argocd-proxmox/commit/3989d592",
    severity=Severity.INFO,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_KUSTOMIZATION % ""),
    passing=Example(_KUSTOMIZATION % "\n  namespace: gpu-operator"),
)
def _hooks(inputs: Inputs) -> Iterator[Violation]:
    for operator in operators(inputs):
        release = operator.release
        if release and _is_rendered(release) and operator.is_older_than(_HOOKS_RIGHT) and operator.is_on("operator", "upgradeCRD").is_yes:
            yield _hook(release)
    for each in inputs.of_kind("ServiceAccount"):
        if equals(each.name, _HOOK_ACCOUNT).is_yes and each.namespace is None and "helm.sh/hook" in each.annotations:
            yield _hook(each)


def _is_rendered(release: ChartRelease) -> bool:
    """Whether kustomize renders the chart with its hooks, which Helm does not run."""
    return known_str(release.at("kind")) == "Kustomization"


def _hook(about: ChartRelease | KubernetesObject) -> Violation:
    message = (
        f"the rendered chart contains its hook gpu-operator-upgrade-crd, and the hook's ServiceAccount {_HOOK_ACCOUNT} names no namespace. "
        "Without Helm the ServiceAccount may land in another namespace than the Job that needs it"
    )
    return Violation(Severity.INFO, message, about, about.values_path if isinstance(about, ChartRelease) else ())


_RUNTIME_CLASS = "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: %s}, handler: nvidia}"
_SETS = f"""\
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {{name: device-plugin, namespace: flux-system}}
spec: {{resources: [{_RUNTIME_CLASS}]}}
---
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {{name: gpu-workloads, namespace: flux-system}}
spec: {{resources: [{_RUNTIME_CLASS}]}}
"""


@Rule(
    id="TG128",
    claim="One Kustomization or Application applies an object of the GPU stack",
    symptom="SharedResourceWarning: RuntimeClass/nvidia is part of applications; a RuntimeClass or a plugin that disappears after a sync",
    fix="Leave the object in one folder, and name that folder's Kustomization in dependsOn of the other",
    source="argoproj/argo-cd controller/state.go; https://fluxcd.io/flux/components/kustomize/kustomizations/#prune",
    severity=Severity.WARNING,
    shown_by=Witness.SERVICE,
    failing=Example(_SETS % ("nvidia", "nvidia")),
    passing=Example(_SETS % ("nvidia", "nvidia-legacy")),
)
def _two_owners(inputs: Inputs) -> Iterator[Violation]:
    for each in inputs.shared_objects:
        first, second = each.deployers
        message = (
            f"{each.label} is applied by {first} and by {second}. Each takes the object over in turn, and pruning by one of them may delete "
            "the object"
        )
        yield Violation(Severity.WARNING, message, each)


_NAMED = plain_release("node-feature-discovery", "0.19.0") + "  values: {worker: {config: {core: {sleepInterval: %s}}}}\n"
_SELF = "{name: node-feature-discovery, namespace: kube-system}"


def _twice(one: str, other: str) -> Example:
    return Example(f"{_NAMED % one}---\n{_NAMED % other}")


@Rule(
    id="TG138",
    claim="One object has the name of a release of the GPU stack",
    symptom="the values of a HelmRelease or an Application have no effect, or change in turn; an upgrade at every reconciliation",
    fix="Remove one of the two objects, or give them different names (releases of Flux: also another releaseName or targetNamespace)",
    source="https://fluxcd.io/flux/components/helm/helmreleases/#release-name; https://kubernetes.io/docs/concepts/overview/working-with-objects/names/",
    severity=Severity.WARNING,
    shown_by=Witness.SERVICE,
    failing=_twice("60s", "90s"),
    passing=Example(_twice("60s", "90s").yaml.replace(_SELF, "{name: node-feature-discovery, namespace: nfd}", 1)),
    examples={
        "an object that stands in the files twice, word for word": _twice("60s", "60s"),
    },
    causes=(OTHER_CLUSTER,),
)
def _name_twice(inputs: Inputs) -> Iterator[Violation]:
    uses = {id(each.about) for each in workloads(inputs) if each.uses_gpus}
    first: dict[tuple[str, ...], ChartRelease] = {}
    for each in inputs.releases:
        for name in _names(each):
            other = first.setdefault(name, each)
            if other is each:
                continue
            is_elsewhere = (other.file, other.line_of(())) != (each.file, each.line_of(()))
            is_of_gpus = each.known_chart is not None or other.known_chart is not None or not uses.isdisjoint((id(each), id(other)))
            differs = repr(other.body) != repr(each.body)
            if is_of_gpus and is_elsewhere and (differs or _has_two_maps(each, inputs)):
                what = f"the {name[0]} {name[1]}/{name[2]}"
                contents = "other contents" if differs else "other contents of the ConfigMap with its values"
                message = (
                    f"{what} is also in {place(other.file, other.line_of(()))}, with {contents}. The cluster keeps one of the two: the one that is "
                    "applied last"
                )
                yield Violation(Severity.WARNING, message, each, ("metadata", "name"))
                break


def _has_two_maps(release: ChartRelease, inputs: Inputs) -> bool:
    """Whether ConfigMaps with one name, of which a release takes its values, have different contents."""
    names = {
        known_str(at(each, "name"))
        for _, each in mappings(release.at("spec", "valuesFrom"))
        if equals(at(each, "kind"), "ConfigMap").is_yes
    } - {None}
    namespace = release.at("metadata", "namespace")
    maps = [each for each in inputs.of_kind("ConfigMap") if known_str(each.name) in names and equals(each.namespace, namespace).is_yes]
    return any(repr(one.at("data")) != repr(other.at("data")) for one in maps for other in maps if one.name == other.name)


def _names(release: ChartRelease) -> Iterator[tuple[str, ...]]:
    """The names that one object alone can have: its own, and for Flux that of its Helm release."""
    kind = known_str(release.at("kind"))
    own = (kind, known_str(release.at("metadata", "namespace")), known_str(release.at("metadata", "name")))
    helm = ("Helm release" if kind == "HelmRelease" else None, known_str(release.namespace), known_str(release.name))
    for name in (own if is_released_by_object(release) else (), helm):
        if name and all(name):
            yield tuple(map(str, name))
