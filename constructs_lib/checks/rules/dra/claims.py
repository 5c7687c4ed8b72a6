"""Claims of pods: missing claims and DeviceClasses, a limit beside a claim, and clusters that don't serve the claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....observed.agents.agents import DRA, may_have_a_staged_driver, may_run
from ....observed.agents.operators import may_run_operator, operators
from ....observed.model import Inputs, KubernetesObject, Path, at, is_among, is_open, known_items, known_str, mappings, same_namespace
from ....observed.nodes.node_settings import gpu_nodes_run_talos, has_dra_gate, may_have_gate, minor_of, serves_api
from ....observed.objects.object_names import may_have, named
from ....observed.pods.claims import CLAIM_KINDS, claim_requests, claimed_classes, makes_channel
from ....observed.pods.pod_templates import Workload
from ....observed.pods.workloads import workloads
from ....observed.usage.gpu_usage import name_of, usage
from ....upstream.kubernetes.api import DRA_BETAS_OFF_SINCE, DRA_SINCE
from ....upstream.kubernetes.dra_gates import DRA_GATES, TAINT_RULES_SINCE, has_taint_rules, taint_rule_api
from ....upstream.talos.features import LEGACY_ROOT
from ....upstream.talos.generations import LEGACY_LAYOUT
from ...halves import kubernetes_of_nodes, talos_of_nodes
from ...report_words import listed
from ...rule import Example, Part, Rule, Severity, Violation, Witness
from .._causes import INSTALLER
from .._shared import plain_release

# The DeviceClasses of the DRA driver's chart (kubernetes-sigs/dra-driver-nvidia-gpu
# deployments/helm/dra-driver-nvidia-gpu/templates).
_DRIVERS_CLASSES = ("gpu.nvidia.com", "mig.nvidia.com", "vfio.gpu.nvidia.com")

_TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu, namespace: vllm}
spec:
  spec:
    devices:
      requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]
---
"""
_DRIVER = f"""\
{plain_release("dra-driver-nvidia-gpu", "0.5.0")}  values: {{nvidiaDriverRoot: /usr/local, gpuResourcesEnabledOverride: true}}
---
apiVersion: nfd.k8s-sigs.io/v1alpha1
kind: NodeFeatureRule
metadata: {{name: gpu-present}}
spec: {{rules: [{{name: gpu, labels: {{nvidia.com/gpu.present: "true"}}}}]}}
---
"""


def _pod(resources: str) -> str:
    return f"""\
apiVersion: v1
kind: Pod
metadata: {{name: vllm, namespace: vllm}}
spec:
  resourceClaims: [{{name: gpu, resourceClaimTemplateName: gpu}}]
  containers:
    - name: server
      image: vllm/vllm-openai:v0.11.0
      resources: {{{resources}}}
"""


_OWN_CLAIM, _OTHERS_CLAIM, _BOTH = (
    "claims: [{name: gpu}]",
    "claims: [{name: card}]",
    "claims: [{name: gpu}], limits: {nvidia.com/gpu: 1}",
)


@Rule(
    id="TG054",
    claim="A pod's claims exist: in its resourceClaims, and as a ResourceClaim or ResourceClaimTemplate in its namespace",
    symptom='Not found: "card": must be one of the names in pod.spec.resourceClaims; FailedResourceClaimCreation: '
    'PodResourceClaim gpu: resource claim template "gpu": resourceclaimtemplate.resource.k8s.io "gpu" not found',
    fix="Add the claim to resourceClaims of the pod spec, and the ResourceClaim or ResourceClaimTemplate to the pod's namespace",
    source="https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",
    severity=Severity.ERROR,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_DRIVER + _TEMPLATE + _pod(_OTHERS_CLAIM)),
    passing=Example(_DRIVER + _TEMPLATE + _pod(_OWN_CLAIM)),
)
def _not_defined(inputs: Inputs) -> Iterator[Violation]:
    for workload in workloads(inputs):
        listed = mappings(at(workload.spec, "resourceClaims"))
        names = [at(claim, "name") for _, claim in listed]
        for container in workload.containers:
            for index, claim in mappings(at(container.body, "resources", "claims")):
                name = at(claim, "name")
                if workload.complete and is_among(name, names).is_no and not is_open(at(workload.spec, "resourceClaims")):
                    message = f"the container uses the claim {name}, but the pod's resourceClaims have no claim with this name. The API server refuses the pod"
                    fix = (
                        f"Add {{name: {name}, resourceClaimTemplateName: TEMPLATE}} to resourceClaims of the pod spec, where TEMPLATE is a "
                        "ResourceClaimTemplate of the pod's namespace"
                    )
                    path, related = (*container.path, "resources", "claims", index), ((workload.about, (*workload.path, "resourceClaims")),)
                    yield Violation(Severity.ERROR, message, workload.about, path, fix=fix, related=related)
        for index, claim in listed:
            for key, kind in CLAIM_KINDS.items():
                name = at(claim, key)
                if (
                    isinstance(name, str)
                    and not may_have(inputs, kind, name, workload.namespace)
                    and not _is_channel(inputs, workload, key, name)
                ):
                    message = (
                        f"nothing {inputs.here} creates the {kind} {name} in the pod's namespace. Without the {kind} the pods stay Pending"
                    )
                    fix = f"Add a {kind} {name} to the namespace of the pods"
                    yield Violation(Severity.WARNING, message, workload.about, (*workload.path, "resourceClaims", index, key), fix=fix)


