"""Claims of devices, and the Talos and the Kubernetes that they need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...upstream.kubernetes_api import DRA_BETAS_OFF_SINCE, DRA_SINCE
from ...upstream.talos_features import LEGACY_LAYOUT, LEGACY_ROOT
from ..facts.claimed_classes import claimed_classes
from ..facts.dra_driver_root import may_have_a_staged_driver
from ..facts.gpu_node_configs import gpu_nodes_run_talos
from ..facts.kubernetes_minor import has_dra_gate, minor_of
from ..finding import Severity
from ..model import Inputs, KubernetesObject, Path, at, known_str, mappings
from ..rule import Example, Found, Rule

_CLAIMS = ("ResourceClaim", "ResourceClaimTemplate")


def _no_dra(inputs: Inputs) -> Iterator[Found]:
    """Claims of GPUs where no DRA driver of NVIDIA's works; what the driver itself needs is TG031's."""
    minor = minor_of(inputs.kubernetes_version)
    sure = gpu_nodes_run_talos(inputs) and not may_have_a_staged_driver(inputs)
    for each, path, name in claimed_classes(inputs):
        if not name.endswith("nvidia.com"):
            continue
        if inputs.talos_version is not None and inputs.talos_version.minor in LEGACY_LAYOUT:
            yield Found(
                severity=Severity.ERROR if sure else Severity.WARNING,
                message=f"it claims a GPU of {name}, and NVIDIA's DRA driver finds no driver on Talos {inputs.talos_version}: its libraries are under "
                f"{LEGACY_ROOT}",
                about=each,
                path=path,
                fix="Ask for the GPU by a limit (nvidia.com/gpu) from the device plugin, or move to Talos 1.13",
            )
        elif minor is not None and minor < DRA_SINCE and not has_dra_gate(inputs):
            yield Found(
                severity=Severity.WARNING,
                message=f"it claims a GPU of {name}, and Kubernetes 1.{minor} serves claims only with the feature gate DynamicResourceAllocation",
                about=each,
                path=path,
            )


def _claim_version(inputs: Inputs) -> Iterator[Found]:
    minor = minor_of(inputs.kubernetes_version)
    for each in inputs.of_kind(*_CLAIMS, "DeviceClass"):
        group, _, version = (known_str(each.api_version) or "").partition("/")
        if group != "resource.k8s.io":
            continue
        if minor is not None and version == "v1" and minor < DRA_SINCE:
            yield _version(
                each,
                f"resource.k8s.io/v1 is there from Kubernetes 1.{DRA_SINCE} on, and this is 1.{minor}",
                Severity.ERROR,
                f"Go to Kubernetes 1.{DRA_SINCE}, or write the beta version that the cluster is told to serve",
            )
        if minor is not None and version.startswith("v1beta") and minor >= DRA_BETAS_OFF_SINCE:
            message = f"Kubernetes 1.{minor} serves resource.k8s.io/v1, and {version} only where its API server is told to"
            yield _version(each, message, Severity.WARNING, "Write apiVersion: resource.k8s.io/v1, with each request inside 'exactly'")
        yield from _shape(each, version)


def _version(each: KubernetesObject, message: str, severity: Severity, fix: str) -> Found:
    return Found(severity=severity, message=message, about=each, path=("apiVersion",), fix=fix)


def _shape(each: KubernetesObject, version: str) -> Iterator[Found]:
    """Whether a request is written as its version has it: flat in v1beta1, inside `exactly` since v1beta2."""
    below: Path = ("spec", "spec") if each.kind == "ResourceClaimTemplate" else ("spec",)
    for index, request in mappings(each.at(*below, "devices", "requests")):
        path = (*below, "devices", "requests", index)
        if version in ("v1", "v1beta2") and "deviceClassName" in request:
            message = f"its request has deviceClassName beside its name, as {version} does not: the API server refuses it"
            yield Found(
                severity=Severity.ERROR,
                message=message,
                about=each,
                path=path,
                fix=f"Write {{name: {at(request, 'name')}, exactly: {{deviceClassName: …}}}}",
            )
        if version == "v1beta1" and isinstance(at(request, "exactly"), Mapping):
            message = "its request has 'exactly', which v1beta1 does not know: the API server refuses it"
            yield Found(severity=Severity.ERROR, message=message, about=each, path=path, fix="Write apiVersion: resource.k8s.io/v1")


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

RULES = (
    Rule(
        id="TG093",
        claim="A GPU is claimed where DRA works: from Talos 1.13 and Kubernetes 1.34 on",
        symptom='no matches for kind "DeviceClass" in version "resource.k8s.io/v1"',
        severity=Severity.ERROR,
        fix="Move to Kubernetes 1.34 or newer, where it is on, or ask for the GPU by a limit (nvidia.com/gpu) from the device plugin",
        source="https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu",
        judge=_no_dra,
        failing=Example(yaml=_CLASS + _CLAIM % _EXACTLY, talos="1.12"),
        passing=Example(yaml=_CLASS + _CLAIM % _EXACTLY, talos="1.13"),
    ),
    Rule(
        id="TG094",
        claim="A claim is written in the version of resource.k8s.io that it names, and that the cluster serves",
        symptom='strict decoding error: unknown field "spec.spec.devices.requests[0].deviceClassName"',
        severity=Severity.ERROR,
        fix="Write the claim as its version has it",
        source="https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/resource-claim-template-v1/",
        judge=_claim_version,
        failing=Example(yaml=_CLASS + _CLAIM % "deviceClassName: gpu.nvidia.com", talos="1.13"),
        passing=Example(yaml=_CLASS + _CLAIM % _EXACTLY, talos="1.13"),
    ),
)
