"""NVIDIA's DRA driver: where it finds the driver on Talos, what its chart refuses, and what may not serve the same GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from ... import versions
from ...talos_version import Generation
from ..finding import Severity
from ..questions.agents import Agent, device_plugins, dra_drivers
from ..questions.gpu_nodes import gpu_nodes_run_talos
from ..questions.operators import Operator, operators
from ..questions.overlap import are_apart
from ..questions.values import is_on
from ..read import Inputs, Unknown, mappings
from ..rule import Example, Found, Rule

_TALOS_ROOT = "/usr/local"
# DynamicResourceAllocation is on by itself from here on.
_KUBERNETES_OLDEST = 34
# The release whose GPUCluster was read and tried on Talos.
_GPU_CLUSTER_BROKEN = "v26.7.0"


def _driver_root(inputs: Inputs) -> Iterator[Found]:
    for driver in dra_drivers(inputs):
        talos = inputs.talos_version
        sure = Severity.ERROR if talos and gpu_nodes_run_talos(inputs) else Severity.WARNING
        root = _root(driver)
        path = (*driver.release.values_path, "nvidiaDriverRoot") if driver.release else driver.base
        if inputs.generation is Generation.LEGACY:
            yield Found(
                severity=sure,
                message=f"the DRA driver can't run on Talos {talos}: its CDI specs name libraries where this Talos has none (they are under "
                "/usr/local/glibc until 1.13)",
                about=driver.about,
                fix="Use a device plugin, or go to Talos 1.13",
            )
        elif isinstance(root, str) and not isinstance(root, Unknown) and root.rstrip("/") != _TALOS_ROOT:
            yield Found(
                severity=sure,
                message=f"nvidiaDriverRoot is {root}: Talos has the driver below {_TALOS_ROOT}, and the init container waits for nvidia-smi for ever",
                about=driver.about,
                path=path,
            )
        minor = _minor(inputs.kubernetes_version)
        if minor is not None and minor < _KUBERNETES_OLDEST:
            yield Found(
                severity=Severity.WARNING,
                message=f"Kubernetes {inputs.kubernetes_version} has DynamicResourceAllocation off by itself: no claim is served without its feature "
                "gates and runtime-config on every component",
                about=driver.about,
                fix=f"Go to Kubernetes 1.{_KUBERNETES_OLDEST} or newer",
            )


def _root(driver: Agent) -> object:
    if driver.release:
        root = driver.release.value("nvidiaDriverRoot")
        return "/" if root is None else root
    for key in ("initContainers", "containers"):
        for _, container in mappings(driver.spec.get(key)):
            for _, variable in mappings(container.get("env")):
                if variable.get("name") == "NVIDIA_DRIVER_ROOT":
                    return variable.get("value")
    return None


def _minor(kubernetes: str | None) -> int | None:
    parts = (kubernetes or "").removeprefix("v").split(".")
    return int(parts[1]) if len(parts) > 1 and parts[0] == "1" and parts[1].isdecimal() else None


def _serves_gpus(driver: Agent) -> bool:
    """Whether it hands out GPUs, and not only domains of several nodes."""
    if not driver.release:
        return any(container.get("name") == "gpus" for _, container in mappings(driver.spec.get("containers")))
    written = driver.release.value("resources", "gpus", "enabled")
    return written is None or is_on(written) is True


def _override(inputs: Inputs) -> Iterator[Found]:
    for driver in dra_drivers(inputs):
        release = driver.release
        if release and _serves_gpus(driver) and release.value("gpuResourcesEnabledOverride") in (None, False):
            yield Found(
                severity=Severity.ERROR,
                message="resources.gpus.enabled is true and gpuResourcesEnabledOverride is not: the chart refuses to render",
                about=driver.about,
                path=(*release.values_path, "gpuResourcesEnabledOverride"),
            )


def _gpu_cluster(inputs: Inputs) -> Iterator[Found]:
    for operator in operators(inputs):
        if operator.is_on("gpuCluster", "deployCR"):
            both = operator.release is not None and operator.is_on("clusterPolicy", "deployCR")
            then = ", and clusterPolicy.deployCR is, too: the chart refuses to render" if both else _GPU_CLUSTER
            yield Found(
                severity=Severity.ERROR if both or _is_broken(operator) else Severity.WARNING,
                message=f"gpuCluster.deployCR is true{then}",
                about=operator.about,
                path=operator.path("gpuCluster", "deployCR"),
            )
    for each in inputs.of_kind("GPUCluster"):
        if each.api_version.startswith("nvidia.com/"):
            known = [operator for operator in operators(inputs) if operator.version]
            yield Found(
                severity=Severity.ERROR if any(map(_is_broken, known)) else Severity.WARNING,
                message=f"a GPUCluster is deployed{_GPU_CLUSTER}",
                about=each,
                path=("kind",),
            )


_GPU_CLUSTER = ": its DRA driver looks for the driver at / whatever hostPaths says, and every pod with a claim dies on Talos"


def _is_broken(operator: Operator) -> bool:
    return str(operator.version) == _GPU_CLUSTER_BROKEN


def _beside_a_plugin(inputs: Inputs) -> Iterator[Found]:
    for driver in dra_drivers(inputs):
        if not _serves_gpus(driver):
            continue
        for plugin in device_plugins(inputs):
            if not are_apart(driver.spec, plugin.spec):
                yield _both(driver, f"the device plugin of {plugin.about.label}")
        for operator in operators(inputs):
            if operator.is_on("devicePlugin", "enabled"):
                yield _both(driver, "the operator's device plugin (devicePlugin.enabled)")


def _both(driver: Agent, other: str) -> Found:
    return Found(
        severity=Severity.WARNING,
        message=f"the DRA driver and {other} may serve the same node: each keeps its own account, and one GPU is given to two pods",
        about=driver.about,
        path=(*driver.release.values_path, "resources", "gpus", "enabled") if driver.release else driver.base,
    )


_DRA = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: dra-driver-nvidia-gpu, namespace: kube-system}
spec:
  chart: {spec: {chart: dra-driver-nvidia-gpu, version: 0.4.1, sourceRef: {kind: HelmRepository, name: dra}}}
  values:
    kubeletPlugin: {nodeSelector: {kubernetes.io/hostname: gpu-1}, affinity: null}
"""
_ROOT, _OVERRIDE = "    nvidiaDriverRoot: /usr/local\n", "    gpuResourcesEnabledOverride: true\n"
_RIGHT = _DRA + _ROOT + _OVERRIDE
_PLUGIN = """\
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: nvidia}
handler: nvidia
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: nvidia-device-plugin, namespace: kube-system}
spec:
  chart: {spec: {chart: nvidia-device-plugin, version: 0.20.0, sourceRef: {kind: HelmRepository, name: nvdp}}}
  values: {runtimeClassName: nvidia, affinity: null, nodeSelector: {kubernetes.io/hostname: %s}}
"""
_OPERATOR = "driver: {enabled: false}\ntoolkit: {enabled: false}\nmigManager: {enabled: false}\nhostPaths: {driverInstallDir: /usr/local}\n"