def _is_channel(inputs: Inputs, workload: Workload, key: str, name: object) -> bool:
    return key == "resourceClaimTemplateName" and makes_channel(inputs, name, workload.namespace)


def _is_no_gpu(inputs: Inputs, workload: Workload, entry: Mapping[str, Any]) -> bool:
    """Whether a claim of a pod is surely none of a GPU: of a channel of a ComputeDomain, or read and of other devices."""
    for key, kind in CLAIM_KINDS.items():
        if (name := known_str(at(entry, key))) is not None:
            if _is_channel(inputs, workload, key, name):
                return True
            read = [each for each in named(inputs, kind, name) if not same_namespace(each.namespace, workload.namespace).is_no]
            below = ("spec", "spec", "devices") if kind == "ResourceClaimTemplate" else ("spec", "devices")
            return bool(read) and not any(list(claim_requests(each.at(*below))) for each in read)
    return False


@Rule(
    id="TG055",
    claim="A container requests its GPU by a claim or by a limit, not by both",
    symptom="A pod holds two GPUs, or the same GPU twice, and computes on one; nil or empty request mappings, no update of pod",
    fix="Remove the limit if DRA serves the node, or remove the claim if a device plugin serves the node",
    source="https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",
    severity=Severity.WARNING,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_DRIVER + _TEMPLATE + _pod(_BOTH)),
    passing=Example(_DRIVER + _TEMPLATE + _pod(_OWN_CLAIM)),
)
def _twice(inputs: Inputs) -> Iterator[Violation]:
    for workload in workloads(inputs):
        for container in workload.containers:
            used = [at(claim, "name") for _, claim in mappings(at(container.body, "resources", "claims"))]
            entries = [each for _, each in mappings(at(workload.spec, "resourceClaims")) if not is_among(at(each, "name"), used).is_no]
            if container.gpus and used and not (entries and all(_is_no_gpu(inputs, workload, each) for each in entries)):
                message = f"the container has a claim and a limit of {next(iter(container.gpus))}. Each of the two allocates a GPU for the container"
                yield Violation(Severity.WARNING, message, workload.about, (*container.path, "resources", "claims"))


@Rule(
    id="TG056",
    claim="The DeviceClass of a claim exists",
    symptom="0/3 nodes are available: request gpu: device class gpu.nvidia.com does not exist",
    fix="Install the DRA driver (chart dra-driver-nvidia-gpu), which creates gpu.nvidia.com and mig.nvidia.com, or add the DeviceClass",
    source="https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu",
    severity=Severity.WARNING,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_TEMPLATE + _pod(_OWN_CLAIM)),
    passing=Example(_DRIVER + _TEMPLATE + _pod(_OWN_CLAIM)),
    causes=(INSTALLER,),
)
def _no_class(inputs: Inputs) -> Iterator[Violation]:
    may_have_driver = (
        may_run(inputs, DRA)
        or any(not each.is_on("gpuCluster", "deployCR").is_no for each in operators(inputs))
        or (may_run_operator(inputs) and not operators(inputs))
    )
    for about, path, name in claimed_classes(inputs):
        is_made = may_have(inputs, "DeviceClass", name, None) or (name in _DRIVERS_CLASSES and may_have_driver)
        if name.endswith("nvidia.com") and not is_made:
            message = f"nothing {inputs.here} creates the DeviceClass {name}. Without the DeviceClass pods with this claim stay Pending"
            yield Violation(Severity.WARNING, message, about, path)


_CLAIMS = ("ResourceClaim", "ResourceClaimTemplate")

_CLASS = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.nvidia.com}
spec: {selectors: [{cel: {expression: "device.driver == 'gpu.nvidia.com'"}}]}
"""
_CLAIM = """\
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu, namespace: vllm}
spec:
  spec:
    devices:
      requests: [{name: gpu, %s}]
