"""What NVIDIA's DRA driver publishes, by the values of its chart: DeviceClasses, and a ResourceSlice for each node that it runs on.

https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu/tree/v0.5.0/cmd/gpu-kubelet-plugin
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from machines import Card, Machine
from selection import selected, tolerated

from talos_gpu_rehearsal import mig_profiles
from talos_gpu_rehearsal.cards import PRESETS

if TYPE_CHECKING:
    from agents import Release
    from control_plane import ControlPlane

API = "resource.k8s.io/v1"
DRIVER = "gpu.nvidia.com"


def publish_slices(lab: ControlPlane, release: Release | None, machines: Iterable[Machine]) -> None:
    """Apply the objects of the driver; without its chart there are none."""
    if release is None:
        return
    values = release.values
    lab.apply(device_classes())
    wanted = {
        each["metadata"]["name"]: each for each in (resource_slice(machine, values) for machine in machines if _runs(lab, machine, values))
    }
    lab.apply(wanted.values())


def _runs(lab: ControlPlane, machine: Machine, values: Mapping[str, Any]) -> bool:
    node = lab.get("v1", "Node", machine.name)
    plugin = values["kubeletPlugin"]
    there = selected(node["metadata"]["labels"], plugin.get("nodeSelector", {}), plugin.get("affinity", {}))
    # Below any other root the init container finds no nvidia-smi and waits for ever.
    finds_driver = machine.loads_driver and machine.minor >= 13 and values["nvidiaDriverRoot"] == "/usr/local"
    return there and finds_driver and tolerated(node["spec"].get("taints", []), plugin["tolerations"])


def device_classes() -> list[dict[str, Any]]:
    """The DeviceClasses of the chart (templates/deviceclass-*.yaml)."""
    classes = []
    for name, kind, extended in ((DRIVER, "gpu", {"extendedResourceName": "nvidia.com/gpu"}), ("mig.nvidia.com", "mig", {})):
        expression = f"device.driver == '{DRIVER}' && device.attributes['{DRIVER}'].type == '{kind}'"
        spec = {"selectors": [{"cel": {"expression": expression}}], **extended}
        classes.append({"apiVersion": API, "kind": "DeviceClass", "metadata": {"name": name}, "spec": spec})
    return classes


def resource_slice(machine: Machine, values: Mapping[str, Any]) -> dict[str, Any]:
    """The pool of a node with its cards; in the place of a card with MIG partitions stand the partitions (nvlib.go)."""
    shares = values.get("consumableShares", "") if values.get("featureGates", {}).get("ConsumableShares") else ""
    devices = [device for index, card in enumerate(machine.cards) for device in _devices(index, card, machine, shares)]
    pool = {"name": machine.name, "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": DRIVER, "nodeName": machine.name, "pool": pool, "devices": devices}
    return {"apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": f"{machine.name}-{DRIVER}"}, "spec": spec}


def _devices(index: int, card: Card, machine: Machine, shares: str) -> list[dict[str, Any]]:
    whole = _device(index, card, machine, shares)
    if not card.partitions:
        return [whole]
    profiles = next(preset.profiles for preset in PRESETS if preset.name == card.product)
    instances = sorted(mig_profiles.place(profiles, card.partitions), key=lambda instance: instance.start)
    return [_partition(index, instance, whole["attributes"]) for instance in instances]


def _partition(index: int, instance: mig_profiles.Instance, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """A MIG partition, with the name and the memory that tests/node/test_dra_on_a_node.py sees of NVIDIA's driver."""
    profile, parent = instance.profile, attributes["uuid"]
    name = f"gpu-{index}-mig-{profile.name.replace('.', '')}-{profile.id}-{instance.start}"
    own = {
        "type": {"string": "mig"},
        "profile": {"string": profile.name},
        "parentUUID": parent,
        "uuid": {"string": f"MIG-{parent['string']}-{name}"},
    }
    slices = {f"memorySlice{number}": {"value": "1"} for number in range(instance.start, instance.start + profile.size)}
    return {"name": name, "attributes": {**attributes, **own}, "capacity": {"memory": {"value": f"{profile.memory_mib}Mi"}, **slices}}


def _device(index: int, card: Card, machine: Machine, shares: str) -> dict[str, Any]:
    attributes = {
        "type": {"string": "gpu"},
        "uuid": {"string": f"GPU-{machine.name}-{index}"},
        "productName": {"string": card.product},
        "brand": {"string": next((each for each in ("GeForce", "Tesla") if each in card.product), "Nvidia")},
        "architecture": {"string": "Ada Lovelace"},
        "cudaComputeCapability": {"version": "8.9.0"},
        "driverVersion": {"version": "580.126.16"},
        "cudaDriverVersion": {"version": "13.0.0"},
        "resource.kubernetes.io/pciBusID": {"string": f"0000:{index + 1:02x}:00.0"},
    }
    memory = f"{card.memory}Mi"
    device: dict[str, Any] = {"name": f"gpu-{index}", "attributes": attributes, "capacity": {"memory": {"value": memory}}}
    if not shares:
        return device
    lowest, default = {"memory": ("1Mi", memory)}.get(shares, ("0", "0"))
    device["capacity"]["memory"]["requestPolicy"] = {"default": default, "validRange": {"min": lowest, "max": memory, "step": "1Mi"}}
    if shares.isdecimal():
        policy = {"default": "1", "validRange": {"min": "1", "max": shares, "step": "1"}}
        device["capacity"]["shares"] = {"value": shares, "requestPolicy": policy}
    return device | {"allowMultipleAllocations": True}
