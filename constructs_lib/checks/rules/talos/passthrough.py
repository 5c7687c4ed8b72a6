"""Nodes that hand NVIDIA's cards to virtual machines, and KubeVirt's virtual machines that ask for a GPU."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....arguments.patterns import pattern
from ....observed.agents.operators import Operator, operators
from ....observed.model import (
    Answer,
    Inputs,
    KubernetesObject,
    NodeConfig,
    Path,
    at,
    equals,
    is_among,
    is_given,
    is_open,
    known_list,
    known_str,
    mappings,
    starts_with,
)
from ....observed.nodes.node_extensions import modules
from ....upstream.nvidia.gpu_resources import GPU_RESOURCE
from ....upstream.nvidia.virtual_machines import (
    NVIDIA_VENDOR,
    PASSTHROUGH_WORKLOAD,
    PERMITTED_DEVICES,
    REBIND_DRIVER,
    REBIND_KIND,
    VFIO_PCI,
    VGPU_WORKLOAD,
    WORKLOAD_LABEL,
)
from ...rule import Example, Rule, Severity, Violation, Witness
from .._shared import MODULES, OPEN, each_node, once, operator_release, schematic, talconfig

_IDS = pattern(rf"ids=(?:\S+,)?{NVIDIA_VENDOR}:", re.IGNORECASE)
_ARGUMENT = pattern(rf"vfio[-_]pci\.ids=(?:\S+,)?{NVIDIA_VENDOR}:", re.IGNORECASE)

_IMAGE = schematic(*OPEN)
_VFIO = MODULES.replace("]", ", {name: vfio_pci, parameters: ['ids=10de:2684,10de:22ba']}]")
# Two kinds of cards in one node: Talos hands the card at one address over after the modules are loaded.
_REBOUND = """\
    patches:
      - |
        apiVersion: v1alpha1
        kind: PCIDriverRebindConfig
        name: "0000:04:00.0"
        targetDriver: vfio-pci
