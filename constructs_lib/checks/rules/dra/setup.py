"""NVIDIA's DRA driver: its driver root on Talos, the Kubernetes version that it needs, and the values that its chart refuses."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.agents.agents import Agent, dra_drivers, driver_root, is_staged
from ....observed.model import Inputs, at, equals, mappings
from ....observed.nodes.gpu_node_configs import gpu_nodes_run_talos
from ....observed.objects.helm_values import is_on
from ....observed.objects.kubernetes_minor import has_dra_gate, minor_of
from ....upstream.kubernetes.api import DRA_SINCE
from ....upstream.talos.features import DRIVER_ROOT, LEGACY_LAYOUT, LEGACY_ROOT
from ...edit import set_to
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._charts import dra_release


def _driver_root(inputs: Inputs) -> Iterator[Violation]:
    for driver in dra_drivers(inputs):
        talos = inputs.talos_version
        sure = Severity.ERROR if talos and gpu_nodes_run_talos(inputs) else Severity.WARNING
        root = driver_root(driver)
        path = (*driver.release.values_path, "nvidiaDriverRoot") if driver.release else driver.base
        if talos is not None and talos.minor in LEGACY_LAYOUT:
            yield Violation(
                severity=Severity.WARNING if is_staged(root) else sure,
                message=f"the DRA driver can't run on Talos {talos}: its CDI specs name folders in which this Talos has no libraries (before 1.13 the "
                f"libraries are under {LEGACY_ROOT})",
                about=driver.about,
                fix="Use a device plugin, or upgrade to Talos 1.13",
            )
        elif isinstance(root, str) and root.rstrip("/") != DRIVER_ROOT:
            yield Violation(
                severity=sure,
                message=f"nvidiaDriverRoot is {root}, but Talos has the driver below {DRIVER_ROOT}. The init container waits for nvidia-smi forever",
                about=driver.about,
                path=path,
                edits=set_to(DRIVER_ROOT) if driver.release else (),
            )
        minor = minor_of(inputs.kubernetes_version)
        if minor is not None and minor < DRA_SINCE and not has_dra_gate(inputs):
            yield Violation(
                severity=Severity.WARNING,
                message=f"DynamicResourceAllocation is off by default in Kubernetes {inputs.kubernetes_version}. No claim is served unless every component has "
                "the feature gates and the runtime-config",
                about=driver.about,
                fix=f"Upgrade to Kubernetes 1.{DRA_SINCE} or newer",
            )


def serves_gpus(driver: Agent) -> bool:
    """Whether a DRA driver surely serves GPUs, and not only compute domains of several nodes."""
    if not driver.release:
        return any(equals(at(container, "name"), "gpus").is_yes for _, container in mappings(at(driver.spec, "containers")))
    written = driver.release.value("resources", "gpus", "enabled")
    return written is None or is_on(written).is_yes


def _override(inputs: Inputs) -> Iterator[Violation]:
    for driver in dra_drivers(inputs):
        release = driver.release
        override = release.value("gpuResourcesEnabledOverride") if release else None
        if release and serves_gpus(driver) and (override is None or override is False):
            yield Violation(
                severity=Severity.ERROR,
                message="resources.gpus.enabled is true, but gpuResourcesEnabledOverride is not: the chart refuses to render",
                about=driver.about,
                path=(*release.values_path, "gpuResourcesEnabledOverride"),
                edits=set_to(True, safe=False),
            )


_ROOT, _OVERRIDE = "    nvidiaDriverRoot: /usr/local\n", "    gpuResourcesEnabledOverride: true\n"
_RIGHT = dra_release() + _ROOT + _OVERRIDE


RULES = (
    Rule(
        id="TG031",
        claim="The DRA driver looks for the driver where Talos has it",
        symptom="nvidia-smi: not found, repeated in the init container of dra-driver-nvidia-gpu-kubelet-plugin",
        fix="Set nvidiaDriverRoot: /usr/local",
        source="kubernetes-sigs/dra-driver-nvidia-gpu#605; "
        "https://docs.siderolabs.com/kubernetes-guides/advanced-guides/dynamic-resource-allocation",
        severity=Severity.ERROR,
        shown_by=Witness.PROGRAM,
        check=_driver_root,
        failing=Example(talos="1.13", yaml=dra_release() + _OVERRIDE),
        passing=Example(talos="1.13", yaml=_RIGHT),
    ),
    Rule(
        id="TG032",
        claim="A DRA chart that serves GPUs sets gpuResourcesEnabledOverride",
        symptom="When 'resources.gpus.enabled=true' this DRA driver cannot be deployed alongside the standard GPU "
        "device plugin on the same node",
        fix="Set gpuResourcesEnabledOverride: true, if no device plugin serves the same nodes",
        source="kubernetes-sigs/dra-driver-nvidia-gpu deployments/helm/dra-driver-nvidia-gpu/templates/validation.yaml",
        severity=Severity.ERROR,
        shown_by=Witness.SERVICE,
        check=_override,
        failing=Example(talos="1.13", yaml=dra_release() + _ROOT),
        passing=Example(talos="1.13", yaml=f"{dra_release()}{_ROOT}    resources: {{gpus: {{enabled: false}}}}\n"),
    ),
)
