"""The link `image` of a GPU node: NVIDIA's extensions in the image that runs, of one kind, one driver and one Talos."""

from __future__ import annotations

from collections.abc import Iterator

from ...arguments.commands import comment
from ...observed.model.evidence import Evidence
from ...observed.model.talos_machine import TalosMachine
from ...symptoms.link import Link
from ...upstream.nvidia.driver_branches import KernelModules
from ...upstream.talos.extension_names import FABRIC_MANAGER, TOOLKIT
from ...upstream.talos.features import KERNEL_MODULES
from ...upstream.talos.node_services import NVSWITCH_PROBE, NVSWITCH_PRODUCT
from ..fault import Broken, Fault, Healthy, NotSeen, State
from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode
from ..node_commands import EXTENSIONS, PCI_DEVICES, image_without_nvidia, new_image
from ..node_image import NvidiaExtension, is_built_for_another, nvidia_extensions, own_extensions
from ..node_proofs import absence, loaded_driver
from ..symptom_faults import symptom_fault, symptom_matches

_MISMATCH = 'Libraries and kernel modules have different versions: "Failed to initialize NVML: Driver/library version mismatch"'
_SOURCE = "NVIDIA/k8s-device-plugin#1431; siderolabs/extensions nvidia-gpu"


def version_faults(node: GpuNode, *, is_loaded: bool) -> Iterator[Fault]:
    """The contradictions, the one that explains the others first."""
    extensions = nvidia_extensions(node)
    modules = [each for each in extensions if each.flavour]
    talos = node.talos_version
    other = next((each for each in modules if talos and is_built_for_another(each, talos.value)), None)
    if other is not None and talos is not None and not is_loaded:
        yield Fault(
            name="extension-of-another-talos",
            cause=f"{other.name} was built for Talos {other.talos.removeprefix('v')}, and Talos {talos.value.removeprefix('v')} runs",
            evidence=(other.evidence, talos.evidence),
            consequence='The kernel refuses the signature of the modules: "key was rejected by service"',
            fix=new_image(node),
            verify=EXTENSIONS,
            source="siderolabs/talos#7174; siderolabs/talos#7043",
            rules=("TG072",),
        )
    if {each.flavour for each in modules} == set(KernelModules):
        yield _contradiction(
            node,
            "both-flavours",
            f"The image has open and proprietary kernel modules: {_names(modules)}",
            modules,
            "Both extensions have modules of the same names, and the kernel loads one of the two",
        )
    elif len({each.track for each in extensions if each.track}) > 1:
        yield _contradiction(
            node, "tracks-differ", f"NVIDIA's extensions are of different tracks: {_names(extensions)}", extensions, _MISMATCH
        )
    elif len({each.driver for each in extensions if each.driver}) > 1:
        drivers = ", ".join(f"{each.name} {each.driver}" for each in extensions if each.driver)
        yield _contradiction(node, "drivers-differ", f"NVIDIA's extensions have different drivers: {drivers}", extensions, _MISMATCH)


def _contradiction(node: GpuNode, name: str, cause: str, extensions: list[NvidiaExtension], consequence: str) -> Fault:
    return Fault(
        name=name,
        cause=cause,
        evidence=tuple(each.evidence for each in extensions),
        consequence=consequence,
        fix=new_image(node),
        verify=EXTENSIONS,
        source=_SOURCE,
        rules=("TG080",),
    )


def _names(extensions: list[NvidiaExtension]) -> str:
    return ", ".join(each.name for each in extensions)


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


_EXTENSIONS_SOURCE = "siderolabs/extensions nvidia-gpu/nvidia-container-toolkit; siderolabs/talos#9187"


def image(cluster: GpuCluster, node: GpuNode) -> State:
    """The state of the link on a node."""
    if node.extensions is None:
        return NotSeen(command=EXTENSIONS)
    loaded = loaded_driver(cluster, node)
    modules = [each for each in nvidia_extensions(node) if each.flavour]
    faults = tuple(_faults(node, is_loaded=loaded is not None))
    if faults:
        return Broken(faults=faults)
    if modules:
        return Healthy(evidence=modules[0].evidence)
    return Healthy(evidence=loaded) if loaded else NotSeen(command=EXTENSIONS)


