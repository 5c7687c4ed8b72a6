"""The link `modules` of a GPU node: the kernel has loaded NVIDIA's modules, and they support the card."""

from __future__ import annotations

from collections.abc import Iterator

from ...arguments.commands import Command, command
from ...arguments.patterns import pattern
from ...nodes.cards import refusal
from ...nodes.talos_version import TalosVersion
from ...observed.model.evidence import Evidence
from ...observed.model.talos_machine import Seen
from ...symptoms.link import Link
from ...upstream.nvidia.card_names import unsupported
from ...upstream.nvidia.driver_branches import KernelModules
from ...upstream.talos.features import KERNEL_MODULES, PEERMEM_MODULE
from ...upstream.talos.node_services import NVSWITCH_PRODUCT
from ..fault import Broken, Fault, Healthy, NotSeen, State
from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode, vfio_evidence
from ..node_commands import KERNEL_LOG, LOADED_MODULES, PCI_DEVICES, loaded_modules, new_image
from ..node_image import NvidiaExtension, nvidia_extensions
from ..node_proofs import absence, loaded_driver, offer, waiting_service
from ..symptom_faults import symptom_fault, symptom_matches

_BRACKETS = pattern(r"\[([^\]]+)\]")
_NO_GPU = 'The driver leaves the card alone: "No devices were found", and the device plugin finds no GPU'


def unsupported_cards(node: GpuNode) -> Iterator[Fault]:
    """The fault of a machine whose every card needs other kernel modules, another driver, or has no driver at all."""
    extensions = [each for each in nvidia_extensions(node) if each.flavour]
    cards = _cards(node)
    if len(extensions) != 1 or not cards:
        return
    reasons = {name: _reason(name, extensions[0], node) for name in cards}
    if not all(reasons.values()):
        return
    name, reason = next(iter(reasons.items()))
    without_driver = unsupported(name)
    yield Fault(
        name="card-without-driver" if without_driver else "wrong-kernel-modules",
        cause=f"No driver of Talos runs the card {name}: {without_driver}"
        if without_driver
        else f"{extensions[0].name} {extensions[0].driver} does not run the card {name}: {reason}",
        evidence=(cards[name].evidence, extensions[0].evidence),
        consequence=_NO_GPU,
        fix=_matrix(name) if without_driver else _fix(name, extensions[0], node),
        verify=KERNEL_LOG,
        source="NVIDIA/open-gpu-kernel-modules README.md; siderolabs/talos#8764; cozystack/cozystack#3563",
        rules=("TG076",),
        is_hardware=bool(without_driver),
    )


def _cards(node: GpuNode) -> dict[str, Seen]:
    """The cards by the name that pci.ids has in brackets: `AD102 [GeForce RTX 4090]`. A device without such a name, as
    the sound of a card, is none."""
    devices = node.machine.pci.values() if node.machine and node.machine.pci else ()
    named = ((_BRACKETS.search(each.value), each) for each in devices if NVSWITCH_PRODUCT not in each.value)
    return {found[1]: each for found, each in named if found}


def _reason(name: str, extension: NvidiaExtension, node: GpuNode) -> str:
    """The reason why the modules of the image can't run a card; empty when they can, and for an unknown card."""
    try:
        talos = TalosVersion.parse("talos_version", node.talos_version.value) if node.talos_version else None
    except ValueError:
        talos = None
    track = str(extension.track or "")
    return refusal(name, kernel_modules=str(extension.flavour), driver_track=track, talos_version=talos)


def _matrix(name: str) -> Command:
    return command("talos-gpu matrix --product {name}", name=name)


def _fix(name: str, extension: NvidiaExtension, node: GpuNode) -> Command:
    """The image with the other modules if these run the card, else the releases that do."""
    other = next(each for each in KernelModules if each is not extension.flavour)
    matrix = _matrix(name)
    return (
        matrix
        if refusal(name, kernel_modules=other, driver_track="", talos_version=None)
        else matrix.followed_by(new_image(node, flavour=other))
    )


def card_held_by_vfio(node: GpuNode) -> Iterator[Fault]:
    """The fault of a machine that binds its cards to vfio-pci, for virtual machines."""
    vfio = vfio_evidence(node.machine) if node.machine else None
    if vfio is None:
        return
    yield Fault(
        name="card-held-by-vfio",
        cause="vfio-pci holds the cards, for virtual machines, so NVIDIA's driver can't start them",
        evidence=(vfio,),
        consequence=_NO_GPU,
        fix=command(
            "# containers: remove the ids of the card (10de:…) from the parameters of vfio_pci in machine.kernel.modules, and its PCIDriverRebindConfig; then reboot\n"
            "talosctl --nodes ADDRESS edit machineconfig\n"
            "# virtual machines: an image without NVIDIA's extensions, and no NVIDIA module in machine.kernel.modules"
        ),
        verify=PCI_DEVICES,
        source="NVIDIA/open-gpu-kernel-modules kernel-open/nvidia/nv.c; cozystack/cozystack#2763",
        rules=("TG109",),
    )


