"""Conflicts of the DRA driver with device plugins, and the operator's own DRA driver."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.agents.agents import Agent, device_plugins, dra_drivers
from ....observed.agents.operators import Operator, operators
from ....observed.model import Inputs, starts_with
from ....observed.placement.selection import are_apart
from ...edit import set_to
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._charts import OPERATOR, dra_release, plugin_release
from .setup import serves_gpus

# The release of the operator whose GPUCluster was read and tried on Talos.
_GPU_CLUSTER_BROKEN = "v26.7.0"


def _gpu_cluster(inputs: Inputs) -> Iterator[Violation]:
    for operator in operators(inputs):
        if operator.is_on("gpuCluster", "deployCR").is_yes:
            both = operator.release is not None and operator.is_on("clusterPolicy", "deployCR").is_yes
            effect = ", and clusterPolicy.deployCR is true: the chart refuses to render" if both else _GPU_CLUSTER
            yield Violation(
                severity=Severity.ERROR if both or _is_broken(operator) else Severity.WARNING,
                message=f"gpuCluster.deployCR is true{effect}",
                about=operator.about,
                path=operator.path("gpuCluster", "deployCR"),
                edits=set_to(False, safe=False),
            )
    for each in inputs.of_kind("GPUCluster"):
        if starts_with(each.api_version, "nvidia.com/").is_yes:
            known = [operator for operator in operators(inputs) if operator.version]
            yield Violation(
                severity=Severity.ERROR if any(map(_is_broken, known)) else Severity.WARNING,
                message=f"a GPUCluster is deployed{_GPU_CLUSTER}",
                about=each,
                path=("kind",),
            )


_GPU_CLUSTER = ". The operator's DRA driver ignores hostPaths and looks for the driver at /. On Talos every pod with a claim fails"


def _is_broken(operator: Operator) -> bool:
    return f"v{operator.version}" == _GPU_CLUSTER_BROKEN


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
    return Violation(
        severity=Severity.WARNING,
        message=f"the DRA driver and {other} may serve the same node. The two count GPUs separately, and can give one GPU to two pods",
        about=driver.about,
        path=(*driver.release.values_path, "resources", "gpus", "enabled") if driver.release else driver.base,
        fix=fix,
    )


_DRA = dra_release() + "    nvidiaDriverRoot: /usr/local\n    gpuResourcesEnabledOverride: true\n---\n"

RULES = (
    Rule(
        id="TG033",
        claim="The operator does not run its own DRA driver on Talos",
        symptom="/bin/nvidia-cuda-mps-control: no such file or directory, in every pod with a claim; no ResourceSlice of gpu.nvidia.com",
        fix="Set gpuCluster.deployCR: false, and install the chart dra-driver-nvidia-gpu with nvidiaDriverRoot: /usr/local",
        source="https://github.com/nicolerenee/infra/pull/2394; NVIDIA/gpu-operator manifests/state-dra-driver/0500_daemonset.yaml",
        severity=Severity.ERROR,
        shown_by=Witness.CARD,
        check=_gpu_cluster,
        failing=Example(
            chart="gpu-operator@v26.7.0",
            talos="1.13",
            yaml=f"{OPERATOR}gpuCluster: {{deployCR: true}}\nclusterPolicy: {{deployCR: false}}\n",
        ),
        passing=Example(chart="gpu-operator@v26.7.0", talos="1.13", yaml=f"{OPERATOR}devicePlugin: {{enabled: false}}\n"),
    ),
    Rule(
        id="TG034",
        claim="A GPU is served by the DRA driver or by a device plugin, not by both",
        symptom="CUDA out of memory in two pods with a whole GPU each, one by a claim and one by nvidia.com/gpu",
        fix="Set devicePlugin.enabled: false in the operator's values, or remove the standalone device plugin, or "
        "give it and the DRA driver node selectors that never match the same node",
        source="https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu/blob/main/deployments/helm/dra-driver-nvidia-gpu/templates/validation.yaml",
        severity=Severity.WARNING,
        shown_by=Witness.CONTROL_PLANE,
        check=_beside_a_plugin,
        failing=Example(talos="1.13", yaml=_DRA + plugin_release()),
        passing=Example(talos="1.13", yaml=_DRA + plugin_release(nodes="{kubernetes.io/hostname: gpu-2}")),
    ),
)