def _faults(node: GpuNode, *, is_loaded: bool) -> Iterator[Fault]:
    extensions = nvidia_extensions(node)
    modules = [each for each in extensions if each.flavour]
    if not modules:
        yield from [] if is_loaded or own_extensions(node) else _without_modules(node)
        return
    no_card = _no_card(node.machine) if node.machine is not None and not is_loaded else None
    if no_card is not None:
        yield _without_card(node, modules[0].evidence, no_card)
        return
    if node.has_all_extensions and not node.toolkits and not own_extensions(node):
        yield Fault(
            name="toolkit-missing",
            cause=f"The image has {modules[0].name} without {TOOLKIT}{_suffix(modules[0].track)}, the extension with the libraries of the driver",
            evidence=(modules[0].evidence,),
            consequence="The node has no libcuda.so.1, no nvidia-smi and no runtime nvidia, so the device plugin finds no driver",
            fix=new_image(node),
            verify=EXTENSIONS,
            source="siderolabs/extensions nvidia-gpu/nvidia-container-toolkit; NVIDIA/k8s-device-plugin#479",
            rules=("TG106",),
        )
    yield from version_faults(node, is_loaded=is_loaded)
    yield from fabric_manager_missing(node)


def _without_modules(node: GpuNode) -> Iterator[Fault]:
    machine = node.machine
    for match, log in symptom_matches([machine.kernel_log if machine else None], Link.IMAGE):
        yield symptom_fault(match, log)
    toolkit = next((each for each in nvidia_extensions(node) if each.kind == TOOLKIT), None)
    if not node.has_all_extensions:
        return
    if toolkit is not None:
        yield Fault(
            name="modules-extension-missing",
            cause=f"The image has {toolkit.name} without an extension with NVIDIA's kernel modules",
            evidence=(toolkit.evidence,),
            consequence="No module drives the card: NVIDIA's services wait, and the device plugin finds no GPU",
            fix=new_image(node),
            verify=EXTENSIONS,
            source=_EXTENSIONS_SOURCE,
            rules=("TG083",),
        )
        return
    if machine is None or machine.extensions is None:
        if node.node is None or node.talos_version is None:
            return
        none = node.node.evidence("no label extensions.talos.dev/nvidia-* or extensions.talos.dev/nonfree-kmod-nvidia-*", "metadata.labels")
    else:
        first = next((each.evidence for each in machine.extensions.values()), None)
        none = absence(f"extensions: {', '.join(sorted(machine.extensions)) or 'none'}", first, EXTENSIONS)
    former = _former(node)
    wanted = former or node.card_evidence
    if wanted is None:
        return
    yield Fault(
        name="extensions-lost" if former else "extensions-missing",
        cause="The image has lost NVIDIA's extensions: the node runs an image of another schematic than before"
        if former
        else "The image has no extension of NVIDIA, so the node has no driver for its card",
        evidence=(none, wanted),
        consequence="Without the extensions the node has neither kernel modules nor libraries, and Kubernetes sees no GPU",
        fix=new_image(node),
        verify=EXTENSIONS,
        source=_EXTENSIONS_SOURCE,
        rules=("TG083",) if former else (),
    )


def _former(node: GpuNode) -> Evidence | None:
    """The line that shows that the node had NVIDIA's extensions before: modules in its configuration, or a resource
    that the kubelet still lists."""
    configured = (node.machine.configured_modules or {}).get(KERNEL_MODULES[0]) if node.machine else None
    if configured is not None:
        return configured.evidence
    resource = next(iter(node.capacity), None)
    return node.node.evidence(f"{resource}: {node.capacity[resource]}", "status.capacity") if node.node and resource else None


def _no_card(machine: TalosMachine) -> Evidence | None:
    """The driver's words of a machine whose list of PCI devices has no card either. The list alone may be cut."""
    matches = symptom_matches([machine.kernel_log], Link.MODULES) if machine.pci == {} else ()
    return next((log.evidence(match) for match, log in matches if match.symptom.name == "no-card"), None)


def _without_card(node: GpuNode, extension: Evidence, words: Evidence) -> Fault:
    return Fault(
        name="image-without-card",
        cause="The image has NVIDIA's extensions, and the machine lists no card of NVIDIA on its PCI bus",
        evidence=(extension, absence("no device of NVIDIA (vendor 0x10de)", None, PCI_DEVICES), words),
        consequence="NVIDIA's services wait for a card, and Talos reboots the node after 70 minutes",
        fix=comment("a machine without a card: an image without NVIDIA's extensions")
        .followed_by(image_without_nvidia(node))
        .followed_by(
            comment("a machine with a card: look at the slot, the firmware of the machine, and the passthrough of the hypervisor")
        ),
        verify=PCI_DEVICES,
        source="siderolabs/talos#14373; siderolabs/extensions#888",
        rules=("TG070",),
    )


def _suffix(track: object) -> str:
    return f"-{track}" if track else ""