"""


@Rule(
    id="TG109",
    claim="A node that loads NVIDIA's modules does not bind NVIDIA's cards to vfio_pci by their ids",
    symptom="device not bound to 'vfio-pci'; device: 0000:18:00.0 driver: 'nvidia'; NVIDIA GPU driver is already "
    "pre-installed on the node; nvidia-sandbox-validator is in CrashLoopBackOff",
    fix="For virtual machines, remove NVIDIA's modules and extensions from the node. If one card is for "
    "containers and one for virtual machines, remove the ids, and hand the second card over by its address: "
    '{apiVersion: v1alpha1, kind: PCIDriverRebindConfig, name: "0000:04:00.0", targetDriver: vfio-pci}',
    source="cozystack/cozystack#2763; siderolabs/talos internal/app/machined/pkg/controllers/hardware/pci_driver_rebind.go",
    severity=Severity.WARNING,
    shown_by=Witness.CARD,
    failing=Example(talconfig(_IMAGE + _VFIO)),
    passing=Example(talconfig(_IMAGE + MODULES.replace("]", ", {name: vfio_pci}]") + _REBOUND)),
)
@each_node
def _both(config: NodeConfig, inputs: Inputs) -> Iterator[Violation]:
    if "nvidia" not in modules(config) or _is_rebound(config):
        return
    bound = next(_bound(config), None)
    if bound:
        setting, path = bound
        message = (
            f"{config.name} loads nvidia, and has {setting}. The module that loads first takes the cards. If nvidia loads "
            f"first, virtual machines get no card; if {VFIO_PCI} loads first, containers get no card with these ids"
        )
        yield Violation(Severity.WARNING, message, config, path)
    if equals(at(config.labels, WORKLOAD_LABEL), PASSTHROUGH_WORKLOAD).is_yes and any(
        _hands_over(each).is_yes for each in operators(inputs)
    ):
        message = (
            f"{config.name} loads nvidia, and has the label {WORKLOAD_LABEL}={PASSTHROUGH_WORKLOAD}. The operator's vfio-manager finds the driver "
            "('NVIDIA GPU driver is already pre-installed on the node') and does not bind the cards to vfio-pci. nvidia-sandbox-validator fails"
        )
        fix = f"For virtual machines, remove NVIDIA's modules and extensions from the node. For containers, set {WORKLOAD_LABEL}: container"
        yield Violation(Severity.WARNING, message, config, (*config.paths.get("labels", ()), WORKLOAD_LABEL), fix=fix)


_LABELED = "    nodeLabels: {nvidia.com/gpu.workload.config: %s}\n---\n" + operator_release()


@Rule(
    id="TG114",
    claim="The GPU operator reads the label by which a node hands its cards to virtual machines",
    symptom="no resource such as nvidia.com/AD102_GEFORCE_RTX_4090 on the node; no nvidia-vfio-manager and no "
    "nvidia-sandbox-device-plugin runs",
    fix="Set sandboxWorkloads: {enabled: true} in the values of the GPU operator, or remove the label",
    source="NVIDIA/gpu-operator controllers/state_manager.go; "
    "https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-operator-kubevirt.html",
    severity=Severity.WARNING,
    shown_by=Witness.PROGRAM,
    failing=Example(talconfig(_LABELED % PASSTHROUGH_WORKLOAD)),
    passing=Example(talconfig(_LABELED % "container")),
)
@once
def _ignored_label(inputs: Inputs) -> Iterator[Violation]:
    found = operators(inputs)
    if not found or not all(_hands_over(each).is_no for each in found):
        return
    for config in inputs.node_configs:
        value = at(config.labels, WORKLOAD_LABEL)
        if is_among(value, (PASSTHROUGH_WORKLOAD, VGPU_WORKLOAD)).is_yes:
            message = (
                f"{config.name} has the label {WORKLOAD_LABEL}={value}, but sandboxWorkloads.enabled of the GPU operator ({found[0].about.label}) is "
                "false. The operator ignores the label, prepares the node for containers, and hands no card to virtual machines"
            )
            yield Violation(Severity.WARNING, message, config, (*config.paths.get("labels", ()), WORKLOAD_LABEL))


def _hands_over(operator: Operator) -> Answer:
    return operator.is_on("sandboxWorkloads", "enabled")


def _is_rebound(config: NodeConfig) -> bool:
    """Whether Talos gives a card, or may, to virtual machines after the modules are loaded."""
    return any(
        known_str(at(document, "kind")) == REBIND_KIND and not equals(at(document, "targetDriver"), REBIND_DRIVER).is_no
        for _, document in config.documents
    )


def _bound(config: NodeConfig) -> Iterator[tuple[str, Path]]:
    """The settings that bind NVIDIA's cards to vfio_pci: the module's parameters, and kernel arguments."""
    for path, module in _modules(config):
        if (known_str(at(module, "name")) or "").replace("-", "_") == VFIO_PCI:
            for number, parameter in enumerate(known_list(at(module, "parameters"))):
                if isinstance(parameter, str) and _IDS.match(parameter):
                    yield f"{VFIO_PCI} with {parameter}", (*path, "parameters", number)
    for argument in config.kernel_args or _installed_args(config):
        if isinstance(argument, str) and _ARGUMENT.match(argument):
            yield f"the kernel argument {argument}", config.paths["kernel_modules"]


def _modules(config: NodeConfig) -> Iterator[tuple[Path, object]]:
    for index, document in config.documents:
        if known_str(at(document, "kind")) == "KernelModuleConfig":
            yield ("documents", index), document
        elif "kind" not in document:
            for number, module in mappings(at(document, "machine", "kernel", "modules")):
                yield ("documents", index, "machine", "kernel", "modules", number), module


def _installed_args(config: NodeConfig) -> list[object]:
    """The kernel arguments of `machine.install`, also where the image's own arguments are not known."""
    return [
        each
        for _, document in config.documents
        if "kind" not in document
        for each in known_list(at(document, "machine", "install", "extraKernelArgs"))
    ]


