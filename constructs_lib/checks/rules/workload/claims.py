"""Claims of pods: missing resource claims, DeviceClasses and volume claims, and containers with a claim and a limit."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.agents.agents import DRA, may_run
from ....observed.agents.operators import may_run_operator, operators
from ....observed.model import Inputs, at, is_among, is_open, mappings
from ....observed.objects.object_names import may_have
from ....observed.pods.claims import CLAIM_KINDS, claimed_classes
from ....observed.pods.workloads import workloads
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness

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
_DRIVER = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: dra-driver-nvidia-gpu, namespace: kube-system}
spec:
  chart: {spec: {chart: dra-driver-nvidia-gpu, version: 0.5.0}}
  values: {nvidiaDriverRoot: /usr/local, gpuResourcesEnabledOverride: true}
---
apiVersion: nfd.k8s-sigs.io/v1alpha1
kind: NodeFeatureRule
metadata: {name: gpu-present}
spec: {rules: [{name: gpu, labels: {nvidia.com/gpu.present: "true"}}]}
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


_CLAIM, _OTHERS_CLAIM, _BOTH = "claims: [{name: gpu}]", "claims: [{name: card}]", "claims: [{name: gpu}], limits: {nvidia.com/gpu: 1}"


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
    passing=Example(_DRIVER + _TEMPLATE + _pod(_CLAIM)),
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
                    yield Violation(Severity.ERROR, message, workload.about, (*container.path, "resources", "claims", index), fix=fix)
        for index, claim in listed:
            for key, kind in CLAIM_KINDS.items():
                name = at(claim, key)
                if isinstance(name, str) and not may_have(inputs, kind, name, workload.namespace):
                    message = (
                        f"nothing {inputs.here} creates the {kind} {name} in the pod's namespace. Without the {kind} the pods stay Pending"
                    )
                    fix = f"Add a {kind} {name} to the namespace of the pods"
                    yield Violation(Severity.WARNING, message, workload.about, (*workload.path, "resourceClaims", index, key), fix=fix)


@Rule(
    id="TG055",
    claim="A container requests its GPU by a claim or by a limit, not by both",
    symptom="A pod holds two GPUs, or the same GPU twice, and computes on one; nil or empty request mappings, no update of pod",
    fix="Remove the limit if DRA serves the node, or remove the claim if a device plugin serves the node",
    source="https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",
    severity=Severity.WARNING,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_DRIVER + _TEMPLATE + _pod(_BOTH)),
    passing=Example(_DRIVER + _TEMPLATE + _pod(_CLAIM)),
)
def _twice(inputs: Inputs) -> Iterator[Violation]:
    for workload in workloads(inputs):
        for container in workload.containers:
            if container.gpus and mappings(at(container.body, "resources", "claims")):
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
    failing=Example(_TEMPLATE + _pod(_CLAIM)),
    passing=Example(_DRIVER + _TEMPLATE + _pod(_CLAIM)),
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
