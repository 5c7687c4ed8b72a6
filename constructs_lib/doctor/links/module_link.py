"""The link `modules` of a GPU node: the kernel has loaded NVIDIA's modules, and they support the card."""

from __future__ import annotations

from collections.abc import Iterator

from ...upstream.talos.features import KERNEL_MODULES, PEERMEM_MODULE
from ..evidence import Evidence
from ..fault import Fault
from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode
from ..link import Broken, Healthy, Link, NotSeen, State
from ..node_commands import KERNEL_LOG, LOADED_MODULES, loaded_modules, new_image
from ..node_proofs import absence, loaded_driver, offer, waiting_service
from ..symptom_faults import symptom_fault, symptom_matches
from .card_modules import card_held_by_vfio, unsupported_cards

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