RULES = (
    Rule(
        id="TG031",
        claim="The DRA driver looks for the driver where Talos has it",
        symptom="nvidia-smi: not found, over and over in the init container of dra-driver-nvidia-gpu-kubelet-plugin",
        severity=Severity.ERROR,
        fix="Set nvidiaDriverRoot: /usr/local",
        source="kubernetes-sigs/dra-driver-nvidia-gpu#605; https://docs.siderolabs.com/kubernetes-guides/advanced-guides/dynamic-resource-allocation",
        judge=_driver_root,
        failing=Example(talos="1.13", yaml=_DRA + _OVERRIDE),
        passing=Example(talos="1.13", yaml=_RIGHT),
        generations=(Generation.CDI, Generation.NRI),
    ),
    Rule(
        id="TG032",
        claim="The DRA chart is told that its GPUs are wanted",
        symptom="When 'resources.gpus.enabled=true' this DRA driver cannot be deployed alongside the standard GPU device plugin on the same node",
        severity=Severity.ERROR,
        fix="Set gpuResourcesEnabledOverride: true, where no device plugin serves the same nodes",
        source="kubernetes-sigs/dra-driver-nvidia-gpu deployments/helm/dra-driver-nvidia-gpu/templates/validation.yaml",
        judge=_override,
        failing=Example(talos="1.13", yaml=_DRA + _ROOT),
        passing=Example(talos="1.13", yaml=f"{_DRA}{_ROOT}    resources: {{gpus: {{enabled: false}}}}\n"),
    ),
    Rule(
        id="TG033",
        claim="The operator does not run the DRA driver itself on Talos",
        symptom="failed to stat CDI host device; /bin/nvidia-cuda-mps-control: no such file or directory, in every pod with a claim",
        severity=Severity.ERROR,
        fix="Set gpuCluster.deployCR: false, and install the chart dra-driver-nvidia-gpu with nvidiaDriverRoot: /usr/local",
        source="https://github.com/nicolerenee/infra/pull/2394; NVIDIA/gpu-operator manifests/state-dra-driver/0500_daemonset.yaml",
        judge=_gpu_cluster,
        failing=Example(
            chart="gpu-operator@v26.7.0",
            talos="1.13",
            yaml=f"{_OPERATOR}gpuCluster: {{deployCR: true}}\nclusterPolicy: {{deployCR: false}}\n",
        ),
        passing=Example(chart="gpu-operator@v26.7.0", talos="1.13", yaml=f"{_OPERATOR}devicePlugin: {{enabled: false}}\n"),
    ),
    Rule(
        id="TG034",
        claim="A GPU is served by the DRA driver or by a device plugin, not by both",
        symptom="CUDA out of memory in two pods that were each given a whole GPU, one by a claim and one by nvidia.com/gpu",
        severity=Severity.WARNING,
        fix=f"Switch the device plugin off on its nodes (devicePlugin.enabled: false of gpu-operator {versions.GPU_OPERATOR_NEWEST}), or keep the two "
        "apart by their node selectors",
        source="https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu/blob/main/deployments/helm/dra-driver-nvidia-gpu/templates/validation.yaml",
        judge=_beside_a_plugin,
        failing=Example(talos="1.13", yaml=_RIGHT + _PLUGIN % "gpu-1"),
        passing=Example(talos="1.13", yaml=_RIGHT + _PLUGIN % "gpu-2"),
    ),
)
