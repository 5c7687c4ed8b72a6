"""The link `driver` of a GPU node: the loaded driver runs the card."""

from __future__ import annotations

from collections.abc import Iterator

from ...arguments.commands import command, comment
from ...observed.model.evidence import Evidence
from ...upstream.talos.node_services import RECOVERY_FIELD, REMAP_FAILURE_FIELD, URGENT_RECOVERIES
from ..fault import Fault
from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode
from ..link import Broken, Healthy, NotSeen, State
from ..node_commands import DRIVER_VERSION, EXTENSIONS, KERNEL_LOG, REBOOT, SMI, new_image
from ..node_proofs import offer
from ..nvidia_extensions import nvidia_extensions
from .kernel_faults import kernel_faults, recovery_fault


def driver(cluster: GpuCluster, node: GpuNode) -> State:
    """The state of the link on a node."""
    faults = (*kernel_faults(cluster, node), *_card_faults(node), *_other_version(node))
    if faults:
        return Broken(faults=faults)
    proof = _proof(cluster, node)
    return Healthy(evidence=proof) if proof else NotSeen(command=KERNEL_LOG)


def _proof(cluster: GpuCluster, node: GpuNode) -> Evidence | None:
    """The line that shows that the driver runs the card. A loaded driver whose log was not read may have failed to
    start the card."""
    machine = node.machine
    proof = offer(cluster, node)
    if proof is not None or machine is None:
        return proof
    if machine.smi:
        return next(iter(machine.smi.values())).evidence
    return machine.driver_version.evidence if machine.driver_version and machine.kernel_log else None


def _card_faults(node: GpuNode) -> Iterator[Fault]:
    """The faults that nvidia-smi tells of a card."""
    fields = node.machine.smi if node.machine and node.machine.smi else {}
    for name, value in fields.items():
        if name.endswith(REMAP_FAILURE_FIELD) and value.value == "Yes":
            yield Fault(
                name="memory-beyond-repair",
                cause="The memory of a card can't be repaired any more: the remapping of a row has failed",
                evidence=(value.evidence,),
                consequence="The next memory error can end every program on the card",
                fix=command("# have the card replaced; until then keep pods away from the node\nkubectl cordon NODE"),
                verify=SMI,
                source="https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/",
                is_hardware=True,
            )
            return
    for name, value in fields.items():
        if name.endswith(RECOVERY_FIELD) and value.value in URGENT_RECOVERIES:
            yield recovery_fault(value)
            return


def _other_version(node: GpuNode) -> Iterator[Fault]:
    loaded = node.machine.driver_version if node.machine else None
    extension = next((each for each in nvidia_extensions(node) if each.flavour and each.driver), None)
    if loaded is None or extension is None or loaded.value == extension.driver:
        return
    yield Fault(
        name="driver-of-another-image",
        cause=f"The loaded driver is {loaded.value}, and {extension.name} of the image brings {extension.driver}",
        evidence=(loaded.evidence, extension.evidence),
        consequence='Libraries and kernel modules have different versions: "Failed to initialize NVML: Driver/library version mismatch"',
        fix=REBOOT.followed_by(comment("if the versions still differ, the image has modules of its own:")).followed_by(
            new_image(node).commented()
        ),
        verify=DRIVER_VERSION.followed_by(EXTENSIONS),
        source="NVIDIA/k8s-device-plugin#1431; siderolabs/extensions nvidia-gpu",
        rules=("TG080",),
    )