_NVIDIA, _UVM = KERNEL_MODULES[:2]
_OF_IMAGE = ("module-signature", "module-not-found")
"""The symptoms that an image with the extensions of its own release ends."""
_ABSENT = "no module {} among the loaded modules"
_CONSEQUENCE = "Without the modules there is no /dev/nvidia0: NVIDIA's services wait, and the device plugin finds no GPU"
_SOURCE = "siderolabs/extensions nvidia-gpu files/nvidia.conf; siderolabs/talos#9187"


def modules(cluster: GpuCluster, node: GpuNode) -> State:
    """The state of the link on a node."""
    loaded = loaded_driver(cluster, node)
    fault = next(_faults(cluster, node, loaded), None)
    if fault is not None:
        return Broken(faults=(fault,))
    return Healthy(evidence=loaded) if loaded else NotSeen(command=LOADED_MODULES)


def _faults(cluster: GpuCluster, node: GpuNode, loaded: Evidence | None) -> Iterator[Fault]:
    """The faults, the one that explains the others first."""
    if offer(cluster, node) is None:
        yield from unsupported_cards(node)
    if loaded is None:
        yield from card_held_by_vfio(node)
        yield from _refused_by_the_kernel(node)
        yield from _not_loaded(node)
    elif node.machine and node.machine.modules is not None and node.machine.has_all_modules and _UVM not in node.machine.modules:
        yield Fault(
            name="uvm-not-loaded",
            cause=f"The kernel has loaded {_NVIDIA} without {_UVM}",
            evidence=(loaded, absence(_ABSENT.format(_UVM), loaded, LOADED_MODULES)),
            consequence="nvidia-smi works, and every CUDA program fails: there is no /dev/nvidia-uvm",
            fix=loaded_modules(node),
            verify=LOADED_MODULES,
            source=_SOURCE,
            rules=("TG071",),
        )


def _refused_by_the_kernel(node: GpuNode) -> Iterator[Fault]:
    """The kernel's own words about modules that it did not load."""
    machine = node.machine
    if machine is None:
        return
    # The driver unloads itself where it could start no card; then the reason is one of the link above.
    links = (Link.MODULES, Link.DRIVER) if machine.has_all_modules else (Link.MODULES,)
    for match, log in symptom_matches([machine.kernel_log], *links):
        if match.symptom.name == "wrong-kernel-modules" and "No NVIDIA GPU found" in match.text:
            continue  # the words of two symptoms: without a line before this one, the driver saw no card
        if PEERMEM_MODULE not in match.text:
            yield symptom_fault(match, log, fix=new_image(node) if match.symptom.name in _OF_IMAGE else None)


def _not_loaded(node: GpuNode) -> Iterator[Fault]:
    machine = node.machine
    absent = waiting_service(node)
    if machine is not None and machine.modules is not None and machine.has_all_modules:
        first = next(iter(machine.modules.values()), None)
        absent = absence(_ABSENT.format(_NVIDIA), first.evidence if first else None, LOADED_MODULES)
    if machine is None or absent is None:
        return
    configured = machine.configured_modules
    if configured is not None and _NVIDIA in configured:
        yield Fault(
            name="modules-refused",
            cause="The configuration names NVIDIA's modules, and the kernel has not loaded them",
            evidence=(configured[_NVIDIA].evidence, absent),
            consequence=_CONSEQUENCE,
            fix=KERNEL_LOG.explained("has the reason; give its lines to talos-gpu why"),
            verify=LOADED_MODULES,
            source=_SOURCE,
        )
        return
    # A list of resources that has other modules of NVIDIA's, and not this one, was cut.
    is_known = configured is not None and not configured.keys() & set(KERNEL_MODULES)
    yield Fault(
        name="modules-not-configured" if is_known else "modules-not-loaded",
        cause="The configuration of the node does not name NVIDIA's modules, and the extension turns their automatic loading off"
        if is_known
        else "NVIDIA's kernel modules are not loaded; the extension turns their automatic loading off, so the configuration must name them",
        evidence=(absent,),
        consequence=_CONSEQUENCE,
        fix=loaded_modules(node),
        verify=LOADED_MODULES,
        source=_SOURCE,
        rules=("TG071",),
    )
