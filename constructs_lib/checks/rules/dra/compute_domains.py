"""ComputeDomains, by which pods on several machines share memory over NVLink: their driver, and the nodes of their `numNodes`."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.agents.agents import DRA, Agent, dra_drivers, hidden_kinds, may_run
from ....observed.agents.operators import may_run_operator, operators
from ....observed.model import (
    ChartRelease,
    Inputs,
    KubernetesObject,
    Path,
    is_open,
    is_unknown,
    known_items,
    known_str,
)
from ....observed.pods.pod_counts import whole_number
from ....upstream.nvidia.dra_driver_gates import gates_on
from ...rule import Example, Rule, Severity, Violation, Witness
from .._causes import INSTALLER
from .._shared import dra_release
from .driver import serves

_VALUE = ("resources", "computeDomains", "enabled")
_GATE = "IMEXDaemonsWithDNSNames"
_DRIVER = dra_release("0.5.0") + "    nvidiaDriverRoot: /usr/local\n    gpuResourcesEnabledOverride: true\n"
_DOMAIN = """\
---
apiVersion: resource.nvidia.com/v1beta1
kind: ComputeDomain
metadata: {name: training, namespace: ai}
spec:
  numNodes: 0
  channel: {resourceClaimTemplate: {name: training-channel}}
"""


@Rule(
    id="TG159",
    claim="A ComputeDomain has a DRA driver that serves it, and enough nodes for its numNodes",
    symptom='FailedResourceClaimCreation: PodResourceClaim compute-domain-channel: resource claim template "training-channel": '
    'resourceclaimtemplate.resource.k8s.io "training-channel" not found',
    fix="Set resources.computeDomains.enabled: true in the values of the chart dra-driver-nvidia-gpu",
    source="kubernetes-sigs/dra-driver-nvidia-gpu deployments/helm/dra-driver-nvidia-gpu/templates/controller.yaml",
    severity=Severity.ERROR,
    shown_by=Witness.PROGRAM,
    failing=Example(_DRIVER + "    resources: {computeDomains: {enabled: false}}\n" + _DOMAIN, talos="1.13"),
    passing=Example(_DRIVER + _DOMAIN, talos="1.13"),
    causes=(INSTALLER,),
)
def _compute_domains(inputs: Inputs) -> Iterator[Violation]:
    domains = inputs.of_kind("ComputeDomain")
    if not domains:
        return
    drivers = dra_drivers(inputs)
    others = any(not each.is_on("gpuCluster", "deployCR").is_no for each in operators(inputs)) or (
        may_run_operator(inputs) and not operators(inputs)
    )
    for each in domains:
        if not drivers and not others and not may_run(inputs, DRA):
            message = f"nothing {inputs.here} runs NVIDIA's DRA driver, whose controller makes the ResourceClaimTemplate of the channel. The pods stay Pending"
            fix = "Install the chart dra-driver-nvidia-gpu with resources.computeDomains.enabled: true, its default"
            yield Violation(Severity.WARNING, message, each, ("kind",), fix=fix)
        elif drivers and not others and all(serves(driver, "computeDomains").is_no for driver in drivers):
            message = (
                "the DRA driver serves no ComputeDomains: resources.computeDomains.enabled is false. No controller makes the ResourceClaimTemplate "
                "of the channel, and the pods stay Pending"
            )
            severity = Severity.WARNING if DRA in hidden_kinds(inputs) else Severity.ERROR
            related = tuple((driver.about, _path(driver)) for driver in drivers)
            yield Violation(severity, message, each, ("kind",), related=related)
        number, count = whole_number(each.at("spec", "numNodes")), _nodes(inputs)
        if number is not None and count is not None and number > count:
            yield _too_many(inputs, each, number, count)


def _path(driver: Agent) -> Path:
    return driver.base if driver.release is None else (*driver.release.values_path, *_VALUE)


def _nodes(inputs: Inputs) -> int | None:
    """The number of described GPU nodes; None where no class, or the number of one, is known."""
    counts = [nodes.count for nodes in inputs.all_nodes if nodes.passthrough is None]
    return sum(each or 0 for each in counts) if counts and None not in counts else None


def _too_many(inputs: Inputs, domain: KubernetesObject, number: int, count: int) -> Violation:
    releases = [driver.release for driver in dra_drivers(inputs) if driver.release]
    held = bool(releases) and all(_is_without_names(release) for release in releases)
    effect = (
        f"the feature gate {_GATE} is off, so the pods stay in ContainerCreating until {number} nodes have joined"
        if held
        else "the ComputeDomain never becomes Ready"
    )
    message = f"numNodes is {number}, but {count} GPU nodes are described: {effect}"
    wanted = f"{count} or fewer" if held else "0, the default, by which each daemon starts by itself"
    fix = f"Delete the ComputeDomain, whose spec is immutable, and create it again with numNodes: {wanted}"
    return Violation(Severity.ERROR if held else Severity.WARNING, message, domain, ("spec", "numNodes"), fix=fix)


def _is_without_names(release: ChartRelease) -> bool:
    written = release.value("featureGates")
    gates = {key: known_str(value) for key, value in known_items(written)}
    if is_unknown(written) or is_open(written) or None in gates.values():
        return False
    return _GATE not in gates_on({key: value == "true" for key, value in gates.items()})
