"""KubeVirt's virtual machines that ask for a GPU."""

from __future__ import annotations

from collections.abc import Iterator

from ...observed.model import Inputs, KubernetesObject, Path, at, is_among, is_given, is_open, known_str, mappings, starts_with
from ...upstream.nvidia.gpu_resources import GPU_RESOURCE
from ...upstream.nvidia.virtual_machines import PERMITTED_DEVICES
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS

_VENDOR = f"{GPU_RESOURCE.partition('/')[0]}/"
_GROUPS = ("kubevirt.io/", "pool.kubevirt.io/")
_MACHINE_SPECS: dict[str, Path] = {
    "VirtualMachine": ("spec", "template", "spec"),
    "VirtualMachineInstance": ("spec",),
    "VirtualMachineInstanceReplicaSet": ("spec", "template", "spec"),
    "VirtualMachinePool": ("spec", "virtualMachineTemplate", "spec", "template", "spec"),
}


def _not_permitted(inputs: Inputs) -> Iterator[Violation]:
    permitted = _permitted(inputs)
    if permitted is None:
        return
    for machine in inputs.of_kind(*_MACHINE_SPECS):
        for path, name, kind in _devices(machine):
            if name.startswith(_VENDOR) and is_among(name, permitted).is_no:
                listed = ", ".join(f"{each}" for each in permitted) or "no device"
                yield Violation(
                    severity=Severity.ERROR,
                    message=f"the virtual machine asks for {name}, but KubeVirt permits {listed}. The machine stays Pending: '{kind} {name} is not "
                    "permitted in permittedHostDevices configuration'",
                    about=machine,
                    path=path,
                )


def _permitted(inputs: Inputs) -> list[object] | None:
    """The resource names that KubeVirt permits. None if KubeVirt checks none, or if they can't be read."""
    configurations = [each.at("spec", "configuration", "permittedHostDevices") for each in inputs.of_kind("KubeVirt")]
    if not configurations or inputs.of_kind("HyperConverged") or inputs.may_hide("KubeVirt", "HyperConverged"):
        return None
    lists = [at(each, key) for each in configurations for key in PERMITTED_DEVICES]
    if any(not is_given(each) or is_open(each) for each in configurations) or any(is_open(each) for each in lists):
        return None
    return [at(device, "resourceName") for each in lists for _, device in mappings(each)]


def _devices(machine: KubernetesObject) -> Iterator[tuple[Path, str, str]]:
    """The devices that a virtual machine asks for by name, and not by a resource claim, each with KubeVirt's word for its kind."""
    if not starts_with(machine.api_version, *_GROUPS).is_yes:
        return
    devices = (*_MACHINE_SPECS[machine.kind], "domain", "devices")
    for key, kind in (("gpus", "GPU"), ("hostDevices", "HostDevice")):
        for number, device in mappings(machine.at(*devices, key)):
            name = known_str(at(device, "deviceName"))
            if name and at(device, "claimName") is None:
                yield (*devices, key, number, "deviceName"), name, kind


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

RULES = (
    Rule(
        **WORDS["TG113"],
        severity=Severity.ERROR,
        check=_not_permitted,
        failing=Example(yaml=_KUBEVIRT + _MACHINE % "{name: gpu1, deviceName: nvidia.com/gpu}"),
        # A machine with a resource claim: the DRA driver hands the card over, and KubeVirt checks no name.
        passing=Example(yaml=_KUBEVIRT + _MACHINE % "{name: gpu1, claimName: gpu, requestName: gpu}"),
    ),
)