_VENDOR = f"{GPU_RESOURCE.partition('/')[0]}/"
_PERMITTED: Path = ("spec", "configuration", "permittedHostDevices")
_GROUPS = ("kubevirt.io/", "pool.kubevirt.io/")
_MACHINE_SPECS: dict[str, Path] = {
    "VirtualMachine": ("spec", "template", "spec"),
    "VirtualMachineInstance": ("spec",),
    "VirtualMachineInstanceReplicaSet": ("spec", "template", "spec"),
    "VirtualMachinePool": ("spec", "virtualMachineTemplate", "spec", "template", "spec"),
}

_KUBEVIRT = """\
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {name: kubevirt, namespace: kubevirt}
spec:
  configuration:
    permittedHostDevices:
      pciHostDevices: [{pciVendorSelector: "10DE:2684", resourceName: nvidia.com/AD102_GEFORCE_RTX_4090, externalResourceProvider: true}]
"""
_MACHINE = """\
---
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: games, namespace: vms}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        devices:
          gpus: [%s]
        memory: {guest: 16Gi}
"""


@Rule(
    id="TG113",
    claim="KubeVirt permits the GPUs that virtual machines ask for",
    symptom="failed to render launch manifest: GPU nvidia.com/AD102_GEFORCE_RTX_4090 is not permitted in "
    "permittedHostDevices configuration",
    fix="Correct deviceName, or add the device, with its ids, to "
    "spec.configuration.permittedHostDevices.pciHostDevices of the KubeVirt object: {pciVendorSelector: "
    '"10DE:2684", resourceName: NAME, externalResourceProvider: true}, with NAME as kubectl describe node shows it',
    source="kubevirt/kubevirt pkg/virt-controller/services/renderresources.go; kubevirt/kubevirt#4950",
    severity=Severity.ERROR,
    shown_by=Witness.PROGRAM,
    failing=Example(_KUBEVIRT + _MACHINE % "{name: gpu1, deviceName: nvidia.com/gpu}"),
    # A machine with a resource claim: the DRA driver hands the card over, and KubeVirt checks no name.
    passing=Example(_KUBEVIRT + _MACHINE % "{name: gpu1, claimName: gpu, requestName: gpu}"),
)
def _not_permitted(inputs: Inputs) -> Iterator[Violation]:
    permitted = _permitted(inputs)
    if permitted is None:
        return
    for machine in inputs.of_kind(*_MACHINE_SPECS):
        for path, name, kind in _devices(machine):
            if name.startswith(_VENDOR) and is_among(name, permitted).is_no:
                listed = ", ".join(f"{each}" for each in permitted) or "no device"
                message = (
                    f"the virtual machine asks for {name}, but KubeVirt permits {listed}. The machine stays Pending: '{kind} {name} is not "
                    "permitted in permittedHostDevices configuration'"
                )
                related = tuple((each, _PERMITTED) for each in inputs.of_kind("KubeVirt"))
                yield Violation(Severity.ERROR, message, machine, path, related=related)


def _permitted(inputs: Inputs) -> list[object] | None:
    """The resource names that KubeVirt permits. None if KubeVirt checks none, or if they can't be read."""
    configurations = [each.at(*_PERMITTED) for each in inputs.of_kind("KubeVirt")]
    if not configurations or inputs.of_kind("HyperConverged") or inputs.may_hide("KubeVirt", "HyperConverged"):
        return None
    lists = [at(each, key) for each in configurations for key in PERMITTED_DEVICES]
    if any(not is_given(each) or is_open(each) for each in configurations) or any(is_open(each) for each in lists):
        return None
    return [at(device, "resourceName") for each in lists for _, device in mappings(each)]


def _devices(machine: KubernetesObject) -> Iterator[tuple[Path, str, str]]:
    """The devices that a virtual machine asks for by name, and not by a resource claim, each with KubeVirt's word for
    its kind."""
    if not starts_with(machine.api_version, *_GROUPS).is_yes:
        return
    devices = (*_MACHINE_SPECS[machine.kind], "domain", "devices")
    for key, kind in (("gpus", "GPU"), ("hostDevices", "HostDevice")):
        for number, device in mappings(machine.at(*devices, key)):
            name = known_str(at(device, "deviceName"))
            if name and at(device, "claimName") is None:
                yield (*devices, key, number, "deviceName"), name, kind