"""
_EXACTLY = "exactly: {deviceClassName: gpu.nvidia.com}"


@Rule(
    id="TG093",
    claim="A GPU is claimed only where DRA works: from Talos 1.13 and Kubernetes 1.34 on",
    symptom='0/3 nodes are available: 3 cannot allocate all claims; no matches for kind "DeviceClass" in version "resource.k8s.io/v1"',
    fix="Upgrade to Kubernetes 1.34 or newer, where DRA is on, or set resources: {limits: {nvidia.com/gpu: 1}} and use the device plugin",
    source="https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu",
    severity=Severity.ERROR,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_CLASS + _CLAIM % _EXACTLY, talos="1.12"),
    passing=Example(_CLASS + _CLAIM % _EXACTLY, talos="1.13"),
)
def _no_dra(inputs: Inputs) -> Iterator[Violation]:
    """Claims of GPUs where NVIDIA's DRA driver does not work. TG031 checks the driver itself."""
    minor = minor_of(inputs.kubernetes_version)
    sure = gpu_nodes_run_talos(inputs) and not may_have_a_staged_driver(inputs)
    for each, path, name in claimed_classes(inputs):
        if not name.endswith("nvidia.com"):
            continue
        if inputs.talos_version is not None and inputs.talos_version.minor in LEGACY_LAYOUT:
            message = (
                f"the claim requests a GPU of {name}, but NVIDIA's DRA driver does not work on Talos {inputs.talos_version}: it finds no driver, because "
                f"the libraries are under {LEGACY_ROOT}"
            )
            fix = "Set resources: {limits: {nvidia.com/gpu: 1}} and use the device plugin, or upgrade to Talos 1.13"
            severity, related = Severity.ERROR if sure else Severity.WARNING, talos_of_nodes(inputs)
            yield Violation(severity, message, each, path, fix=fix, related=related)
        elif minor is not None and minor < DRA_SINCE and not has_dra_gate(inputs):
            message = (
                f"the claim requests a GPU of {name}, but Kubernetes 1.{minor} serves claims only with the feature gate DynamicResourceAllocation. "
                "Without the gate the API server answers 'no matches for kind \"DeviceClass\"'"
            )
            yield Violation(Severity.WARNING, message, each, path)
    yield from _limits_without_gate(inputs, minor)


def _limits_without_gate(inputs: Inputs, minor: int | None) -> Iterator[Violation]:
    """Limits that only a DeviceClass serves, in a Kubernetes that has this off by default."""
    gate = "DRAExtendedResource"
    since, on_since = DRA_GATES[gate]
    if minor is None or minor >= on_since or may_have_gate(inputs, gate, "AllAlpha"):
        return
    for row in usage(inputs):
        if row.gpus and not row.by_claim and row.nodes and all(each.dra and each.dra.extended_resource for each in row.nodes):
            only = (
                f"serves such a limit only with the feature gate {gate}. Without the gate the"
                if minor >= since
                else "serves no such limit. The"
            )
            message = f"the DRA driver serves {row.requested} on {listed(map(name_of, row.nodes))}, but Kubernetes 1.{minor} {only} pods stay Pending"
            or_set = f", or set --feature-gates={gate}=true on the API server, the scheduler, the controller manager and the kubelet"
            fix = f"Upgrade to Kubernetes 1.{on_since}{or_set if minor >= since else ''}"
            yield Violation(Severity.WARNING, message, row.workload.about, row.path, fix=fix, related=kubernetes_of_nodes(inputs))


@Rule(
    id="TG094",
    claim="A claim has the format of its apiVersion, and the cluster serves that version",
    symptom='strict decoding error: unknown field "spec.spec.devices.requests[0].deviceClassName"; '
    ".spec.spec.devices.requests[0].deviceClassName: field not declared in schema",
    fix="Write the claim in the format of its apiVersion",
    source="https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/resource-claim-template-v1/",
    severity=Severity.ERROR,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_CLASS + _CLAIM % "deviceClassName: gpu.nvidia.com", talos="1.13"),
    passing=Example(_CLASS + _CLAIM % _EXACTLY, talos="1.13"),
)
def _claim_version(inputs: Inputs) -> Iterator[Violation]:
    minor = minor_of(inputs.kubernetes_version)
    for each in inputs.of_kind(*_CLAIMS, "DeviceClass"):
        group, _, version = (known_str(each.api_version) or "").partition("/")
        if group != "resource.k8s.io":
            continue
        if minor is not None and version == "v1" and minor < DRA_SINCE:
            yield _version(
                each,
                f"resource.k8s.io/v1 exists from Kubernetes 1.{DRA_SINCE} on, but the cluster runs 1.{minor}",
                Severity.ERROR,
                f"Upgrade to Kubernetes 1.{DRA_SINCE}, or set apiVersion to the beta version that the API server is configured to serve",
                kubernetes_of_nodes(inputs),
            )
        if minor is not None and version.startswith("v1beta") and minor >= DRA_BETAS_OFF_SINCE:
            message = f"Kubernetes 1.{minor} serves resource.k8s.io/v1. The API server serves {version} only with --runtime-config"
            fix = "Set apiVersion: resource.k8s.io/v1, and put each request below 'exactly'"
            yield _version(each, message, Severity.WARNING, fix, kubernetes_of_nodes(inputs))
        yield from _shape(each, version)
    yield from _taint_rules(inputs, minor)


