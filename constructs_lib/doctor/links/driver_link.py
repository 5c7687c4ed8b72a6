"""The link `driver` of a GPU node: the loaded driver runs the card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...arguments.commands import command, comment
from ...arguments.patterns import pattern
from ...observed.model.evidence import Evidence, Log
from ...observed.model.talos_machine import Seen
from ...observed.pods.pod_templates import state_of
from ...symptoms.link import Link
from ...symptoms.log_search import Match
from ...upstream.nvidia.xid_errors import RECOVERY_ACTIONS, RECOVERY_CHANGE
from ...upstream.talos.node_services import RECOVERY_FIELD, REMAP_FAILURE_ELEMENT, REMAP_FAILURE_FIELD, URGENT_RECOVERIES
from ..card_state import stopped_cards
from ..fault import Broken, Fault, Healthy, NotSeen, State
from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode
from ..live_pods import LivePod
from ..node_commands import DRIVER_VERSION, EXTENSIONS, KERNEL_LOG, REBOOT, SMI, new_image
from ..node_image import nvidia_extensions
from ..node_proofs import offer
from ..symptom_faults import symptom_fault, symptom_matches

_OF_THE_START = ("bar-invalid", "power-cables", "gsp-firmware", "adapter-not-initialized")
"""The symptoms of a card that does not start. They are history where the card is on offer."""
_XIDS = ("fallen-off-the-bus", "xid-uncorrectable", "xid-reset")
_RECOVERY = "card-needs-recovery"
_STILL_OFFERED = "The node still offers its GPUs. Programs that ran at that time may have lost the GPU; a program that started later and computes shows that the card works again"
_TIME = pattern(r"\[(?P<time>\d{4}-\d\d-\d\dT[0-9:.]+Z)\]")
_MOST_PODS = 4


def kernel_faults(cluster: GpuCluster, node: GpuNode) -> Iterator[Fault]:
    """The first fault in the kernel's log; the lines behind the first reason follow from that."""
    kernel_log = node.machine.kernel_log if node.machine else None
    contained = kernel_log is not None and any(match.symptom.name == "xid-contained" for match in kernel_log.matches)
    for match, log in symptom_matches([kernel_log], Link.DRIVER):
        name = match.symptom.name
        if (name == "xid-uncorrectable" and contained) or (name == "version-mismatch" and offer(cluster, node) is not None):
            continue  # the card works on; a client of another version is a fault of its own pod
        if name == "bar-invalid" and not _is_of_card(match.text, node):
            continue  # the kernel writes the same words of other devices, such as network cards
        if name in _OF_THE_START and _offers_every_card(cluster, node):
            continue
        fault = _recovery(match, log, node) if name == _RECOVERY else symptom_fault(match, log)
        if fault is not None:
            yield _dated(fault, match, cluster, node) if name in _XIDS else fault
            return


def _is_of_card(line: str, node: GpuNode) -> bool:
    """Whether a line about PCI addresses is of NVIDIA's driver, or of a card of NVIDIA's."""
    pci = node.machine.pci if node.machine else None
    return "NVRM" in line or "nvidia" in line.lower() or any(address in line for address in pci or ())


def _offers_every_card(cluster: GpuCluster, node: GpuNode) -> bool:
    """Whether the node offers as many GPUs as the machine has cards. More GPUs than cards are shares or partitions,
    which do not tell the number of cards."""
    devices = sum(len(each.mappings("spec", "devices")) for each in cluster.slices.get(node.name, ()))
    offered = sum(node.offered.values()) or devices
    return offer(cluster, node) is not None and (len(node.cards) == 1 or offered == len(node.cards))


def _recovery(match: Match, log: Log, node: GpuNode) -> Fault | None:
    """The fault of a card for which the driver has asked for an action that the driver has not taken back. None where
    nvidia-smi, which is newer, tells the action."""
    if any(_is(name, RECOVERY_FIELD) for name in (node.machine.smi if node.machine and node.machine.smi else ())):
        return None
    changes: dict[str, Seen] = {}
    for number, text in sorted({match.line: match.text, **dict(log.kept)}.items()):
        change = RECOVERY_CHANGE.search(text)
        if change is not None:
            action = RECOVERY_ACTIONS.get(int(change["action"], 16), "")
            changes[change["card"]] = Seen(value=action, evidence=Evidence(text=text, source=f"{log.source}:{number}"))
    urgent = next((each for each in changes.values() if each.value in URGENT_RECOVERIES), None)
    return recovery_fault(urgent) if urgent else None


def recovery_fault(action: Seen) -> Fault:
    """The fault of a card for which the driver asks for a recovery action."""
    return Fault(
        name=_RECOVERY,
        cause=f'The driver asks for the recovery action "{action.value}" of a card',
        evidence=(action.evidence,),
        consequence="Programs on the card end with errors, and new ones can't start",
        fix=REBOOT,
        verify=SMI,
        source="https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html",
        is_hardware=True,
    )


def _dated(fault: Fault, match: Match, cluster: GpuCluster, node: GpuNode) -> Fault:
    """The fault of an XID; where the node still offers its GPUs, beside the pods that run on them."""
    if offer(cluster, node) is None:
        return fault
    reported = _TIME.search(match.text)
    holders = cluster.holders.get(node.name, ())
    lines = [line for each in holders[:_MOST_PODS] if (line := _running(each, reported["time"] if reported else "")) is not None]
    return replace(fault, consequence=_STILL_OFFERED, evidence=(*fault.evidence, *lines))


def _running(pod: LivePod, reported: str) -> Evidence | None:
    """The line that shows since when a container of the pod runs."""
    for field, status in pod.statuses:
        since = str((state_of(status, "running") or {}).get("startedAt") or "")
        if since:
            order = f", {'after' if since > reported else 'before'} the error" if reported else ""
            return pod.about.evidence(f"running since {since}{order}", field)
    return None


def driver(cluster: GpuCluster, node: GpuNode) -> State:
    """The state of the link on a node."""
    faults = (*kernel_faults(cluster, node), *_card_faults(node), *stopped_cards(node), *_other_version(node))
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


def _is(name: str, field: str) -> bool:
    """Whether this is the name of a field, as `nvidia-smi -q` or its XML writes it."""
    return name.lower().endswith(field.lower())


def _card_faults(node: GpuNode) -> Iterator[Fault]:
    """The faults that nvidia-smi tells of a card."""
    fields = node.machine.smi if node.machine and node.machine.smi else {}
    for name, value in fields.items():
        if (_is(name, REMAP_FAILURE_FIELD) or name.endswith(REMAP_FAILURE_ELEMENT)) and value.value == "Yes":
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
        if _is(name, RECOVERY_FIELD) and value.value in URGENT_RECOVERIES:
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
