"""NVIDIA's DRA driver: driver root, Kubernetes version, values, and conflicts with device plugins and the operator."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.agents.agents import Agent, device_plugins, dra_drivers, driver_root, is_staged
from ....observed.agents.operators import Operator, operators
from ....observed.model import Inputs, at, equals, mappings, starts_with
from ....observed.nodes.gpu_node_configs import gpu_nodes_run_talos
from ....observed.objects.helm_values import is_on
from ....observed.objects.kubernetes_minor import has_dra_gate, minor_of
from ....observed.placement.selection import are_apart
from ....upstream.kubernetes.api import DRA_SINCE
from ....upstream.talos.features import DRIVER_ROOT, LEGACY_LAYOUT, LEGACY_ROOT
from ...edit import set_to
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._charts import OPERATOR, dra_release, operator_values, plugin_release

_ROOT, _OVERRIDE = "    nvidiaDriverRoot: /usr/local\n", "    gpuResourcesEnabledOverride: true\n"
_RIGHT = dra_release() + _ROOT + _OVERRIDE


@Rule(
    id="TG031",
    claim="The DRA driver looks for the driver where Talos has it",
    symptom="nvidia-smi: not found, repeated in the init container of dra-driver-nvidia-gpu-kubelet-plugin",
    fix="Set nvidiaDriverRoot: /usr/local",
    source="kubernetes-sigs/dra-driver-nvidia-gpu#605; "
    "https://docs.siderolabs.com/kubernetes-guides/advanced-guides/dynamic-resource-allocation",
    severity=Severity.ERROR,
    shown_by=Witness.PROGRAM,
    failing=Example(dra_release() + _OVERRIDE, talos="1.13"),
    passing=Example(_RIGHT, talos="1.13"),
)
def _driver_root(inputs: Inputs) -> Iterator[Violation]:
    for driver in dra_drivers(inputs):
        talos = inputs.talos_version
        sure = Severity.ERROR if talos and gpu_nodes_run_talos(inputs) else Severity.WARNING
        root = driver_root(driver)
        path = (*driver.release.values_path, "nvidiaDriverRoot") if driver.release else driver.base
        if talos is not None and talos.minor in LEGACY_LAYOUT:
            message = (
                f"the DRA driver can't run on Talos {talos}: its CDI specs name folders in which this Talos has no libraries (before 1.13 the "
                f"libraries are under {LEGACY_ROOT})"
            )
            fix = "Use a device plugin, or upgrade to Talos 1.13"
            yield Violation(Severity.WARNING if is_staged(root) else sure, message, driver.about, fix=fix)
        elif isinstance(root, str) and root.rstrip("/") != DRIVER_ROOT:
            message = (
                f"nvidiaDriverRoot is {root}, but Talos has the driver below {DRIVER_ROOT}. The init container waits for nvidia-smi forever"
            )
            yield Violation(sure, message, driver.about, path, edits=set_to(DRIVER_ROOT) if driver.release else ())
        minor = minor_of(inputs.kubernetes_version)
        if minor is not None and minor < DRA_SINCE and not has_dra_gate(inputs):
            message = (
                f"DynamicResourceAllocation is off by default in Kubernetes {inputs.kubernetes_version}. No claim is served unless every component has "
                "the feature gates and the runtime-config"
            )
            yield Violation(Severity.WARNING, message, driver.about, fix=f"Upgrade to Kubernetes 1.{DRA_SINCE} or newer")


def serves_gpus(driver: Agent) -> bool:
    """Whether a DRA driver surely serves GPUs, and not only compute domains of several nodes."""
    if not driver.release:
        return any(equals(at(container, "name"), "gpus").is_yes for _, container in mappings(at(driver.spec, "containers")))
    written = driver.release.value("resources", "gpus", "enabled")
    return written is None or is_on(written).is_yes


@Rule(
    id="TG032",
    claim="A DRA chart that serves GPUs sets gpuResourcesEnabledOverride",
    symptom="When 'resources.gpus.enabled=true' this DRA driver cannot be deployed alongside the standard GPU "
    "device plugin on the same node",
    fix="Set gpuResourcesEnabledOverride: true, if no device plugin serves the same nodes",
    source="kubernetes-sigs/dra-driver-nvidia-gpu deployments/helm/dra-driver-nvidia-gpu/templates/validation.yaml",
    severity=Severity.ERROR,
    shown_by=Witness.SERVICE,
    failing=Example(dra_release() + _ROOT, talos="1.13"),
    passing=Example(f"{dra_release()}{_ROOT}    resources: {{gpus: {{enabled: false}}}}\n", talos="1.13"),
)
def _override(inputs: Inputs) -> Iterator[Violation]:
    for driver in dra_drivers(inputs):
        release = driver.release
        override = release.value("gpuResourcesEnabledOverride") if release else None
        if release and serves_gpus(driver) and (override is None or override is False):
            message = "resources.gpus.enabled is true, but gpuResourcesEnabledOverride is not: the chart refuses to render"
            edits = set_to(True, safe=False)
            yield Violation(Severity.ERROR, message, driver.about, (*release.values_path, "gpuResourcesEnabledOverride"), edits=edits)


# The release of the operator whose GPUCluster was read and tried on Talos.
_GPU_CLUSTER_BROKEN = "v26.7.0"


@Rule(
    id="TG033",
    claim="The operator does not run its own DRA driver on Talos",
    symptom="/bin/nvidia-cuda-mps-control: no such file or directory, in every pod with a claim; no ResourceSlice of gpu.nvidia.com",
    fix="Set gpuCluster.deployCR: false, and install the chart dra-driver-nvidia-gpu with nvidiaDriverRoot: /usr/local",
    source="https://github.com/nicolerenee/infra/pull/2394; NVIDIA/gpu-operator manifests/state-dra-driver/0500_daemonset.yaml",
    severity=Severity.ERROR,
    shown_by=Witness.CARD,
    failing=operator_values(f"{OPERATOR}gpuCluster: {{deployCR: true}}\nclusterPolicy: {{deployCR: false}}\n"),
    passing=operator_values(f"{OPERATOR}devicePlugin: {{enabled: false}}\n"),
)
def _gpu_cluster(inputs: Inputs) -> Iterator[Violation]:
    for operator in operators(inputs):
        if operator.is_on("gpuCluster", "deployCR").is_yes:
            both = operator.release is not None and operator.is_on("clusterPolicy", "deployCR").is_yes
            effect = ", and clusterPolicy.deployCR is true: the chart refuses to render" if both else _GPU_CLUSTER
            yield Violation(
                Severity.ERROR if both or _is_broken(operator) else Severity.WARNING,
                f"gpuCluster.deployCR is true{effect}",
                operator.about,
                operator.path("gpuCluster", "deployCR"),
                edits=set_to(False, safe=False),
            )
    for each in inputs.of_kind("GPUCluster"):
        if starts_with(each.api_version, "nvidia.com/").is_yes:
            known = [operator for operator in operators(inputs) if operator.version]
            message = f"a GPUCluster is deployed{_GPU_CLUSTER}"
            yield Violation(Severity.ERROR if any(map(_is_broken, known)) else Severity.WARNING, message, each, ("kind",))


_GPU_CLUSTER = ". The operator's DRA driver ignores hostPaths and looks for the driver at /. On Talos every pod with a claim fails"


def _is_broken(operator: Operator) -> bool:
    return f"v{operator.version}" == _GPU_CLUSTER_BROKEN


_DRA = dra_release() + "    nvidiaDriverRoot: /usr/local\n    gpuResourcesEnabledOverride: true\n---\n"


@Rule(
    id="TG034",
    claim="A GPU is served by the DRA driver or by a device plugin, not by both",
    symptom="CUDA out of memory in two pods with a whole GPU each, one by a claim and one by nvidia.com/gpu",
    fix="Set devicePlugin.enabled: false in the operator's values, or remove the standalone device plugin, or "
    "give it and the DRA driver node selectors that never match the same node",
    source="https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu/blob/main/deployments/helm/dra-driver-nvidia-gpu/templates/validation.yaml",
    severity=Severity.WARNING,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_DRA + plugin_release(), talos="1.13"),
    passing=Example(_DRA + plugin_release(nodes="{kubernetes.io/hostname: gpu-2}"), talos="1.13"),
)
def _beside_a_plugin(inputs: Inputs) -> Iterator[Violation]:
    for driver in dra_drivers(inputs):
        if not serves_gpus(driver):
            continue
        plugin = next((each for each in device_plugins(inputs) if are_apart(driver.spec, each.spec).is_no), None)
        if plugin is not None:
            yield _both(
                driver,
                f"the device plugin of {plugin.about.label}",
                f"Remove {plugin.about.label}, or give the device plugin and the DRA driver node selectors that never match the same node",
            )
        for operator in operators(inputs):
            if operator.is_on("devicePlugin", "enabled").is_yes:
                yield _both(
                    driver,
                    "the operator's device plugin (devicePlugin.enabled)",
                    "Set devicePlugin.enabled: false in the operator's values",
                )


def _both(driver: Agent, other: str, fix: str) -> Violation:
    message = f"the DRA driver and {other} may serve the same node. The two count GPUs separately, and can give one GPU to two pods"
    path = (*driver.release.values_path, "resources", "gpus", "enabled") if driver.release else driver.base
    return Violation(Severity.WARNING, message, driver.about, path, fix=fix)