def _taint_rules(inputs: Inputs, minor: int | None) -> Iterator[Violation]:
    """DeviceTaintRules in a version that the cluster's API server does not have, or serves only by a setting."""
    for each in inputs.of_kind("DeviceTaintRule"):
        group, _, version = (known_str(each.api_version) or "").partition("/")
        if group != "resource.k8s.io" or minor is None or not version:
            continue
        served = has_taint_rules(version, minor)
        if served is False:
            message = f"Kubernetes 1.{minor} has no DeviceTaintRule in {version}. The API server answers 'no matches for kind \"DeviceTaintRule\"'"
            fix = (
                f"Set apiVersion: {taint_rule_api(minor)}"
                if minor >= TAINT_RULES_SINCE
                else f"Upgrade to Kubernetes 1.{DRA_GATES['DRADeviceTaintRules'].on_since}, which serves it by default"
            )
            yield _version(each, message, Severity.ERROR, fix, kubernetes_of_nodes(inputs))
        elif served is None and not serves_api(inputs, f"{group}/{version}"):
            on_since = DRA_GATES["DRADeviceTaintRules"].on_since
            gate = "DRADeviceTaintRules" if minor >= TAINT_RULES_SINCE else "DRADeviceTaints"
            message = f"Kubernetes 1.{minor} serves DeviceTaintRules in {version} only with the feature gate {gate} and --runtime-config"
            fix = f"Upgrade to Kubernetes 1.{on_since}, or add --runtime-config={group}/{version}=true and the feature gate {gate}"
            if minor >= on_since:
                message = f"Kubernetes 1.{minor} serves DeviceTaintRules in v1. The API server serves {version} only with --runtime-config"
                fix = f"Set apiVersion: {taint_rule_api(minor)}"
            yield _version(each, message, Severity.WARNING, fix, kubernetes_of_nodes(inputs))


def _version(each: KubernetesObject, message: str, severity: Severity, fix: str, related: tuple[Part, ...]) -> Violation:
    return Violation(severity, message, each, ("apiVersion",), fix=fix, related=related)


def _shape(each: KubernetesObject, version: str) -> Iterator[Violation]:
    """Requests in the format of another version: v1beta1 is flat, v1beta2 and v1 have `exactly`."""
    below: Path = ("spec", "spec") if each.kind == "ResourceClaimTemplate" else ("spec",)
    related = ((each, ("apiVersion",)),)
    for index, request in mappings(each.at(*below, "devices", "requests")):
        path = (*below, "devices", "requests", index)
        if version in ("v1", "v1beta2") and "deviceClassName" in request:
            message = f"the request has deviceClassName next to name. In {version} the field belongs below exactly. The API server refuses the claim"
            yield Violation(Severity.ERROR, message, each, path, fix=_below_exactly(request), related=related)
        if version == "v1beta1" and isinstance(at(request, "exactly"), Mapping):
            message = "the request has 'exactly', a field that v1beta1 does not have. The API server refuses the claim"
            fix = "Set apiVersion: resource.k8s.io/v1 (Kubernetes 1.33: resource.k8s.io/v1beta2)"
            yield Violation(Severity.ERROR, message, each, path, fix=fix, related=related)


def _below_exactly(request: Mapping[str, Any]) -> str:
    """The fix for a flat request: its fields move below `exactly`."""
    fields = [key for key, _ in known_items(request) if key not in ("name", "exactly", "firstAvailable")]
    device_class = known_str(request["deviceClassName"]) or "gpu.nvidia.com"
    written = f"{{name: {known_str(at(request, 'name')) or 'gpu'}, exactly: {{deviceClassName: {device_class}}}}}"
    return f"Move {' and '.join(fields)} below exactly: {written}"
