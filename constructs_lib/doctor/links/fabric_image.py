"""Machines with NVSwitch whose image has no fabric manager."""

from __future__ import annotations

from collections.abc import Iterator

from ...upstream.talos.extension_names import FABRIC_MANAGER
from ...upstream.talos.node_services import NVSWITCH_PROBE, NVSWITCH_PRODUCT
from ..evidence import Evidence
from ..fault import Fault
from ..gpu_node import GpuNode
from ..node_commands import EXTENSIONS, new_image
from ..nvidia_extensions import nvidia_extensions


def fabric_manager_missing(node: GpuNode) -> Iterator[Fault]:
    """The fault of an image without fabric manager on a machine with an NVSwitch."""
    switch = _nvswitch(node)
    extensions = nvidia_extensions(node)
    if switch is None or not node.has_all_extensions or any(each.kind == FABRIC_MANAGER for each in extensions):
        return
    modules = next(each for each in extensions if each.flavour)
    yield Fault(
        name="fabric-manager-missing",
        cause=f"The machine has NVSwitches, and its image has no {FABRIC_MANAGER}{f'-{modules.track}' if modules.track else ''}",
        evidence=(switch, modules.evidence),
        consequence="Nothing starts the NVSwitches, so CUDA fails on every card: CUDA_ERROR_SYSTEM_NOT_READY (802)",
        fix=new_image(node, fabric_manager=True),
        verify=EXTENSIONS,
        source="https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide; NVIDIA/gpu-operator#2781",
        rules=("TG078",),
    )


def _nvswitch(node: GpuNode) -> Evidence | None:
    """The line that shows an NVSwitch: a PCI device, or the words of the driver."""
    machine = node.machine
    if machine is None:
        return None
    device = next((each for each in (machine.pci or {}).values() if NVSWITCH_PRODUCT in each.value), None)
    if device is not None:
        return device.evidence
    log = machine.kernel_log
    line = next(((number, text) for number, text in log.kept if NVSWITCH_PROBE in text), None) if log else None
    return Evidence(text=line[1], source=f"{log.source}:{line[0]}") if log and line else None
